import { type FreeForm, type NextCursor } from './common.ts';
import { type LateReport, type Payee, type PaymentFacts, type PaymentStatus, type Settlement } from './payment.ts';
import { type Review } from './review.ts';

export type AgentPaymentStatus = 'intent_created' | Exclude<PaymentStatus, 'pending'>;

export type AgentPayment = Readonly<{
  id: string;
  status: AgentPaymentStatus;
  initiator: 'agent' | 'human';
  network: string;
  asset: string;
  amount: string;
  connection_id: string;
  policy_id?: string;
  recipient_id: string;
  recipient_version_id: string;
  payee: Payee;
  payment: PaymentFacts;
  idempotency_key?: string;
  metadata?: FreeForm;
  transaction_hash?: string;
  ledger?: number;
  reason?: string;
  /** As in a payment request. */
  withdrawn_by?: 'agent' | 'merchant' | 'service';
  withdrawn_reason?: string;
  late?: LateReport;
  settlement: Settlement | null;
  /** As in a payment request. */
  contested: boolean;
  review?: Review;
  payment_uri?: string | null;
  created_at: string;
  expires_at: string;
  updated_at: string;
  version: number;
  is_final: boolean;
}>;

export type NewAgentPayment = Readonly<{
  network: string;
  asset?: string;
  recipient_id: string;
  amount: string;
  initiator: 'agent' | 'human';
  connection_id: string;
  policy_id?: string;
  idempotency_key?: string;
  /** Whose key it is. A connection's key is shared with its payment requests: at most one payment is made under it. */
  idempotency_scope?: 'merchant' | 'connection';
  /** With `refuse`, a payment of the last 24 hours to the same recipient with the same amount blocks this one. */
  if_duplicate?: 'allow' | 'refuse';
  expires_at?: string;
  metadata?: FreeForm;
}>;

/** Which agent payments to list. */
export type AgentPaymentFilters = Readonly<{
  status?: AgentPaymentStatus;
  connection_id?: string;
  /** Those for which a wallet reported exactly this transaction. */
  transaction_hash?: string;
}>;

/** The decision on one intent of an agent alone, without making it. */
export type PolicyEvaluation = Readonly<{
  permitted: boolean;
  policy_id?: string;
  triggered_thresholds: readonly string[];
  /** What was left before it; null without a policy. */
  remaining: string | null;
}>;

/** What other thresholds would have done with every intent a policy decided. */
export type PolicySimulation = Readonly<{
  intents: number;
  permitted: number;
  refused: number;
  differences: readonly Readonly<{
    idempotency_key: string | null;
    payment_id: string;
    amount: string;
    permitted: boolean;
    was_permitted: boolean;
    triggered_thresholds: readonly string[];
  }>[];
}>;

/** Absent fields stay as they currently are; `from` and `to` select what is reported. */
export type SimulatedThresholds = Partial<Thresholds> & Readonly<{ from?: string; to?: string }>;

export type AgentPayments = Readonly<{ agent_payments: readonly AgentPayment[] }> & NextCursor;

/** All four are required before an agent may act alone. */
export type Thresholds = Readonly<{
  single_tx_limit: string;
  cumulative_limit: string;
  valid_from: string;
  valid_until: string;
  /** Recipient ids. */
  allowlist: readonly string[];
}>;

type PolicyTerms = Readonly<{ connection_id: string; network: string; asset: string }> & Thresholds;

/** `replaces` counts when the wallet's owner makes the policy; what a merchant proposes replaces nothing by itself. */
export type NewAutomationPolicy = PolicyTerms & Readonly<{ replaces?: string }>;

/** `declined`, `replaced` and `revoked` are final. */
export type PolicyStatus = 'awaiting_opt_in' | 'active' | 'opted_out' | 'declined' | 'replaced' | 'revoked';

export type AutomationPolicy = PolicyTerms &
  Readonly<{
    id: string;
    status: PolicyStatus;
    connection_status: 'active' | 'paused' | 'revoked';
    /** The loosest terms that may be agreed to; the thresholds next to it are the ones in force. */
    proposed: Thresholds;
    /** The total of its payments that may still be paid. */
    reserved: string;
    /** The total of its payments that were broadcasted or confirmed, late ones included. */
    spent: string;
    /** What is left of the cumulative limit. */
    remaining: string;
    /** The policy whose place it took. */
    replaces: string | null;
    /** The policy that took its place. */
    replaced_by: string | null;
    opted_in_at: string | null;
    created_at: string;
    updated_at: string;
    version: number;
  }>;

/** Whom a policy's allowlist currently refers to; the facts are null while no version is active. */
export type PolicyPayee = Readonly<{
  recipient_id: string;
  name: string;
  recipient_version_id: string | null;
  network: string | null;
  asset: string | null;
  address: string | null;
  memo: string | null;
  contract: string | null;
  /** Who issued the asset: a code alone does not say which token is paid. */
  issuer: string | null;
  domain: string | null;
  /** False: an agent may not pay it alone until the wallet's owner opts in again. */
  opted_in: boolean;
}>;

/** As it is when read individually. */
export type AutomationPolicyWithPayees = AutomationPolicy &
  Readonly<{
    payees: readonly PolicyPayee[];
    /** The policy whose place it took, with what it has reserved and spent. */
    replaced: Readonly<{ id: string; reserved: string; spent: string }> | null;
  }>;

export type AutomationPolicies = Readonly<{ automation_policies: readonly AutomationPolicy[] }> & NextCursor;
