import { idFor } from '../../../../kernel/aggregates';
import { type RecordedEvent } from '../../../../platform/event-store/event-store.port';
import { ownStreams } from './own-streams';
import { saidBy } from './said.fixtures';

const of = { connection_id: 'con_1', merchant_id: 'mer_1', device_id: 'dev_1' };
const event = (type: string, data: object): RecordedEvent => ({ type, data }) as RecordedEvent;
const requestEvent = (type: string, data: object = {}) => event(type, { request_id: 'pr_1', ...of, ...data });
const created = requestEvent('PaymentRequestCreated');

const said = (stream: string, ...given: readonly RecordedEvent[]) =>
  saidBy(
    ownStreams,
    given.map((one, index) => ({ ...one, stream, version: index + 1 })),
  );

describe('what verify says of the stream that an event is in', () => {
  it('finds nothing where each event is in its own', async () => {
    // Nobody signed what expired, so that names no wallet.
    const expired = event('PaymentRequestExpired', { request_id: 'pr_1', connection_id: 'con_1' });
    expect(await said('payment_request-pr_1', created, requestEvent('PaymentRequestSigned'), expired)).toEqual([]);
    expect(await said('recipient-rcp_1', event('RecipientCreated', { recipient_id: 'rcp_1' }))).toEqual([]);
    expect(await said('service_secret-main', event('ServiceSecretAdopted', {}))).toEqual([]);
    const spent = { grant_id: 'grt_1', merchant_id: 'mer_1' };
    const issued = event('GrantIssued', { ...spent, merchant_id: null });
    expect(await said('grant-grt_1', issued, event('GrantSpentOnMerchant', spent))).toEqual([]);
  });

  it('finds nothing in a request under a name that its caller chose, or in the stream of a key', async () => {
    const named = requestEvent('PaymentRequestCreated', { request_id: 'order-7' });
    expect(await said(`payment_request-${idFor.requestOfName('mer_1', 'order-7')}`, named)).toEqual([]);
    // In older logs the name is the stream's own.
    expect(await said('payment_request-order-7', named)).toEqual([]);
    expect(await said('payment_request-pr_1', event('PaymentRequestKeyTaken', of), created)).toEqual([]);
    const assigned = requestEvent('PaymentRequestKeyAssigned', { request_id: 'order-7' });
    expect(await said('payment_request-pr_1', assigned)).toEqual([]);
  });

  it('finds nothing where a key was refused over one connection and used over another', async () => {
    const [refused, made] = ['AgentPaymentRefused', 'AgentPaymentCreated'].map((type, index) =>
      event(type, { payment_id: 'ap_1', merchant_id: 'mer_1', connection_id: `con_${index}` }),
    ) as [RecordedEvent, RecordedEvent];
    expect(await said('agent_payment-ap_1', refused, made)).toEqual([]);
    const foreign = event('AgentPaymentCreated', { payment_id: 'ap_1', merchant_id: 'mer_2' });
    expect(await said('agent_payment-ap_1', refused, foreign)).toEqual(['its merchant_id is not the one before it']);
  });

  it('knows that the connections of one device take turns in a place', async () => {
    const taken = (changes: object) =>
      event('PaymentIntentTaken', { request_id: 'pr_2', merchant_id: 'mer_1', device_id: 'dev_1', ...changes });
    const first = taken({ connection_id: 'con_1' });
    expect(await said('payment_intent-pr_1', first, taken({ connection_id: 'con_2' }))).toEqual([]);
    expect(await said('payment_intent-pr_1', first, taken({ device_id: 'dev_2' }))).toEqual([
      'its device_id is not the one before it',
    ]);
  });

  it('finds an event of another kind', async () => {
    const [request, lock] = ['payment_request-pr_1', 'payment_intent-pr_1'];
    const what = (type: string, category: string) => [`${type} is not an event of the category ${category}`];
    expect(await said(lock, created)).toEqual(what('PaymentRequestCreated', 'payment_intent'));
    expect(await said(request, created, requestEvent('AgentPaymentSigned'))).toEqual(
      what('AgentPaymentSigned', 'payment_request'),
    );
    expect(await said(request, created, requestEvent('toString'))).toEqual(what('toString', 'payment_request'));
  });

  it('finds an event about something else', async () => {
    expect(await said('recipient-rcp_1', event('RecipientCreated', { recipient_id: 'rcp_2' }))).toEqual([
      'it is about rcp_2',
    ]);
    expect(await said('payment_request-pr_2', created)).toEqual(['it is about pr_1']);
    const confirmed = requestEvent('PaymentRequestConfirmed', { request_id: 'pr_2' });
    expect(await said('payment_request-pr_1', created, confirmed)).toEqual(['it is about pr_2']);
    expect(await said('payment_request-pr_2', created, confirmed)).toEqual(['it is about pr_1', 'it is about pr_2']);
    const named = requestEvent('PaymentRequestCreated', { request_id: 'order-7' });
    const place = `payment_request-${idFor.requestOfName('mer_2', 'order-7')}`;
    expect(await said(place, named)).toEqual(['it is about order-7']);
  });

  it.each(Object.keys(of))('finds another %s than before', async (name) => {
    const signed = requestEvent('PaymentRequestSigned', { [name]: 'other' });
    const what = `its ${name} is not the one before it`;
    expect(await said('payment_request-pr_1', created, signed, requestEvent('PaymentRequestBroadcasted'))).toEqual([
      what,
    ]);
  });
});
