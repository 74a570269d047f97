// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type Withdrawer } from '../kernel/payment-progress';
import { type Settlement } from '../kernel/settlement';
import { type RecipientFacts } from './recipient.events';
import {
  type AgentId,
  type ConnectionId,
  type WalletDeviceId,
  type MerchantId,
  type PaymentId,
  type RecipientId,
  type RecipientVersionId,
} from '../kernel/aggregates';

export const PAYMENT_REQUEST_PROTOCOL = 'svc.payment_request.v1';

export const PAYMENT_REQUEST_STATUSES = [
  'pending',
  'signed',
  'broadcasted',
  'confirmed',
  'failed',
  'expired',
  'rejected',
] as const;
export type PaymentRequestStatus = (typeof PAYMENT_REQUEST_STATUSES)[number];

/** Everything the request will ever say about who gets paid and how much. Later events only move its status. */
export type PaymentRequestCreated = Readonly<{
  type: 'PaymentRequestCreated';
  data: Readonly<{
    /** The id that the caller chose, unique within its merchant, or else the stream's own id. */
    request_id: string;
    connection_id: ConnectionId;
    device_id: WalletDeviceId;
    agent_id: AgentId;
    merchant_id: MerchantId;
    transaction_id: string | null;
    /**
     * The revision of the transaction context the person decides by, 0 if there was none; absent if no transaction is
     * named, or in older logs.
     */
    context_revision?: number;
    idempotency_key: string | null;
    /** sha256 over the canonical JSON of the accepted input: decides whether a repeat means the same. */
    intent_digest: string;
    recipient_id: RecipientId;
    recipient_version_id: RecipientVersionId;
    /** `verified`: whether the proof of the domain held; false where it was superseded or given up. */
    payee: Readonly<{ name: string; verified: boolean; domain: string }>;
    facts: RecipientFacts;
    amount: string;
    source: Readonly<Record<string, unknown>>;
    display: Readonly<Record<string, unknown>> | null;
    metadata: Readonly<Record<string, unknown>> | null;
    created_at: string;
    expires_at: string;
  }>;
}>;

type Moved<Type extends string, Extra extends object> = Readonly<{
  type: Type;
  data: Readonly<{
    request_id: string;
    connection_id: ConnectionId;
    transaction_id: string | null;
    previous_status: PaymentRequestStatus;
    at: string;
  }> &
    Readonly<Extra>;
}>;

export type PaymentRequestSigned = Moved<
  'PaymentRequestSigned',
  {
    device_id: WalletDeviceId;
    /** What was signed, named before the network saw it; absent if the wallet did not say. */
    transaction_hash?: string;
  }
>;
export type PaymentRequestBroadcasted = Moved<
  'PaymentRequestBroadcasted',
  { device_id: WalletDeviceId; transaction_hash: string }
>;
export type PaymentRequestConfirmed = Moved<
  'PaymentRequestConfirmed',
  { device_id: WalletDeviceId; transaction_hash: string; ledger: number | null }
>;
export type PaymentRequestFailed = Moved<'PaymentRequestFailed', { device_id: WalletDeviceId; reason: string }>;
export type PaymentRequestRejected = Moved<
  'PaymentRequestRejected',
  { device_id: WalletDeviceId; reason: string | null }
>;
export type PaymentRequestExpired = Moved<'PaymentRequestExpired', object>;

/** Nobody had signed yet, and now nobody may: the status becomes `failed`. */
export type PaymentRequestWithdrawn = Moved<
  'PaymentRequestWithdrawn',
  { withdrawn_by: Withdrawer; withdrawn_reason: string | null }
>;

/** Refused but recorded: money that moves late must be seen. The status stays as it is. */
export type PaymentRequestLateReport = Readonly<{
  type: 'PaymentRequestLateReport';
  data: Readonly<{
    request_id: string;
    connection_id: ConnectionId;
    /** Absent in older logs, as is the status. */
    transaction_id?: string | null;
    /** How it had ended; absent in older logs, where it had expired. */
    status?: PaymentRequestStatus;
    device_id: WalletDeviceId;
    reported_status: string;
    transaction_hash: string | null;
    reason: string | null;
    ledger: number | null;
    at: string;
  }>;
}>;

/**
 * In the stream that an idempotency key leads to, instead of a request: with this key the caller chose the request's id
 * itself, and the request is under that id.
 */
export type PaymentRequestKeyAssigned = Readonly<{
  type: 'PaymentRequestKeyAssigned';
  data: Readonly<{
    connection_id: ConnectionId;
    idempotency_key: string;
    intent_digest: string;
    request_id: string;
    assigned_at: string;
  }>;
}>;

/**
 * In the stream that an idempotency key leads to: an agent payment of the same connection wants to be the only payment
 * under this key. A request is created here only after that payment has been forgone (`AgentPaymentForgone`).
 */
export type PaymentRequestKeyTaken = Readonly<{
  type: 'PaymentRequestKeyTaken';
  data: Readonly<{
    connection_id: ConnectionId;
    merchant_id: MerchantId;
    idempotency_key: string;
    payment_id: PaymentId;
    taken_at: string;
  }>;
}>;

/** The service looked up the reported transaction on the network and found something new. The status stays as it is. */
export type PaymentRequestSettlementObserved = Readonly<{
  type: 'PaymentRequestSettlementObserved';
  data: Readonly<{
    request_id: string;
    connection_id: ConnectionId;
    transaction_id: string | null;
    status: PaymentRequestStatus;
    transaction_hash: string;
    settlement: Settlement;
    /** Another report claims the same transaction, so that it is open who paid; never taken back, absent in older logs. */
    contested?: boolean;
    /** The version of the transaction's claims that it follows from; absent where it was not found, and in older logs. */
    claim_version?: number;
    at: string;
  }>;
}>;

/** The merchant asked the service to look up the transaction on the network again. */
export type PaymentRequestSettlementCheckRequested = Readonly<{
  type: 'PaymentRequestSettlementCheckRequested';
  data: Readonly<{ request_id: string; connection_id: ConnectionId; transaction_hash: string; at: string }>;
}>;

export type PaymentRequestEvent =
  | PaymentRequestKeyAssigned
  | PaymentRequestKeyTaken
  | PaymentRequestCreated
  | PaymentRequestSigned
  | PaymentRequestBroadcasted
  | PaymentRequestConfirmed
  | PaymentRequestFailed
  | PaymentRequestRejected
  | PaymentRequestExpired
  | PaymentRequestWithdrawn
  | PaymentRequestLateReport
  | PaymentRequestSettlementObserved
  | PaymentRequestSettlementCheckRequested;

/** The status an event leads to; null if it does not change the status. */
export const PAYMENT_REQUEST_STATUS_AFTER: Readonly<Record<PaymentRequestEvent['type'], PaymentRequestStatus | null>> =
  {
    PaymentRequestKeyAssigned: null,
    PaymentRequestKeyTaken: null,
    PaymentRequestCreated: 'pending',
    PaymentRequestSigned: 'signed',
    PaymentRequestBroadcasted: 'broadcasted',
    PaymentRequestConfirmed: 'confirmed',
    PaymentRequestFailed: 'failed',
    PaymentRequestRejected: 'rejected',
    PaymentRequestExpired: 'expired',
    PaymentRequestWithdrawn: 'failed',
    PaymentRequestLateReport: null,
    PaymentRequestSettlementObserved: null,
    PaymentRequestSettlementCheckRequested: null,
  };
