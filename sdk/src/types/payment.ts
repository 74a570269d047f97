import { type FreeForm } from './common.ts';
import { type PAYMENT_STATUSES } from '../payment-statuses.ts';
import { type Review } from './review.ts';

export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** What will be paid, from the pinned recipient version; nobody can change it. */
export type PaymentFacts = Readonly<{
  rail: string;
  network: string;
  asset: string;
  /** An exact decimal; never convert it to a float. */
  amount: string;
  to: string;
  contract?: string;
  issuer?: string;
  decimals?: number;
  chain_id?: number;
  memo?: string;
}>;

export type Payee = Readonly<{ name: string; verified: boolean; domain: string }>;

/** What the service itself saw on the network of the transaction that a wallet reported. */
export type Settlement = Readonly<{
  verdict: 'matches' | 'differs' | 'not_found' | 'pending';
  differences: readonly Readonly<{
    fact: 'successful' | 'ledger' | 'destination' | 'asset' | 'issuer' | 'amount' | 'memo' | 'time' | 'already_settles';
    expected: string | number | boolean | null;
    found: string | number | boolean | null;
  }>[];
  ledger: number | null;
  /** The outer hash, whichever one the wallet named. */
  ledger_hash: string | null;
  /** The operation whose transfer settles this payment and no other, and the transfer's place within it, from 0. */
  operation: number | null;
  transfer: number | null;
  /** The wallet named the transaction before its ledger closed, so it did not copy it from there. */
  announced: boolean | null;
  /** `payer`: the account that paid vouches for the key that signed the decision. */
  binding: 'payer' | 'none' | null;
  observed_at: string;
  witness: string;
}>;

export type LateReport = Readonly<{
  status: 'broadcasted' | 'confirmed';
  transaction_hash: string;
  reported_at: string;
}>;

/** Whom a payment can be requested for. Only the wallet learns where they are paid. */
export type PayableRecipient = Readonly<{
  recipient_id: string;
  recipient_version_id: string;
  name: string;
  network: string;
  asset: string;
  domain: string;
}>;

export type PaymentRequest = Readonly<{
  protocol: 'svc.payment_request.v1';
  request_id: string;
  connection_id: string;
  transaction_id?: string;
  created_at: string;
  expires_at: string;
  idempotency_key?: string;
  status: PaymentStatus;
  source: FreeForm;
  payee: Payee;
  payment: PaymentFacts;
  policy: Readonly<{ requires_user_approval: true }>;
  display?: FreeForm;
  metadata?: FreeForm;
  recipient_id: string;
  recipient_version_id: string;
  transaction_hash?: string;
  ledger?: number;
  reason?: string;
  /** Who took it back before anybody signed; its reason is then `withdrawn`. */
  withdrawn_by?: 'agent' | 'merchant' | 'service';
  withdrawn_reason?: string;
  /** The last transaction that the wallet reported after the end: money may have moved. */
  late?: LateReport;
  /** Null if the service has not looked, or never looks. Ship on `confirmed` and `matches`. */
  settlement: Settlement | null;
  /** It is open which payment the transfer was meant for: ship on `confirmed`, `matches` and not contested. */
  contested: boolean;
  /** Only for a wallet that reads one request. */
  review?: Review;
  /** A link another wallet can open; null if the network has no published scheme. */
  payment_uri?: string | null;
  version: number;
  is_final: boolean;
  updated_at: string;
}>;

/** All given filters must match. A page may then be shorter than its limit and still have a next one. */
export type PaymentRequestFilters = Readonly<{
  status?: PaymentStatus;
  agent_id?: string;
  connection_id?: string;
  recipient_id?: string;
  /** Inclusive, like `created_to`. */
  created_from?: string;
  created_to?: string;
  /** Those for which a wallet reported exactly this transaction. */
  transaction_hash?: string;
  /** An exact request id, transaction id, idempotency key or transaction hash. */
  q?: string;
}>;

export type NewPaymentRequest = Readonly<{
  recipient_id: string;
  recipient_version_id: string;
  payment: Readonly<{ amount: string }>;
  expires_at?: string;
  /** Filled in if absent: every payment needs its user's approval. */
  policy?: Readonly<{ requires_user_approval: true }>;
  idempotency_key?: string;
  /** `refuse`: 409 `possible_duplicate`, and nothing is created, if the same was requested within 24 hours. */
  if_duplicate?: 'allow' | 'refuse';
  request_id?: string;
  transaction_id?: string;
  source?: FreeForm;
  display?: FreeForm;
  metadata?: FreeForm;
}>;

export type DuplicateRequest = Readonly<{ request_id: string; status: PaymentStatus; created_at: string }>;

export type PaymentRequestEvent = Readonly<{
  cursor: number;
  event_id: string;
  type: `payment_request.${'created' | 'late_report' | 'settlement_observed' | Exclude<PaymentStatus, 'pending'>}`;
  request_id: string;
  transaction_id?: string;
  status: PaymentStatus;
  previous_status: PaymentStatus | null;
  occurred_at: string;
  data: Readonly<{
    transaction_hash?: string;
    reason?: string;
    ledger?: number;
    settlement?: Settlement;
    contested?: boolean;
  }>;
}>;

export type EventPage = Readonly<{
  events: readonly PaymentRequestEvent[];
  next_cursor: number;
  /** The newest cursor; a `since` beyond it is from elsewhere. */
  newest_cursor: number;
  has_more: boolean;
}>;

/** What a wallet reports about a payment. */
export type StatusReport =
  /** With what was signed, named before the network sees it: whoever reports it later comes too late. */
  | Readonly<{ status: 'signed'; transaction_hash?: string }>
  | Readonly<{ status: 'rejected'; reason?: string }>
  | Readonly<{ status: 'failed'; reason: string }>
  | Readonly<{ status: 'broadcasted'; transaction_hash: string }>
  | Readonly<{ status: 'confirmed'; transaction_hash: string; ledger?: number }>;

export type TransactionContext = Readonly<{
  transaction_id: string;
  connection_id: string;
  revision: number;
  title: string;
  summary?: string;
  items: readonly Readonly<{ label: string; value: string }>[];
  reference_url?: string;
  metadata?: FreeForm;
  created_at: string;
  updated_at: string;
  version: number;
}>;

/** As the person who decides sees it: the revision at the time of the request, and the newest one since, if any. */
export type ReviewedContext = TransactionContext & Readonly<{ newer_revision?: number }>;

export type RequestWithContext = Readonly<{
  payment_request: PaymentRequest;
  transaction_context?: ReviewedContext;
  newer_revision?: number;
}>;

export type NewTransactionContext = Readonly<{
  transaction_id?: string;
  title: string;
  summary?: string;
  items?: readonly Readonly<{ label: string; value: string }>[];
  reference_url?: string;
  metadata?: FreeForm;
}>;
