import { type EventStore, type RecordedEvent } from '../../platform/event-store/event-store.port';
import { streamName, streamOfOrigin } from '../../platform/event-store/stream-name';
import { type DataOf, is } from '../../events';
import { resolveStream } from './resolve-stream';
import { idFor } from '../../kernel/aggregates';
import {
  type AgentId,
  type ConnectionId,
  type WalletDeviceId,
  type MerchantId,
  type PolicyId,
  type RecipientId,
} from '../../kernel/aggregates';

type Streams = ReadonlyMap<string, readonly RecordedEvent[]>;
type LinkedIds = Readonly<{
  merchant_id: MerchantId;
  connection_id: ConnectionId;
  recipient_id: RecipientId;
  agent_id?: AgentId;
  device_id?: WalletDeviceId;
  policy_id?: PolicyId | null;
}>;

/** Every stream that a payment depends on, complete, with its own last. Empty if there is no such payment. */
export async function streamsBehind(store: EventStore, id: string): Promise<Streams> {
  const own = await resolveStream(store, id, ['payment_request', 'agent_payment']);
  const payment = await store.readStream(own);
  const created = payment.find(({ type }) => type === 'PaymentRequestCreated' || type === 'AgentPaymentCreated');
  const first = created ?? payment.find(({ type }) => type === 'AgentPaymentRefused');
  if (first === undefined) return new Map();
  const names = first.data as LinkedIds;
  const connected = streamName('connection', names.connection_id);
  const connection = await store.readStream(connected);
  const others = [
    streamName('merchant', names.merchant_id),
    streamName('recipient', names.recipient_id),
    ...(names.agent_id ? [streamName('agent', names.agent_id)] : []),
    ...(names.device_id ? [streamName('wallet_device', names.device_id)] : []),
    ...(names.policy_id ? [streamName('automation_policy', names.policy_id)] : []),
    ...originOf(connection),
    ...(is(first, 'PaymentRequestCreated') ? namedBeside(own, first.data) : []),
  ];
  const read = await Promise.all(others.map(async (name) => [name, await store.readStream(name)] as const));
  return new Map([...read.filter(([, events]) => events.length > 0), [connected, connection], [own, payment]]);
}

/** The invitation or pairing session that the connection came from. */
function originOf([created]: readonly RecordedEvent[]): readonly string[] {
  if (!is(created, 'ConnectionCreated')) return [];
  const { origin_id: origin } = created.data;
  return [streamOfOrigin(origin)];
}

/** The stream that the idempotency key was assigned in, and the context in which the agent explained the payment. */
function namedBeside(own: string, request: DataOf<'PaymentRequestCreated'>): readonly string[] {
  const { connection_id, idempotency_key, transaction_id } = request;
  const key = idempotency_key && streamName('payment_request', idFor.requestOfKey(connection_id, idempotency_key));
  const context = transaction_id && idFor.transactionContext(connection_id, transaction_id);
  return [...(key && key !== own ? [key] : []), ...(context ? [streamName('transaction_context', context)] : [])];
}
