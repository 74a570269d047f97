import { notFollowed } from '../src/kernel/assert-never';
import { withoutNulls } from '../src/kernel/without-nulls';
import { isFinal, type LateMoney, WITHDRAWN, type Withdrawer } from '../src/kernel/payment-progress';
import { type SettlementView } from '../src/kernel/settlement';
import { lateView, reportedIn, sameAs, withFinding, withLateReport, withTransactionHash } from './reported-transaction';
import { type RecipientFacts } from '../src/events/recipient.events';
import {
  PAYMENT_REQUEST_PROTOCOL,
  type PaymentRequestCreated,
  type PaymentRequestEvent,
  type PaymentRequestStatus,
} from '../src/events/payment-request.events';
import {
  type AgentId,
  type ConnectionId,
  type WalletDeviceId,
  type MerchantId,
  type RecipientId,
  type RecipientVersionId,
} from '../src/kernel/aggregates';

/** A payment request as reads show it, with the fields that its owners search by. */
export type PaymentRequestDocument = Readonly<{
  /** The stream's id: unique across all tenants, unlike a name that the caller chose. */
  id: string;
  /** What its parties call it: the same as the id, unless the caller chose a name. */
  request_id: string;
  /** The name again if the caller chose it; null for one of ours, which is found by its id. */
  chosen_id: string | null;
  connection_id: ConnectionId;
  device_id: WalletDeviceId;
  agent_id: AgentId;
  merchant_id: MerchantId;
  transaction_id: string | null;
  /** The pinned revision of the context; null if none is named, or if it is from before this was recorded. */
  context_revision: number | null;
  idempotency_key: string | null;
  recipient_id: RecipientId;
  recipient_version_id: RecipientVersionId;
  payee: PaymentRequestCreated['data']['payee'];
  facts: RecipientFacts;
  amount: string;
  /** Free-form objects are kept as JSON text, so that no store interprets their keys. */
  source: string;
  display: string | null;
  metadata: string | null;
  status: PaymentRequestStatus;
  /** The one reported last, also after the end. */
  transaction_hash: string | null;
  /** The one reported last in time, which reads show beside `late`. */
  timely_hash: string | null;
  ledger: number | null;
  reason: string | null;
  withdrawn_by: Withdrawer | null;
  /** In the words of who withdrew it. */
  withdrawn_reason: string | null;
  /** The last transaction that was reported after the end; null if none was. */
  late: LateMoney | null;
  /** What the service saw of the transaction on the network; null while it has not looked. */
  settlement: SettlementView | null;
  /** Other payments claim what settles this one, so that it is open who paid. */
  contested: boolean;
  created_at: string;
  expires_at: string;
  updated_at: string;
  version: number;
  /** True while it can still expire; null removes it from the index. */
  open: true | null;
  /** What it asks for, while it is open or done, or was paid late: two equal values for one device may be an accidental duplicate. */
  same_as: string | null;
}>;

/** The document after one more event of the request's own stream; undefined while there is no request. */
export function nextPaymentRequest(
  current: PaymentRequestDocument | undefined,
  event: PaymentRequestEvent,
  { id, version }: Readonly<{ id: string; version: number }>,
): PaymentRequestDocument | undefined {
  if (event.type === 'PaymentRequestCreated') return created(event.data, id, version);
  if (event.type === 'PaymentRequestKeyAssigned' || event.type === 'PaymentRequestKeyTaken') return current;
  if (current === undefined) return current;
  const touched = { ...current, updated_at: event.data.at, version };
  switch (event.type) {
    case 'PaymentRequestSigned':
      return { ...touched, status: 'signed', open: null, ...reportedIn(event.data) };
    case 'PaymentRequestBroadcasted':
      return {
        ...withTransactionHash(touched, event.data.transaction_hash),
        ...reportedIn(event.data),
        status: 'broadcasted',
      };
    case 'PaymentRequestConfirmed':
      return { ...touched, status: 'confirmed', ...reportedIn(event.data), ledger: event.data.ledger };
    case 'PaymentRequestFailed':
      return { ...touched, status: 'failed', reason: event.data.reason, open: null, same_as: null };
    case 'PaymentRequestRejected':
      return { ...touched, status: 'rejected', reason: event.data.reason, open: null, same_as: null };
    case 'PaymentRequestExpired':
      return { ...touched, status: 'expired', open: null, same_as: null };
    case 'PaymentRequestWithdrawn': {
      const { withdrawn_by, withdrawn_reason } = event.data;
      const withdrawn = { reason: WITHDRAWN, withdrawn_by, withdrawn_reason };
      return { ...touched, status: 'failed', ...withdrawn, open: null, same_as: null };
    }
    case 'PaymentRequestLateReport':
      return withLateReport(touched, event.data);
    case 'PaymentRequestSettlementCheckRequested':
      return touched;
    case 'PaymentRequestSettlementObserved':
      return { ...touched, ...withFinding(touched, event.data) };
    default:
      return notFollowed(event, current);
  }
}

/** Names that we generate; callers may not choose one with this prefix. */
export const isOurs = (name: string): boolean => name.startsWith('pr_');

/** The id of the request, from its stream's name, and the version of the event. */
export const requestPlace = ({ stream, version }: Readonly<{ stream: string; version: number }>) => ({
  id: stream.slice(stream.indexOf('-') + 1),
  version,
});

function created(data: PaymentRequestCreated['data'], id: string, version: number): PaymentRequestDocument {
  const { intent_digest: _digest, source, display, metadata, ...rest } = data;
  return {
    id,
    ...rest,
    chosen_id: isOurs(data.request_id) ? null : data.request_id,
    context_revision: data.context_revision ?? null,
    source: textOf(source),
    display: display && textOf(display),
    metadata: metadata && textOf(metadata),
    status: 'pending',
    transaction_hash: null,
    timely_hash: null,
    ledger: null,
    reason: null,
    withdrawn_by: null,
    withdrawn_reason: null,
    late: null,
    settlement: null,
    contested: false,
    updated_at: data.created_at,
    version,
    open: true,
    same_as: sameAs(data),
  };
}

/** What callers see. A field that does not apply is absent. */
export const paymentRequestView = (document: PaymentRequestDocument) => ({
  protocol: PAYMENT_REQUEST_PROTOCOL,
  request_id: document.request_id,
  connection_id: document.connection_id,
  ...withoutNulls({ transaction_id: document.transaction_id }),
  created_at: document.created_at,
  expires_at: document.expires_at,
  ...withoutNulls({ idempotency_key: document.idempotency_key }),
  status: document.status,
  source: parsed(document.source),
  payee: document.payee,
  payment: paymentOf(document),
  policy: { requires_user_approval: true },
  ...withoutNulls({ display: document.display && parsed(document.display) }),
  ...withoutNulls({ metadata: document.metadata && parsed(document.metadata) }),
  recipient_id: document.recipient_id,
  recipient_version_id: document.recipient_version_id,
  ...withoutNulls({ transaction_hash: document.timely_hash, ledger: document.ledger, reason: document.reason }),
  ...lateView(document),
  settlement: document.settlement,
  contested: document.contested,
  version: document.version,
  is_final: isFinal(document.status),
  updated_at: document.updated_at,
});

const paymentOf = ({ facts, amount }: PaymentRequestDocument) => ({
  rail: facts.rail,
  network: facts.network,
  asset: facts.asset,
  amount,
  to: facts.address,
  ...withoutNulls({
    contract: facts.contract,
    issuer: facts.issuer,
    decimals: facts.decimals,
    chain_id: facts.chain_id,
    memo: facts.memo,
  }),
});

/** The event that is answered from is also projected: what is free-form in it may be long, and is then written once. */
const longTexts = new WeakMap<object, string>();
/** A shorter one is written faster than it is kept and collected. */
const LONG = 4_096;

function textOf(value: object): string {
  const known = longTexts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  if (text.length > LONG) longTexts.set(value, text);
  return text;
}

const parsed = (text: string): Readonly<Record<string, unknown>> => JSON.parse(text) as Record<string, unknown>;
