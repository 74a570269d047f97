import { pause } from '../../../sdk/src/pause.ts';
import { type AgentPayment } from '../../../sdk/src/types/agent-payment.ts';
import {
  type Payee,
  type PaymentFacts,
  type PaymentRequest,
  type PaymentStatus,
  type Settlement,
} from '../../../sdk/src/types/payment.ts';
import { type Review } from '../../../sdk/src/types/review.ts';
import { type PaymentKind, type PaymentPlace } from './outbox.ts';

/** A payment that somebody asks for, of either kind. */
export type Payment = PaymentPlace &
  Readonly<{
    status: PaymentStatus;
    facts: PaymentFacts;
    payee: Payee;
    recipientId: string;
    /** Who asks, from the credential. */
    agentName: string | undefined;
    merchantName: string | undefined;
    initiator: 'agent' | 'human';
    policyId: string | undefined;
    transactionId: string | undefined;
    display: Readonly<Record<string, unknown>> | undefined;
    hash: string | undefined;
    ledger: number | undefined;
    reason: string | undefined;
    /** Who took it back before anybody signed. */
    withdrawnBy: PaymentRequest['withdrawn_by'];
    withdrawnReason: string | undefined;
    /** The last transaction that was reported after the end. */
    late: PaymentRequest['late'];
    /** What the service itself saw on the network. */
    settlement: Settlement | null;
    contested: boolean;
    review: Review | undefined;
    paymentUri: string | undefined;
    createdAt: string;
    expiresAt: string;
    isFinal: boolean;
  }>;

export function fromRequest(request: PaymentRequest): Payment {
  return {
    ...common(request, request.payment),
    kind: 'request',
    id: request.request_id,
    status: request.status,
    agentName: textOf(request.source['agent_name']),
    merchantName: textOf(request.source['merchant_name']),
    initiator: 'human',
    policyId: undefined,
    transactionId: request.transaction_id,
    display: request.display,
  };
}

export function fromAgentPayment(payment: AgentPayment): Payment {
  return {
    ...common(payment, payment.payment),
    kind: 'agent_payment',
    id: payment.id,
    status: payment.status === 'intent_created' ? 'pending' : payment.status,
    agentName: undefined,
    merchantName: undefined,
    initiator: payment.initiator,
    policyId: payment.policy_id,
    transactionId: undefined,
    display: undefined,
  };
}

const common = (one: PaymentRequest | AgentPayment, facts: PaymentFacts) => ({
  connectionId: one.connection_id,
  facts,
  payee: one.payee,
  recipientId: one.recipient_id,
  hash: one.transaction_hash,
  ledger: one.ledger,
  reason: one.reason,
  withdrawnBy: one.withdrawn_by,
  withdrawnReason: one.withdrawn_reason,
  late: one.late,
  settlement: one.settlement,
  contested: one.contested,
  review: one.review,
  paymentUri: one.payment_uri ?? undefined,
  createdAt: one.created_at,
  expiresAt: one.expires_at,
  isFinal: one.is_final,
});

/** Made by an agent alone, within a policy the person has allowed. */
export const isByPolicy = ({ kind, initiator }: Payment): boolean => kind === 'agent_payment' && initiator === 'agent';

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const PLACES: Readonly<Record<PaymentKind, string>> = { request: '/requests', agent_payment: '/agent-payments' };

/** Where the payment is reviewed. Includes the connection: two merchants may use the same request id. */
export const placeOf = ({ kind, id, connectionId }: PaymentPlace): string =>
  `${PLACES[kind]}/${encodeURIComponent(id)}?connection=${encodeURIComponent(connectionId)}`;

/** Pending payments first, the soonest to expire at the top; then the rest, newest first. */
export const inOrder = (payments: readonly Payment[]): readonly Payment[] =>
  [...payments].sort((one, other) => {
    const [waits, otherWaits] = [one.status === 'pending', other.status === 'pending'];
    if (waits !== otherWaits) return waits ? -1 : 1;
    return waits ? one.expiresAt.localeCompare(other.expiresAt) : other.createdAt.localeCompare(one.createdAt);
  });

/** A pause that ends early when the browser comes back online. */
export function patience(signal: AbortSignal): (milliseconds: number) => Promise<void> {
  return async (milliseconds) => {
    const back = new AbortController();
    const resumePayment = (): void => back.abort();
    window.addEventListener('online', resumePayment);
    try {
      await pause(milliseconds, AbortSignal.any([signal, back.signal])).catch(() => undefined);
    } finally {
      window.removeEventListener('online', resumePayment);
    }
    signal.throwIfAborted();
  };
}
