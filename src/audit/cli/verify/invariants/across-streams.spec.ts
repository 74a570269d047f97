import { payment, policyId } from '../../../../capabilities/agent-payments/agent-payment.fixtures';
import { reserved } from '../../../../capabilities/agent-payments/policy-budget.fixtures';
import { type RecordedEvent } from '../../../../platform/event-store/event-store.port';
import { type Invariant } from '../invariant';
import { liveConnection } from './connections';
import { policyBehindPayment } from './policies';
import { saidBy } from './said.fixtures';
import { traceableDelivery } from './webhooks';

const at = (minute: number): string => new Date(Date.parse(payment.created_at) + minute * 60_000).toISOString();
const event = (stream: string, version: number, type: string, data: object, minute = 0): RecordedEvent =>
  ({
    stream,
    version,
    type,
    data,
    position: BigInt(version),
    metadata: { event_id: `evt_${stream}_${version}`, occurred_at: at(minute) },
  }) as unknown as RecordedEvent;

const said = (invariant: Invariant, events: readonly RecordedEvent[], ...others: readonly RecordedEvent[]) =>
  saidBy(invariant, events, others);

describe('what verify says of a payment that an agent made alone', () => {
  const stream = `automation_policy-${policyId}`;
  const reservation = event(stream, 3, 'AmountReserved', reserved().data);
  const made = (changes: object = {}) =>
    said(
      policyBehindPayment,
      [event('agent_payment-1', 1, 'AgentPaymentCreated', { ...payment, ...changes })],
      reservation,
    );

  it('finds nothing in the payment that was reserved, nor in one that a person decided', async () => {
    expect(await made()).toEqual([]);
    expect(await made({ initiator: 'human', policy_id: null, reservation_id: null })).toEqual([]);
  });

  it.each([
    ['another amount', { amount: '2.51' }],
    ['no reservation', { reservation_id: null }],
    ['no policy', { policy_id: null }],
  ])('finds %s', async (_, changes) => {
    const { amount, policy_id } = { ...payment, ...changes };
    expect(await made(changes)).toEqual([`${amount} was not reserved for it under ${policy_id}`]);
  });

  it.each(['payment_id', 'recipient_id', 'recipient_version_id', 'connection_id'])(
    'finds a second use of a reservation, with another %s',
    async (name) => {
      expect(await made({ [name]: 'other' })).toEqual([`${payment.reservation_id} was for another ${name}`]);
    },
  );
});

describe('what verify says of a payment over a connection', () => {
  const { connection_id, device_id, agent_id, merchant_id } = payment;
  const stream = `connection-${connection_id}`;
  const agreed = { connection_id, device_id, agent_id, merchant_id };
  const created = event(stream, 1, 'ConnectionCreated', agreed, -60);
  const [paused, resumed] = [
    event(stream, 2, 'ConnectionPaused', {}, -50),
    event(stream, 3, 'ConnectionResumed', {}, -40),
  ];
  const revoked = event(stream, 2, 'ConnectionRevoked', {}, -50);
  const over = (...connection: readonly RecordedEvent[]) =>
    said(liveConnection, [event('agent_payment-1', 9, 'AgentPaymentCreated', payment)], ...connection);

  it('finds nothing while it was open', async () => {
    expect(await over(created)).toEqual([]);
    expect(await over(created, paused, resumed)).toEqual([]);
    expect(await over(created, event(stream, 2, 'ConnectionRevoked', {}, 1))).toEqual([]);
  });

  it('finds one that was closed', async () => {
    const byWhat = `connection ${connection_id} was closed by evt_${stream}_2`;
    expect(await over(created, paused)).toEqual([byWhat]);
    expect(await over(created, revoked)).toEqual([byWhat]);
    expect(await over(created, paused, event(stream, 3, 'ConnectionResumed', {}, 5))).toEqual([byWhat]);
    // A revocation is for good.
    expect(await over(created, revoked, resumed)).toEqual([byWhat]);
  });

  it.each(Object.keys(agreed).slice(1))('finds one of another %s', async (name) => {
    const other = event(stream, 1, 'ConnectionCreated', { ...agreed, [name]: 'other' }, -60);
    expect(await over(other)).toEqual([`connection ${connection_id} is between other parties`]);
  });

  it('finds one that never was', async () => {
    expect(await over()).toEqual([`there is no connection ${connection_id}`]);
  });
});

describe('what verify says of a webhook delivery', () => {
  const endpoint = event('webhook_endpoint-whe_1', 1, 'WebhookEndpointCreated', { merchant_id: 'mer_1' });
  const subject = [
    event('payment_request-pr_1', 1, 'PaymentRequestCreated', { merchant_id: 'mer_1' }),
    event('payment_request-pr_1', 2, 'PaymentRequestSigned', {}),
  ];
  const reports = { event_id: 'evt_payment_request-pr_1_2', event_type: 'payment_request.signed', subject_id: 'pr_1' };
  const told = {
    delivery_id: 'whd_1',
    endpoint_id: 'whe_1',
    merchant_id: 'mer_1',
    ...reports,
    sequence: 2,
    attempts: 1,
  };
  const delivered = (changes: object = {}, attempt = 2, request = subject) =>
    said(
      traceableDelivery,
      [
        event('webhook_delivery-whd_1', 1, 'WebhookDeliveryOpened', { ...told, ...changes }),
        event('webhook_delivery-whd_1', 2, 'WebhookDeliveryAttempted', { number: attempt }),
      ],
      endpoint,
      ...request,
    );

  it('finds nothing in one that reports what happened', async () => {
    expect(await delivered()).toEqual([]);
  });

  it('finds an event of another merchant', async () => {
    const [, signed] = subject;
    const foreign = event('payment_request-pr_1', 1, 'PaymentRequestCreated', { merchant_id: 'mer_2' });
    expect(await delivered({}, 2, [foreign, signed as RecordedEvent])).toEqual([
      'payment_request-pr_1 is not the merchant’s',
    ]);
  });

  it('finds an event reported as another', async () => {
    expect(await delivered({ event_type: 'payment_request.confirmed' })).toEqual([
      'evt_payment_request-pr_1_2 is not payment_request.confirmed',
    ]);
  });

  it('finds an event that never was, an attempt left out and the endpoint of another', async () => {
    const nowhere = 'evt_payment_request-pr_1_2 is not event 1 of payment_request-pr_1';
    expect(await delivered({ sequence: 1 })).toEqual([nowhere]);
    expect(await delivered({}, 3)).toEqual(['attempt 2 is missing']);
    expect(await delivered({ endpoint_id: 'whe_2' })).toEqual(['endpoint whe_2 is not the merchant’s']);
  });
});
