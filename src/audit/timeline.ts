import { type RecipientDocument } from '../../projections/recipients.projection';
import { type RecordedEvent } from '../platform/event-store/event-store.port';
import { parseStreamName } from '../platform/event-store/stream-name';
import { sentenceFor } from './cli/event-sentences';
import { mayKnow, type Viewer } from './log/visibility';
import { AGENT_PAYMENT_STATUS_AFTER } from '../capabilities/payments/payment-standing';
import { type Settlement, settlementView } from '../kernel/settlement';
import { PAYMENT_REQUEST_STATUS_AFTER } from '../events/payment-request.events';

type Fields = Readonly<Record<string, unknown>>;

/** How a caller authenticated; the service itself needs no credential. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  connection: 'connection_token',
  wallet_device: 'device_token',
  merchant_account: 'merchant_session',
  agent: 'agent_token',
  api_key: 'api_key',
};

/** Must not include the hash of a secret, a digest of input, or which wallet it was. */
const SHOWN_FIELDS = [
  'amount',
  'payee',
  'transaction_id',
  'recipient_version_id',
  'expires_at',
  'transaction_hash',
  'ledger',
  'reason',
  'reported_status',
  'withdrawn_by',
  'withdrawn_reason',
  'settlement',
  'contested',
] as const;

/** Who asked for it, by the names the person agreed to, and the payee's version. */
export type TimelinePayment = Readonly<{ agentName: string; merchantName: string; recipient_version_id: string }>;

const STATUS_AFTER: Readonly<Record<string, string | null>> = {
  ...PAYMENT_REQUEST_STATUS_AFTER,
  ...AGENT_PAYMENT_STATUS_AFTER,
};

/** One event of a payment's life, as one of its parties may see it. */
export function timelineEntry(
  event: RecordedEvent,
  payment: TimelinePayment,
  recipient: RecipientDocument | undefined,
  viewer: Viewer,
) {
  const { metadata, version, type } = event;
  const { kind, id } = metadata.actor;
  const data = event.data as Fields;
  const isKnown = mayKnow(viewer, metadata.actor);
  // Events of other streams have no status.
  const status = Object.hasOwn(STATUS_AFTER, type) ? (STATUS_AFTER[type] ?? null) : null;
  return {
    event_id: metadata.event_id,
    version,
    type: nameOf(event),
    occurred_at: metadata.occurred_at,
    actor: { kind, name: actorName(kind, payment), ...(isKnown ? { id } : {}) },
    credential: kind in CREDENTIALS ? { kind: CREDENTIALS[kind], ...(isKnown ? { id } : {}) } : null,
    ...(isKnown ? { request_id: metadata.request_id } : {}),
    ...(status === null ? {} : { status, previous_status: data['previous_status'] ?? null }),
    summary: sentenceFor(event),
    data: Object.fromEntries(
      SHOWN_FIELDS.flatMap((name) =>
        data[name] === undefined || data[name] === null ? [] : [[name, shown(name, data[name])]],
      ),
    ),
    evidence: evidenceOf(event, payment, recipient),
  };
}

/** `payment_request.created` for PaymentRequestCreated of its stream. */
function nameOf({ stream, type }: RecordedEvent): string {
  const { category } = parseStreamName(stream);
  const words = type.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase();
  return words.startsWith(`${category}_`) ? `${category}.${words.slice(category.length + 1)}` : words;
}

/** A wallet has no name, and the service uses its own. */
function actorName(kind: string, { agentName, merchantName }: TimelinePayment): string {
  if (kind === 'connection' || kind === 'agent') return agentName;
  if (kind === 'merchant_account' || kind === 'api_key') return merchantName;
  return kind === 'wallet_device' ? 'Wallet' : 'svc';
}

/** A finding without the transaction itself, which the proof contains. */
const shown = (name: string, value: unknown): unknown =>
  name === 'settlement' ? settlementView(value as Settlement) : value;

/** The evidence for the event: the payee's proof at creation, the wallet's transaction once it was paid. */
function evidenceOf({ type, data }: RecordedEvent, payment: TimelinePayment, recipient?: RecipientDocument) {
  if (type === 'PaymentRequestCreated' || type === 'AgentPaymentCreated') {
    const version = recipient?.versions.find((one) => one.recipient_version_id === payment.recipient_version_id);
    if (version === undefined || version.evidence === null) return null;
    const { evidence_id, evidence_digest, proof, verified_at } = version.evidence;
    const { domain, method, verified_at: proven_at } = proof;
    return { evidence_id, evidence_digest, verified_at, domain, method, proven_at };
  }
  const { transaction_hash, ledger } = data as Fields;
  if (typeof transaction_hash !== 'string') return null;
  return { transaction_hash, ...(typeof ledger === 'number' ? { ledger } : {}) };
}
