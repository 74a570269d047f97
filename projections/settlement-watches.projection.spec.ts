import { type DomainEvent } from '../src/kernel/decider';
import { GivenLog } from '../test/support/given-log';
import { settlementWatches, settlementWatchesProjection } from './settlement-watches.projection';

const [FIRST, LATER] = ['2030-01-01T00:00:00.000Z', '2030-01-01T00:00:09.000Z'];
const happened = (type: string, at: string, ledger?: number | null): DomainEvent => ({
  type,
  data: { at, ...(ledger === undefined ? {} : { settlement: { ledger } }) },
});

describe.each([
  ['PaymentRequest', 'payment_request-pr_1'],
  ['AgentPayment', 'agent_payment-ap_1'],
])('the search for the transaction of a %s', (kind, stream) => {
  const log = (...events: readonly DomainEvent[]) =>
    new GivenLog([settlementWatchesProjection]).happens(stream, happened(`${kind}Confirmed`, FIRST), ...events);

  it('is open from the confirmation until it is seen in a ledger', async () => {
    await log().leadsTo(settlementWatches, stream, { since: FIRST, open: true });
    const missing = happened(`${kind}SettlementObserved`, LATER, null);
    await log(missing).leadsTo(settlementWatches, stream, { since: FIRST, open: true });
    const seen = happened(`${kind}SettlementObserved`, LATER, 7);
    await log(missing, seen).leadsTo(settlementWatches, stream, { since: FIRST, open: null });
  });
});

it('is open again for whoever takes a transfer, until that is recorded', async () => {
  const stream = 'payment_request-pr_1';
  const taken = {
    type: 'SettlementTransferTaken',
    data: { payment: { kind: 'payment_request', id: 'pr_1' }, at: LATER },
  };
  const log = new GivenLog([settlementWatchesProjection]);
  log.happens(stream, happened('PaymentRequestSettlementObserved', FIRST, 7));
  log.happens('settlement_claim-stellar_testnet_ab', taken);
  await log.leadsTo(settlementWatches, stream, { since: LATER, open: true });
  log.happens(stream, happened('PaymentRequestSettlementObserved', LATER, 7));
  await log.leadsTo(settlementWatches, stream, { since: LATER, open: null });
});

it('a search that a merchant asks for begins anew', async () => {
  const stream = 'payment_request-pr_1';
  const seen = happened('PaymentRequestSettlementObserved', FIRST, 7);
  const asked = happened('PaymentRequestSettlementCheckRequested', LATER);
  const log = new GivenLog([settlementWatchesProjection]);
  log.happens(stream, happened('PaymentRequestConfirmed', FIRST), seen, asked);
  await log.leadsTo(settlementWatches, stream, { since: LATER, open: true });
});
