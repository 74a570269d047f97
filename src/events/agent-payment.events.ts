// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type Withdrawer } from '../kernel/payment-progress';
import { type Settlement } from '../kernel/settlement';
import { type RecipientFacts } from './recipient.events';
import {
  type AgentId,
  type ApiKeyId,
  type ConnectionId,
  type WalletDeviceId,
  type MerchantId,
  type PaymentId,
  type PolicyId,
  type RecipientId,
  type RecipientVersionId,
  type ReservationId,
} from '../kernel/aggregates';

export const AGENT_PAYMENT_STATUSES = [
  'intent_created',
  'signed',
  'broadcasted',
  'confirmed',
  'failed',
  'expired',
  'rejected',
] as const;
export type AgentPaymentStatus = (typeof AGENT_PAYMENT_STATUSES)[number];

/** Everything the payment will ever say about who gets paid and how much. Later events only move its status. */
export type AgentPaymentCreated = Readonly<{
  type: 'AgentPaymentCreated';
  data: Readonly<{
    payment_id: PaymentId;
    merchant_id: MerchantId;
    api_key_id: ApiKeyId;
    connection_id: ConnectionId;
    device_id: WalletDeviceId;
    agent_id: AgentId;
    initiator: 'agent' | 'human';
    /** The policy it is made under and its reservation there; null if a person initiated it. */
    policy_id: PolicyId | null;
    reservation_id: ReservationId | null;
    idempotency_key: string | null;
    /** sha256 over the canonical JSON of the accepted input: decides whether a repeat means the same. */
    intent_digest: string;
    recipient_id: RecipientId;
    recipient_version_id: RecipientVersionId;
    /** How many versions the recipient had activated by then; missing in older logs. */
    recipient_activations?: number;
    /** `verified`: whether the proof of the domain held; false where it was superseded or given up. */
    payee: Readonly<{ name: string; verified: boolean; domain: string }>;
    facts: RecipientFacts;
    amount: string;
    metadata: Readonly<Record<string, unknown>> | null;
    created_at: string;
    expires_at: string;
  }>;
}>;

export const THRESHOLDS = [
  'single_tx_limit',
  'cumulative_limit',
  'validity_window',
  'allowlist',
  'no_active_policy',
] as const;
export type Threshold = (typeof THRESHOLDS)[number];

/**
 * An agent wanted to make this payment alone and may not. Kept so that an auditor sees what was refused and why; it
 * does not use up the key, which may still make a payment.
 */
export type AgentPaymentRefused = Readonly<{
  type: 'AgentPaymentRefused';
  data: Readonly<{
    payment_id: PaymentId;
    merchant_id: MerchantId;
    api_key_id: ApiKeyId;
    connection_id: ConnectionId;
    policy_id: PolicyId | null;
    recipient_id: RecipientId;
    network: string;
    asset: string;
    amount: string;
    intent_digest: string;
    triggered_thresholds: readonly Threshold[];
    refused_at: string;
    /** Absent in the oldest events. */
    idempotency_key?: string | null;
    /** The version of the policy's stream that refused it: other payments may have been decided since. */
    policy_revision?: number;
  }>;
}>;

/**
 * A payment request of the same connection uses this key instead. No payment was made here before, and none will be:
 * what was reserved for it is released.
 */
export type AgentPaymentForgone = Readonly<{
  type: 'AgentPaymentForgone';
  data: Readonly<{
    payment_id: PaymentId;
    merchant_id: MerchantId;
    connection_id: ConnectionId;
    idempotency_key: string;
    forgone_at: string;
  }>;
}>;

type Moved<Type extends string, Extra extends object> = Readonly<{
  type: Type;
  data: Readonly<{
    payment_id: PaymentId;
    merchant_id: MerchantId;
    connection_id: ConnectionId;
    policy_id: PolicyId | null;
    reservation_id: ReservationId | null;
    previous_status: AgentPaymentStatus;
    at: string;
  }> &
    Readonly<Extra>;
}>;

export type AgentPaymentSigned = Moved<
  'AgentPaymentSigned',
  {
    device_id: WalletDeviceId;
    /** What was signed, named before the network saw it; absent if the wallet did not say. */
    transaction_hash?: string;
  }
>;
export type AgentPaymentBroadcasted = Moved<
  'AgentPaymentBroadcasted',
  { device_id: WalletDeviceId; transaction_hash: string }
>;
export type AgentPaymentConfirmed = Moved<
  'AgentPaymentConfirmed',
  { device_id: WalletDeviceId; transaction_hash: string; ledger: number | null }
>;
export type AgentPaymentFailed = Moved<'AgentPaymentFailed', { device_id: WalletDeviceId; reason: string }>;
export type AgentPaymentRejected = Moved<'AgentPaymentRejected', { device_id: WalletDeviceId; reason: string | null }>;
export type AgentPaymentExpired = Moved<'AgentPaymentExpired', object>;

/** Nobody had signed yet, and now nobody may: the status becomes `failed`. */
export type AgentPaymentWithdrawn = Moved<
  'AgentPaymentWithdrawn',
  { withdrawn_by: Withdrawer; withdrawn_reason: string | null }
>;

/** Refused but recorded: money that moves late must be seen. The status stays as it is. */
export type AgentPaymentLateReport = Readonly<{
  type: 'AgentPaymentLateReport';
  data: Readonly<{
    payment_id: PaymentId;
    merchant_id: MerchantId;
    connection_id: ConnectionId;
    /** How it had ended; absent in older logs, where it had expired. */
    status?: AgentPaymentStatus;
    device_id: WalletDeviceId;
    reported_status: string;
    transaction_hash: string | null;
    reason: string | null;
    ledger: number | null;
    at: string;
  }>;
}>;

/** The service looked up the reported transaction on the network and found something new. The status stays as it is. */
export type AgentPaymentSettlementObserved = Readonly<{
  type: 'AgentPaymentSettlementObserved';
  data: Readonly<{
    payment_id: PaymentId;
    merchant_id: MerchantId;
    connection_id: ConnectionId;
    status: AgentPaymentStatus;
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
export type AgentPaymentSettlementCheckRequested = Readonly<{
  type: 'AgentPaymentSettlementCheckRequested';
  data: Readonly<{
    payment_id: PaymentId;
    merchant_id: MerchantId;
    connection_id: ConnectionId;
    transaction_hash: string;
    at: string;
  }>;
}>;

export type AgentPaymentEvent =
  | AgentPaymentCreated
  | AgentPaymentRefused
  | AgentPaymentForgone
  | AgentPaymentSigned
  | AgentPaymentBroadcasted
  | AgentPaymentConfirmed
  | AgentPaymentFailed
  | AgentPaymentRejected
  | AgentPaymentExpired
  | AgentPaymentWithdrawn
  | AgentPaymentLateReport
  | AgentPaymentSettlementObserved
  | AgentPaymentSettlementCheckRequested;
