import { type RecordedEvent } from '../../../../platform/event-store/event-store.port';
import { saidBy } from './said.fixtures';
import { settledByOwnTransfer, settledOnce, truthfulSettlement } from './settlements';

const [CLAIMS, ONE, OTHER] = ['settlement_claim-stellar_testnet_h', 'payment_request-pr_1', 'agent_payment-ap_1'];

type Happened = readonly [stream: string, type: string, data: object];

/** Events of several streams, in the order of the log. */
function logOf(...events: readonly Happened[]) {
  const all = events.map(([stream, type, data], index) => {
    const position = BigInt(index + 1);
    return { stream, version: index + 1, position, type, data, metadata: {} } as unknown as RecordedEvent;
  });
  return { all, of: (stream: string) => all.filter((event) => event.stream === stream) };
}
const kindOf = (stream: string): string => (stream === ONE ? 'PaymentRequest' : 'AgentPayment');
const made = (stream: string) =>
  [stream, `${kindOf(stream)}Created`, { facts: { network: 'stellar_testnet' } }] as const;
const taken = (stream: string, transfer = 0) => {
  const [kind, id] = stream.split('-');
  return [
    CLAIMS,
    'SettlementTransferTaken',
    { ledger_hash: 'h', operation: 0, transfer, payment: { kind, id } },
  ] as const;
};
const named = (stream: string, transaction_hash = 'h') =>
  [stream, `${kindOf(stream)}Broadcasted`, { transaction_hash }] as const;
const told = (stream: string, verdict: string, more: object = {}) => {
  const place = verdict === 'matches' ? { operation: 0, transfer: 0 } : { operation: null, transfer: null };
  const differences = verdict === 'matches' ? [] : ['already_settles'];
  const settlement = { verdict, differences, ledger: 7, ledger_hash: 'h', ...place };
  return [stream, `${kindOf(stream)}SettlementObserved`, { transaction_hash: 'h', settlement, ...more }] as const;
};
const begun = [made(ONE), named(ONE), made(OTHER), named(OTHER)];

describe('what verify says of a transfer', () => {
  const said = (...events: readonly Happened[]) => {
    const { all, of } = logOf(...begun, ...events);
    return saidBy(settledOnce, of(CLAIMS), all);
  };

  it('that changed hands: who lost was told first', async () => {
    const handed = [taken(ONE), told(ONE, 'matches'), taken(OTHER)];
    expect(await said(...handed, told(ONE, 'differs'), told(OTHER, 'matches'))).toEqual([]);
    // Killed in between: the next process tells the other one.
    expect(await said(...handed, told(ONE, 'differs'))).toEqual([]);
    expect(await said(...handed)).toEqual([]);
    expect(await said(...handed, told(OTHER, 'matches'), told(ONE, 'differs'))).toEqual([
      `the transfer settles ${ONE}, too, not only ${OTHER}`,
    ]);
    expect(await said(...handed, told(OTHER, 'matches'))).toHaveLength(1);
  });
  it('while a payment names another transaction', async () => {
    const left = [taken(ONE), told(ONE, 'matches'), taken(OTHER), named(ONE, 'other'), told(OTHER, 'matches')];
    expect(await said(...left)).toEqual([]);
    expect(await said(...left.map((event, index) => (index === 3 ? named(ONE) : event)))).toHaveLength(1);
  });
});

describe('what verify says of a payment that matches', () => {
  const said = (...events: readonly Happened[]) => {
    const { all, of } = logOf(...begun, ...events);
    return saidBy(settledByOwnTransfer, of(ONE), all);
  };

  it('without having taken the transfer', async () => {
    expect(await said(taken(ONE), told(ONE, 'matches'))).toEqual([]);
    const wrong = ['it had not taken transfer 0 of operation 0'];
    expect(await said(told(ONE, 'matches'))).toEqual(wrong);
    expect(await said(told(ONE, 'matches'), taken(ONE))).toEqual(wrong);
    expect(await said(taken(OTHER), told(ONE, 'matches'))).toEqual(wrong);
    expect(await said(taken(ONE, 1), told(ONE, 'matches'))).toEqual(wrong);
    expect(await said(told(ONE, 'differs'))).toEqual([]);
  });
});

it('what verify says of a finding that is no longer contested', async () => {
  const { of } = logOf(...begun, told(ONE, 'matches', { contested: true }), told(ONE, 'matches'));
  expect(await saidBy(truthfulSettlement, of(ONE))).toEqual(['it was contested before']);
});
