import fc from 'fast-check';
import {
  type JudgementChunk,
  type JudgementEntry,
  policyJudgements,
  type PolicyJudgements,
  policyJudgementsProjection,
} from '../../../projections/policy-judgements.projection';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { type AutomationPolicyEvent, type PolicyTerms } from '../../events/automation-policy.events';
import { payment, policyId, refusedData } from './agent-payment.fixtures';
import { type Threshold } from '../../events/agent-payment.events';
import { policyRefusalIn } from './nearest-refusal';
import { policyBudget, type PolicyBudget } from './policy-budget';
import { optedIn, optedOut, proposed, reserve, terms } from './policy-budget.fixtures';
import { InOrder, PolicyReplay, type Replayed } from './policy-replay';
import { type RecipientId } from '../../kernel/aggregates';

type Ask = Readonly<{ kind: 'ask'; key: number; units: number; recipient: string; at: string; delay: number }>;
type Step = Ask | Readonly<{ kind: 'release' | 'settle'; key: number }> | Readonly<{ kind: 'in' | 'out' }>;

const VERSION = payment.recipient_version_id;
const ask: fc.Arbitrary<Ask> = fc.record({
  kind: fc.constant('ask' as const),
  key: fc.nat(30),
  units: fc.integer({ min: 1, max: 40 }),
  recipient: fc.constantFrom('rcp_a', 'rcp_b', 'rcp_c'),
  at: fc.constantFrom('2030-01-01T00:00:00.000Z', '2030-06-01T00:00:00.000Z'),
  delay: fc.nat(4),
});
const closing = fc.record({ kind: fc.constantFrom('release' as const, 'settle' as const), key: fc.nat(30) });
const consent = fc.record({ kind: fc.constantFrom('in' as const, 'out' as const) });
const steps = fc.array(
  fc.oneof({ arbitrary: ask, weight: 8 }, { arbitrary: closing, weight: 4 }, { arbitrary: consent, weight: 1 }),
  { maxLength: 200, size: 'max' },
);
const limits: fc.Arbitrary<PolicyTerms> = fc.record({
  single_tx_limit: fc.constantFrom('1', '2.5', '4'),
  cumulative_limit: fc.constantFrom('3', '8.75', '20'),
  valid_from: fc.constantFrom('2029-01-01T00:00:00.000Z', '2030-03-01T00:00:00.000Z'),
  valid_until: fc.constant('2031-01-01T00:00:00.000Z'),
  allowlist: fc.constantFrom(['rcp_a'], ['rcp_a', 'rcp_b'], ['rcp_a', 'rcp_b', 'rcp_c']),
});

const draftOf = ({ key, units, recipient, at }: Ask) => ({
  ...payment,
  payment_id: `ap_${key}` as const,
  idempotency_key: `order-${key}`,
  intent_digest: `sha256:${key}`,
  amount: String(units / 10),
  recipient_id: recipient as RecipientId,
  created_at: at,
});

/** The live way: the decider over the policy's stream, refusals recorded elsewhere and up to some steps later. */
function live(held: PolicyTerms, history: readonly Step[]) {
  const log: RecordedEvent[] = [];
  const judged: boolean[] = [];
  const late: { due: number; write: () => void }[] = [];
  const made = new Map<string, 'open' | 'closed'>();
  let state: PolicyBudget = policyBudget.initial;
  let version = 0;
  const record = (type: string, data: object, of = 0): number => log.push({ type, data, version: of } as RecordedEvent);
  const append = (event: AutomationPolicyEvent): void => {
    version += 1;
    state = policyBudget.evolve(state, event);
    record(event.type, event.data, version);
  };
  append({ ...proposed, data: { ...proposed.data, terms: held } } as AutomationPolicyEvent);
  // One of them has moved since: another version was agreed to.
  const payees = Object.fromEntries(held.allowlist.map((id) => [id, id === 'rcp_b' ? 'rcv_old' : VERSION]));
  const agree = { ...optedIn, data: { ...optedIn.data, payees } } as AutomationPolicyEvent;
  append(agree);
  history.forEach((step, index) => {
    if (step.kind === 'in') append(agree);
    else if (step.kind === 'out') append(optedOut);
    else if (step.kind === 'ask') {
      const draft = draftOf(step);
      if (made.has(draft.payment_id)) return;
      const command = { ...reserve(), payment: draft, reservationId: `rsv_${draft.payment_id}` } as const;
      try {
        policyBudget.decide(command, state).forEach(append);
        made.set(draft.payment_id, 'open');
        judged.push(true);
      } catch (error) {
        const refusal = policyRefusalIn(error);
        if (refusal === undefined) throw error;
        const { payment_id, idempotency_key, recipient_id, amount, created_at } = draft;
        const data = {
          ...{ ...refusedData, payment_id, idempotency_key, recipient_id, amount, refused_at: created_at },
          ...{ triggered_thresholds: refusal.triggered, policy_revision: refusal.revision },
        } as const;
        late.push({ due: index + step.delay, write: () => record('AgentPaymentRefused', data) });
        judged.push(false);
      }
    } else if ('key' in step && made.get(`ap_${step.key}`) === 'open') {
      const paymentId = `ap_${step.key}` as const;
      const named = { policyId, paymentId, reservationId: `rsv_${paymentId}`, at: payment.created_at } as const;
      policyBudget
        .decide(
          step.kind === 'release' ? { kind: 'release', ...named, reason: 'failed' } : { kind: 'settle', ...named },
          state,
        )
        .forEach(append);
      made.set(paymentId, 'closed');
    }
    for (const { write } of late.filter(({ due }) => due <= index)) write();
    late.splice(0, late.length, ...late.filter(({ due }) => due > index));
  });
  for (const { write } of late) write();
  return { log, judged };
}

/** What the projection leaves of a log, chunks first. */
function project(log: readonly RecordedEvent[]): readonly JudgementEntry[] {
  let head: PolicyJudgements | undefined;
  const chunks: JudgementChunk[] = [];
  for (const event of log) {
    for (const step of policyJudgementsProjection.project(event)) {
      expect(step.collection).toBe(policyJudgements);
      const { document, also = [] } = step.next(head);
      head = document as PolicyJudgements;
      chunks.push(...also.map((write) => write.document as JudgementChunk));
    }
  }
  expect(chunks.map(({ number }) => number)).toEqual(chunks.map((_, index) => index));
  return [...chunks.flatMap(({ entries }) => entries), ...(head?.tail ?? [])];
}

function replay(entries: readonly JudgementEntry[], held: PolicyTerms): readonly Replayed[] {
  const [order, past] = [new InOrder(), new PolicyReplay(held)];
  return [...order.add(entries), ...order.rest()].flatMap((entry) => past.next(entry) ?? []);
}

describe('replaying a policy’s history', () => {
  it('is what happened, under the thresholds that held', () => {
    fc.assert(
      fc.property(limits, steps, (held, history) => {
        const { log, judged } = live(held, history);
        const again = replay(project(log), held);
        expect(again.map(({ permitted }) => permitted)).toEqual(judged);
        expect(again.filter(({ permitted, was_permitted }) => permitted !== was_permitted)).toEqual([]);
      }),
      { numRuns: 80 },
    );
  });

  it('under other thresholds is what the decider says over amounts of its own', () => {
    fc.assert(
      fc.property(limits, limits, steps, (held, wished, history) => {
        const { log } = live(held, history);
        const entries = project(log);
        // Counted plainly, in whole units: what was permitted, less what was given back of it.
        let spent = 0;
        const permitted = new Map<string, number>();
        const expected: (readonly [string, readonly Threshold[]])[] = [];
        for (const entry of [...entries].sort(([a], [b]) => a - b)) {
          if (entry.length === 3) {
            if (entry[2] === 'released') spent -= permitted.get(entry[1]) ?? 0;
            permitted.delete(entry[1]);
            continue;
          }
          const [, paymentId, , amount, recipient, at, facts] = entry;
          const units = Math.round(Number(amount) * 10);
          const why: Threshold[] = [];
          if (!permitted.has(paymentId)) {
            if (units > Number(wished.single_tx_limit) * 10) why.push('single_tx_limit');
            if (spent + units > Number(wished.cumulative_limit) * 10) why.push('cumulative_limit');
            if (at < wished.valid_from) why.push('validity_window');
            if (!wished.allowlist.includes(recipient) || (facts & 4) === 0) why.push('allowlist');
            if ((facts & 2) === 0) why.push('no_active_policy');
            if (why.length === 0) {
              spent += units;
              permitted.set(paymentId, units);
            }
          }
          expected.push([paymentId, why]);
        }
        const again = replay(entries, wished);
        expect(again.map(({ payment_id, triggered_thresholds }) => [payment_id, triggered_thresholds])).toEqual(
          expected,
        );
      }),
      { numRuns: 80 },
    );
  });

  it('permits what only the allowlist refused, but no payee that has moved since it was agreed to', () => {
    const asks = ['rcp_a', 'rcp_b', 'rcp_c'].map((recipient, key): Ask => ({ ...baseAsk, key, recipient }));
    const held = { ...terms, allowlist: ['rcp_a', 'rcp_b'] };
    const { log, judged } = live(held, asks);
    expect(judged).toEqual([true, false, false]);
    const wide = { ...terms, allowlist: ['rcp_a', 'rcp_b', 'rcp_c'] };
    const permitted = (events: readonly RecordedEvent[]) =>
      replay(project(events), wide).map((replayed) => replayed.permitted);
    expect(permitted(log)).toEqual([true, false, true]);
    // The same if it was added to the list only later.
    const [created, ...others] = log as [RecordedEvent, ...RecordedEvent[]];
    const narrow = { ...created, data: { ...created.data, terms: { ...terms, allowlist: ['rcp_a'] } } };
    const changed = { ...created, type: 'AutomationPolicyChanged', data: { policy_id: policyId, terms: held } };
    expect(permitted([narrow, changed, ...others])).toEqual([true, false, true]);
  });

  it('gives back only what it permitted', () => {
    const asks = [20, 30, 20].map((units, key): Ask => ({ ...baseAsk, key, units }));
    const history: Step[] = [...asks.slice(0, 2), { kind: 'release', key: 1 }, ...asks.slice(2)];
    const held = { ...terms, allowlist: ['rcp_a'] };
    const { log, judged } = live(held, history);
    expect(judged).toEqual([true, true, true]);
    const tight = { ...held, single_tx_limit: '2', cumulative_limit: '3' };
    expect(replay(project(log), tight).map(({ permitted }) => permitted)).toEqual([true, false, false]);
  });
});

const baseAsk: Ask = { kind: 'ask', key: 0, units: 1, recipient: 'rcp_a', at: payment.created_at, delay: 0 };
