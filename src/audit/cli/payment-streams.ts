import { type EventStore, type RecordedEvent } from '../../platform/event-store/event-store.port';
import { streamName } from '../../platform/event-store/stream-name';
import { derivedId } from '../../kernel/ids';
import { type DataOf, is } from './every-event';

type Store = Pick<EventStore, 'readStream'>;
type Streams = ReadonlyMap<string, readonly RecordedEvent[]>;
type Names = Readonly<{
  merchant_id: string;
  connection_id: string;
  recipient_id: string;
  agent_id?: string;
  device_id?: string;
  policy_id?: string | null;
}>;

/** A payment and every stream it rests on, each whole; its own comes last. Empty if there is no such payment. */
export async function streamsBehind(store: Store, id: string): Promise<Streams> {
  const own = streamName(id.startsWith('ap_') ? 'agent_payment' : 'payment_request', id);
  const payment = await store.readStream(own);
  const created = payment.find(({ type }) => type === 'PaymentRequestCreated' || type === 'AgentPaymentCreated');
  const first = created ?? payment.find(({ type }) => type === 'AgentPaymentRefused');
  if (first === undefined) return new Map();
  const names = first.data as Names;
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

/** What the connection came from. */
function originOf([created]: readonly RecordedEvent[]): readonly string[] {
  if (!is(created, 'ConnectionCreated')) return [];
  const { origin_id: origin } = created.data;
  return [streamName(origin.startsWith('prs_') ? 'pairing_session' : 'connect_invitation', origin)];
}

/** Where an idempotency key points from, and what the agent said the payment is for. */
function namedBeside(own: string, request: DataOf<'PaymentRequestCreated'>): readonly string[] {
  const { connection_id, idempotency_key, transaction_id } = request;
  const key = idempotency_key && streamName('payment_request', derivedId('pr', connection_id, 'key', idempotency_key));
  const context = transaction_id && derivedId('txn', connection_id, 'transaction', transaction_id);
  return [...(key && key !== own ? [key] : []), ...(context ? [streamName('transaction_context', context)] : [])];
}
