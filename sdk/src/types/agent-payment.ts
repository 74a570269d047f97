import { type FreeForm, type NextCursor } from './common.ts';
import { type Payee, type PaymentFacts, type PaymentStatus, type Settlement } from './payment.ts';
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
  settlement: Settlement | null;
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
  /** Whose key it is. The connection's is one with the keys of its payment requests: at most one payment is made under it. */
  idempotency_scope?: 'merchant' | 'connection';
  /** With `refuse`, a payment to the same recipient and amount of the last 24 hours stands in its way. */
  if_duplicate?: 'allow' | 'refuse';
  expires_at?: string;
  metadata?: FreeForm;
}>;

/** One intent of an agent alone, decided and not made. */
export type PolicyEvaluation = Readonly<{
  permitted: boolean;
  policy_id?: string;
  triggered_thresholds: readonly string[];
  /** What was left before it; null without a policy. */
  remaining: string | null;
}>;

/** What other thresholds would have done with every intent a policy judged. */
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

/** What is left out stays as it holds now; `from` and `to` select what is reported. */
export type SimulatedThresholds = Partial<Thresholds> & Readonly<{ from?: string; to?: string }>;

export type AgentPayments = Readonly<{ agent_payments: readonly AgentPayment[] }> & NextCursor;

/** All four must be there before an agent may act alone. */
export type Thresholds = Readonly<{
  single_tx_limit: string;
  cumulative_limit: string;
  valid_from: string;
  valid_until: string;
  /** Recipient ids. */
  allowlist: readonly string[];
}>;

export type NewAutomationPolicy = Readonly<{ connection_id: string; network: string; asset: string }> & Thresholds;

export type AutomationPolicy = NewAutomationPolicy &
  Readonly<{
    id: string;
    status: 'awaiting_opt_in' | 'active' | 'opted_out' | 'revoked';
    connection_status: 'active' | 'paused' | 'revoked';
    /** The most that may be agreed to; the thresholds beside it are what holds. */
    proposed: Thresholds;
    spent: string;
    remaining: string;
    opted_in_at: string | null;
    created_at: string;
    updated_at: string;
    version: number;
  }>;

/** Whom a policy's allowlist means now; the facts are null while no version is in use. */
export type PolicyPayee = Readonly<{
  recipient_id: string;
  name: string;
  recipient_version_id: string | null;
  network: string | null;
  asset: string | null;
  address: string | null;
  memo: string | null;
  domain: string | null;
  /** False: an agent may not pay it alone until the wallet's owner opts in again. */
  opted_in: boolean;
}>;

/** As it is when read alone. */
export type AutomationPolicyWithPayees = AutomationPolicy & Readonly<{ payees: readonly PolicyPayee[] }>;

export type AutomationPolicies = Readonly<{ automation_policies: readonly AutomationPolicy[] }> & NextCursor;
