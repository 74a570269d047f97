import fc from 'fast-check';
import { given } from '../../../test/support/given';
import { type SettlementClaimEvent } from '../../events/settlement-claim.events';
import {
  type Claim,
  type ClaimedTransfer,
  OutdatedClaims,
  paymentKey,
  rulingsOf,
  settlementClaim,
  type SettlementClaimState,
} from './settlement-claim';
import { claimAt, judging, takenBy, transferAt } from './settlement-claim.fixtures';

const past = given(settlementClaim);
const stateAfter = (...events: readonly SettlementClaimEvent[]): SettlementClaimState =>
  events.reduce(settlementClaim.evolve, settlementClaim.initial);

describe('who gets a transfer', () => {
  const [first, second] = [claimAt(1), claimAt(2)];

  it('is the claim that was reported first, in whichever order they are looked at', () => {
    past()
      .when(judging([second, first]))
      .then(takenBy(first));
    past()
      .when(judging([first, second]))
      .then(takenBy(first));
  });
  it('is nobody whose request it does not pay', () => {
    past()
      .when(judging([claimAt(1, { agreeing: [] }), second]))
      .then(takenBy(second));
    past()
      .when(judging([claimAt(1, { agreeing: [] })]))
      .thenNothing();
  });
  it('is an announced claim before a payer’s, and that before the rest', () => {
    const [payer, announced] = [claimAt(3, { binding: 'payer' }), claimAt(4, { announced: true })];
    past()
      .when(judging([first, payer]))
      .then(takenBy(payer));
    past()
      .when(judging([first, payer, announced]))
      .then(takenBy(announced));
  });
  it('is the payer’s claim after another one had it', () =>
    past(takenBy(first))
      .when(judging([first, claimAt(3, { binding: 'payer' })], 1))
      .then(takenBy(claimAt(3, { binding: 'payer' }))));
  it('stays an announced claim, whatever comes later', () => {
    const announced = claimAt(1, { announced: true });
    const later = [claimAt(2, { announced: true }), claimAt(3, { binding: 'payer' }), claimAt(4)];
    past(takenBy(announced))
      .when(judging([...later, announced], 1))
      .thenNothing();
  });
  it('is the next claim for the next transfer, by operation and place within it', () => {
    const agreeing = [transferAt(2), transferAt(1, 1), transferAt(1, 0)];
    const claims = [1, 2, 3, 4].map((order) => claimAt(order, { agreeing }));
    past()
      .when(judging(claims))
      .then(
        takenBy(claims[0] as Claim, transferAt(1, 0)),
        takenBy(claims[1] as Claim, transferAt(1, 1)),
        takenBy(claims[2] as Claim, transferAt(2)),
      );
  });
  it('is no claim that was collected before others were judged', () => {
    const payer = claimAt(3, { binding: 'payer' });
    const state = stateAfter(takenBy(first), takenBy(payer));
    expect(() => settlementClaim.decide(judging([first], 1), state)).toThrow(OutdatedClaims);
    past(takenBy(first), takenBy(payer))
      .when(judging([first, payer], 1))
      .thenNothing();
  });
});

describe('what a claim is told', () => {
  const told = (claims: readonly Claim[], before: readonly Claim[] = []) => {
    const state = stateAfter(...before.map((claim) => takenBy(claim)));
    const events = settlementClaim.decide(judging(claims, state.version), state);
    return rulingsOf(claims, events.reduce(settlementClaim.evolve, state));
  };
  const contestedOf = (claims: readonly Claim[], before: readonly Claim[] = []) =>
    told(claims, before).flatMap(({ claim, contested }) => (contested ? [claim.payment.id] : []));
  const [first, second] = [claimAt(1), claimAt(2)];
  const [announced, another] = [claimAt(3, { announced: true }), claimAt(4, { announced: true })];
  const payer = claimAt(5, { binding: 'payer' });

  it('names the transfer that settles it, or who has it', () => {
    const [one, two] = told([first, second]);
    expect(one).toMatchObject({ transfer: transferAt(0), holder: null });
    expect(two).toMatchObject({ transfer: null, holder: first });
  });
  it('names the holder of its own merchant, where there are several', () => {
    const agreeing = [transferAt(0), transferAt(1)];
    const foreign = claimAt(1, { agreeing, merchantId: 'mer_2' });
    const [own, late] = [claimAt(2, { agreeing }), claimAt(3, { agreeing })];
    expect(told([foreign, own, late])[2]).toMatchObject({ transfer: null, holder: own });
  });
  it('is contested where more unannounced claims agree than there are transfers', () => {
    expect(contestedOf([first])).toEqual([]);
    expect(contestedOf([first, second])).toEqual(['pr_1', 'pr_2']);
    const agreeing = [transferAt(0), transferAt(1)];
    const two = [claimAt(1, { agreeing }), claimAt(2, { agreeing })];
    expect(contestedOf(two)).toEqual([]);
    expect(contestedOf([...two, claimAt(3, { agreeing })])).toEqual(['pr_1', 'pr_2', 'pr_3']);
    // With a memo, it agrees with one of the two only.
    const memos = [claimAt(4), claimAt(5)];
    expect(contestedOf([...memos, claimAt(6, { agreeing: [...agreeing, transferAt(2)] })])).toEqual(['pr_4', 'pr_5']);
  });
  it('is not contested by what is no rival: another payee’s transfer, or a report that differs', () => {
    const elsewhere = claimAt(2, { agreeing: [transferAt(1, 0, 'GB2')] });
    expect(contestedOf([first, elsewhere, claimAt(6, { agreeing: [] })])).toEqual([]);
  });
  it('is not contested by a stranger who copies what was announced', () => {
    expect(contestedOf([announced, first])).toEqual([]);
    expect(told([announced, first])[1]).toMatchObject({ transfer: null, contested: false });
    expect(contestedOf([announced, first, second])).toEqual(['pr_1', 'pr_2']);
  });
  it('is contested where two were announced for one transfer', () => {
    expect(contestedOf([announced, another])).toEqual(['pr_3', 'pr_4']);
    expect(contestedOf([announced, claimAt(4, { announced: true, agreeing: [transferAt(1, 0, 'GB2')] })])).toEqual([]);
    expect(contestedOf([announced, claimAt(4, { announced: true, binding: 'payer' })])).toEqual(['pr_3', 'pr_4']);
  });
  it('is contested where a payer’s claim stands against an announced one', () => {
    expect(contestedOf([announced, payer, first])).toEqual(['pr_3', 'pr_5']);
    expect(contestedOf([payer, first])).toEqual([]);
  });
  it('is contested after a transfer changed hands, for both', () =>
    expect(contestedOf([first, payer], [first])).toEqual(['pr_1', 'pr_5']));
});

describe('over all histories of reports and looks', () => {
  const transfers: readonly ClaimedTransfer[] = [0, 1, 2].flatMap((operation) => [
    transferAt(operation, 0),
    transferAt(operation, 1),
  ]);
  const claims = fc
    .array(
      fc.record({
        announced: fc.boolean(),
        isBound: fc.boolean(),
        merchant: fc.integer({ min: 1, max: 3 }),
        isAgentPayment: fc.boolean(),
        agreeing: fc.subarray([...transfers]),
      }),
      { maxLength: 12 },
    )
    .map((drawn) =>
      drawn.map(({ announced, isBound, merchant, isAgentPayment, agreeing }, order) =>
        claimAt(order, {
          payment: { kind: isAgentPayment ? 'agent_payment' : 'payment_request', id: `p_${order}` },
          merchantId: `mer_${merchant}`,
          announced,
          binding: isBound ? 'payer' : 'none',
          agreeing,
        }),
      ),
    );
  /** How many reports were in the log at each look; the last one sees all. */
  const looks = fc.array(fc.nat(12), { maxLength: 8 });

  const judgedAt = (all: readonly Claim[], sizes: readonly number[], shuffled: (claims: Claim[]) => Claim[]) =>
    [...sizes]
      .sort((one, other) => one - other)
      .reduce((state, size) => {
        const events = settlementClaim.decide(judging(shuffled(all.slice(0, size)), state.version), state);
        return events.reduce(settlementClaim.evolve, state);
      }, settlementClaim.initial);
  const holders = ({ holdings }: SettlementClaimState): readonly string[] =>
    [...holdings].map(([key, { payment }]) => `${key} ${paymentKey(payment)}`).sort();

  it('no transfer settles two payments, none is lost, and the order of looks does not matter', () => {
    fc.assert(
      fc.property(claims, looks, (all, sizes) => {
        const state = judgedAt(all, [...sizes, all.length], (some) => [...some].reverse());
        const rulings = rulingsOf(all, state);
        const settled = rulings.flatMap(({ transfer }) => (transfer === null ? [] : [JSON.stringify(transfer)]));
        expect(new Set(settled).size).toBe(settled.length);
        // Whoever has none finds all that it agrees with taken.
        for (const { claim, transfer } of rulings) {
          if (transfer === null)
            expect(claim.agreeing.filter((one) => !settled.includes(JSON.stringify(one)))).toEqual([]);
          else expect(claim.agreeing).toContainEqual(transfer);
        }
        expect(holders(state)).toEqual(holders(judgedAt(all, [all.length], (some) => some)));
        expect(new Set([...state.holdings.values()].map(({ payment }) => paymentKey(payment))).size).toBe(
          state.holdings.size,
        );
      }),
      { numRuns: 500 },
    );
  });

  it('an announced claim keeps what it has', () => {
    fc.assert(
      fc.property(claims, looks, (all, sizes) => {
        // By one clock, those that were announced come first in the log.
        const ordered = [...all].sort((one, other) => Number(other.announced) - Number(one.announced));
        const log = ordered.map((claim, order) => ({ ...claim, order: String(order).padStart(6, '0') }));
        const before = judgedAt(log, sizes, (some) => some);
        const after = judgedAt(log, [...sizes, log.length], (some) => some);
        for (const { announced, payment } of log) {
          const heldIn = ({ holdings }: SettlementClaimState) =>
            [...holdings].find(([, held]) => held.payment.id === payment.id)?.[0];
          if (announced && heldIn(before) !== undefined) expect(heldIn(after)).toBe(heldIn(before));
        }
      }),
    );
  });
});
