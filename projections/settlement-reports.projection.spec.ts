import { type DomainEvent } from '../src/kernel/decider';
import { AT, GivenLog } from '../test/support/given-log';
import { settlementReports, settlementReportsProjection } from './settlement-reports.projection';

const happened = (type: string, transaction_hash?: string | null): DomainEvent => ({
  type,
  data: { transaction_hash },
});

describe.each([
  ['PaymentRequest', 'payment_request-pr_1'],
  ['AgentPayment', 'agent_payment-ap_1'],
])('the reports of a %s', (kind, stream) => {
  it('name a transaction once, at the place in the log of the first of them', async () => {
    const log = new GivenLog([settlementReportsProjection]);
    log.happens(
      stream,
      happened(`${kind}Created`),
      happened(`${kind}Signed`, 'h1'),
      happened(`${kind}Broadcasted`, 'h2'),
    );
    log.happens(stream, happened(`${kind}Confirmed`, 'h2'), happened(`${kind}LateReport`, 'h1'));
    const order = (place: number): string => `0000000000000000000${place}`;
    await log.leadsTo(settlementReports, `h1 ${stream}`, { hash: 'h1', stream, order: order(2), occurred_at: AT });
    await log.leadsTo(settlementReports, `h2 ${stream}`, { hash: 'h2', stream, order: order(3), occurred_at: AT });
    expect(log.of(settlementReports)).toHaveLength(2);
  });
  it('need not name one', async () => {
    const log = new GivenLog([settlementReportsProjection]);
    log.happens(stream, happened(`${kind}Created`), happened(`${kind}Signed`), happened(`${kind}LateReport`, null));
    await log.projected();
    expect(log.of(settlementReports)).toEqual([]);
  });
});
