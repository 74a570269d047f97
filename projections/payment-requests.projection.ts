import { notFollowed } from '../src/kernel/assert-never';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { type PaymentRequestEvent } from '../src/events/payment-request.events';
import { nextPaymentRequest, type PaymentRequestDocument, requestPlace } from './payment-request-document';
import { collection, ignored, type Projection, type Step } from '../src/platform/read-model/projection';

export const paymentRequests = collection<PaymentRequestDocument>('payment_requests', {
  by_connection: { equals: ['connection_id'], sort: 'created_at' },
  by_connection_and_status: { equals: ['connection_id', 'status'], sort: 'created_at' },
  by_device: { equals: ['device_id'], sort: 'created_at' },
  by_device_and_status: { equals: ['device_id', 'status'], sort: 'created_at' },
  by_device_and_chosen_id: { equals: ['device_id', 'chosen_id'], sort: 'created_at' },
  by_merchant: { equals: ['merchant_id'], sort: 'created_at' },
  by_merchant_and_status: { equals: ['merchant_id', 'status'], sort: 'created_at' },
  by_merchant_and_agent: { equals: ['merchant_id', 'agent_id'], sort: 'created_at' },
  by_merchant_and_recipient: { equals: ['merchant_id', 'recipient_id'], sort: 'created_at' },
  by_transaction: { equals: ['merchant_id', 'transaction_id'], sort: 'created_at' },
  by_idempotency_key: { equals: ['merchant_id', 'idempotency_key'], sort: 'created_at' },
  by_transaction_hash: { equals: ['merchant_id', 'transaction_hash'], sort: 'created_at' },
  by_device_intent: { equals: ['device_id', 'same_as'], sort: 'created_at' },
  by_agent_key: { equals: ['device_id', 'agent_id', 'idempotency_key'], sort: 'created_at' },
  due: { equals: ['open'], sort: 'expires_at' },
});

export const paymentRequestsProjection: Projection = {
  name: 'payment-requests',
  version: 6,
  collections: [paymentRequests],
  project: (recorded) => steps(recorded as RecordedEvent & PaymentRequestEvent),
};

function steps(event: RecordedEvent & PaymentRequestEvent): readonly Step[] {
  switch (event.type) {
    case 'PaymentRequestCreated':
    case 'PaymentRequestSigned':
    case 'PaymentRequestBroadcasted':
    case 'PaymentRequestConfirmed':
    case 'PaymentRequestFailed':
    case 'PaymentRequestRejected':
    case 'PaymentRequestExpired':
    case 'PaymentRequestWithdrawn':
    case 'PaymentRequestLateReport':
    case 'PaymentRequestSettlementObserved':
    case 'PaymentRequestSettlementCheckRequested':
      return [step(event)];
    case 'PaymentRequestKeyAssigned':
    case 'PaymentRequestKeyTaken':
      return ignored;
    default:
      return notFollowed(event, ignored);
  }
}

/** An event of the request itself; the others of its stream are about the key that leads to it. */
type OfRequest = Exclude<PaymentRequestEvent, { type: 'PaymentRequestKeyAssigned' | 'PaymentRequestKeyTaken' }>;

const step = (event: RecordedEvent & OfRequest): Step => ({
  collection: paymentRequests,
  id: requestPlace(event).id,
  next: (current) => {
    const document = nextPaymentRequest(current as PaymentRequestDocument | undefined, event, requestPlace(event));
    if (document === undefined) throw new Error(`${event.type} before ${event.data.request_id} was created`);
    return { document };
  },
  isNew: event.type === 'PaymentRequestCreated',
});
