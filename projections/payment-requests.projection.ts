import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { type PaymentRequestEvent } from '../src/capabilities/payment-requests/payment-request.events';
import { nextPaymentRequest, type PaymentRequestDocument, requestPlace } from './payment-request-document';
import { collection, type Projection, type Step } from './projection';

export const paymentRequests = collection<PaymentRequestDocument>('payment_requests', {
  by_connection: { equals: ['connection_id'], sort: 'created_at' },
  by_connection_and_status: { equals: ['connection_id', 'status'], sort: 'created_at' },
  by_device: { equals: ['device_id'], sort: 'created_at' },
  by_device_and_status: { equals: ['device_id', 'status'], sort: 'created_at' },
  by_device_and_request_id: { equals: ['device_id', 'request_id'], sort: 'created_at' },
  by_merchant: { equals: ['merchant_id'], sort: 'created_at' },
  by_merchant_and_status: { equals: ['merchant_id', 'status'], sort: 'created_at' },
  by_merchant_and_agent: { equals: ['merchant_id', 'agent_id'], sort: 'created_at' },
  by_merchant_and_recipient: { equals: ['merchant_id', 'recipient_id'], sort: 'created_at' },
  by_transaction: { equals: ['merchant_id', 'transaction_id'], sort: 'created_at' },
  by_idempotency_key: { equals: ['merchant_id', 'idempotency_key'], sort: 'created_at' },
  by_transaction_hash: { equals: ['merchant_id', 'transaction_hash'], sort: 'created_at' },
  by_intent: { equals: ['connection_id', 'same_as'], sort: 'created_at' },
  due: { equals: ['open'], sort: 'expires_at' },
});

const TYPES: ReadonlySet<string> = new Set<PaymentRequestEvent['type']>([
  'PaymentRequestCreated',
  'PaymentRequestSigned',
  'PaymentRequestBroadcasted',
  'PaymentRequestConfirmed',
  'PaymentRequestFailed',
  'PaymentRequestRejected',
  'PaymentRequestExpired',
  'PaymentRequestLateReport',
  'PaymentRequestSettlementObserved',
  'PaymentRequestSettlementCheckRequested',
]);

export const paymentRequestsProjection: Projection = {
  name: 'payment-requests',
  version: 2,
  collections: [paymentRequests],
  project: (recorded) => (TYPES.has(recorded.type) ? [step(recorded as RecordedEvent & PaymentRequestEvent)] : []),
};

const step = (event: RecordedEvent & PaymentRequestEvent): Step => ({
  collection: paymentRequests,
  id: requestPlace(event).id,
  next: (current) => {
    const document = nextPaymentRequest(current as PaymentRequestDocument | undefined, event, requestPlace(event));
    if (document === undefined) throw new Error(`${event.type} before ${event.data.request_id} was created`);
    return { document };
  },
  isNew: event.type === 'PaymentRequestCreated',
});
