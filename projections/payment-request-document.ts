import { shortestAmount } from '../src/kernel/amounts';
import { isFinal } from '../src/kernel/payment-progress';
import { type RecipientFacts } from '../src/capabilities/recipients/recipient.events';
import {
  type PaymentRequestCreated,
  type PaymentRequestEvent,
  type PaymentRequestStatus,
} from '../src/capabilities/payment-requests/payment-request.events';

/** A payment request as reads show it, with what its owners are searched by. */
export type PaymentRequestDocument = Readonly<{
  id: string;
  connection_id: string;
  device_id: string;
  agent_id: string;
  merchant_id: string;
  transaction_id: string | null;
  idempotency_key: string | null;
  recipient_id: string;
  recipient_version_id: string;
  payee: PaymentRequestCreated['data']['payee'];
  facts: RecipientFacts;
  amount: string;
  /** Free-form objects are kept as JSON text: whatever their keys, no store makes anything of them. */
  source: string;
  display: string | null;
  metadata: string | null;
  status: PaymentRequestStatus;
  transaction_hash: string | null;
  ledger: number | null;
  reason: string | null;
  created_at: string;
  expires_at: string;
  updated_at: string;
  version: number;
  /** True while it can still run out; null takes it out of the index. */
  open: true | null;
  /** What it asks for, while that is open or done: two of one connection that say the same may be one by mistake. */
  same_as: string | null;
}>;

/** The document after one more event of the request's own stream; undefined while there is no request. */
export function nextPaymentRequest(
  current: PaymentRequestDocument | undefined,
  event: PaymentRequestEvent,
  version: number,
): PaymentRequestDocument | undefined {
  if (event.type === 'PaymentRequestCreated') return created(event.data, version);
  if (event.type === 'PaymentRequestKeyAssigned' || current === undefined) return current;
  const touched = { ...current, updated_at: event.data.at, version };
  switch (event.type) {
    case 'PaymentRequestSigned':
      return { ...touched, status: 'signed', open: null };
    case 'PaymentRequestBroadcasted':
      return { ...touched, status: 'broadcasted', transaction_hash: event.data.transaction_hash };
    case 'PaymentRequestConfirmed': {
      const { transaction_hash, ledger } = event.data;
      return { ...touched, status: 'confirmed', transaction_hash, ledger };
    }
    case 'PaymentRequestFailed':
      return { ...touched, status: 'failed', reason: event.data.reason, open: null, same_as: null };
    case 'PaymentRequestRejected':
      return { ...touched, status: 'rejected', reason: event.data.reason, open: null, same_as: null };
    case 'PaymentRequestExpired':
      return { ...touched, status: 'expired', open: null, same_as: null };
    case 'PaymentRequestLateReport':
      return touched;
    default:
      return current;
  }
}

/** Recipient and amount, however it is spelt. */
export const sameAs = ({ recipient_id, amount }: Readonly<{ recipient_id: string; amount: string }>): string =>
  `${recipient_id} ${shortestAmount(amount)}`;

function created(data: PaymentRequestCreated['data'], version: number): PaymentRequestDocument {
  const { request_id: id, intent_digest: _digest, source, display, metadata, ...rest } = data;
  return {
    id,
    ...rest,
    source: JSON.stringify(source),
    display: display && JSON.stringify(display),
    metadata: metadata && JSON.stringify(metadata),
    status: 'pending',
    transaction_hash: null,
    ledger: null,
    reason: null,
    updated_at: data.created_at,
    version,
    open: true,
    same_as: sameAs(data),
  };
}

/** What callers see. A field that does not apply is absent. */
export const paymentRequestView = (document: PaymentRequestDocument) => ({
  protocol: 'svc.payment_request.v1',
  request_id: document.id,
  connection_id: document.connection_id,
  ...given({ transaction_id: document.transaction_id }),
  created_at: document.created_at,
  expires_at: document.expires_at,
  ...given({ idempotency_key: document.idempotency_key }),
  status: document.status,
  source: parsed(document.source),
  payee: document.payee,
  payment: paymentOf(document),
  policy: { requires_user_approval: true },
  ...given({ display: document.display && parsed(document.display) }),
  ...given({ metadata: document.metadata && parsed(document.metadata) }),
  recipient_id: document.recipient_id,
  recipient_version_id: document.recipient_version_id,
  ...given({ transaction_hash: document.transaction_hash, ledger: document.ledger, reason: document.reason }),
  version: document.version,
  is_final: isFinal(document.status),
  updated_at: document.updated_at,
});

export type PaymentRequestView = ReturnType<typeof paymentRequestView>;

const paymentOf = ({ facts, amount }: PaymentRequestDocument) => ({
  rail: facts.rail,
  network: facts.network,
  asset: facts.asset,
  amount,
  to: facts.address,
  ...given({
    contract: facts.contract,
    issuer: facts.issuer,
    decimals: facts.decimals,
    chain_id: facts.chain_id,
    memo: facts.memo,
  }),
});

type Given<T> = { [Name in keyof T]?: NonNullable<T[Name]> };

const given = <T extends object>(fields: T): Given<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Given<T>;

const parsed = (text: string): Readonly<Record<string, unknown>> => JSON.parse(text) as Record<string, unknown>;
