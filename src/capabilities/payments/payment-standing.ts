import { type AgentPaymentEvent, type AgentPaymentStatus } from '../../events/agent-payment.events';
import {
  PAYMENT_REQUEST_STATUS_AFTER,
  type PaymentRequestEvent,
  type PaymentRequestStatus,
} from '../../events/payment-request.events';
import { type Fold } from '../../kernel/decider';

/** What its parties call it, and its status; null while nothing has been made. */
export type Standing<Status extends string> = Readonly<{ name: string; status: Status }> | null;

/** Null if the event does not change the status, or nothing was made in its stream. */
const AGENT_PAYMENT: Readonly<Record<AgentPaymentEvent['type'], AgentPaymentStatus | null>> = {
  AgentPaymentRefused: null,
  AgentPaymentForgone: null,
  AgentPaymentCreated: 'intent_created',
  AgentPaymentSigned: 'signed',
  AgentPaymentBroadcasted: 'broadcasted',
  AgentPaymentConfirmed: 'confirmed',
  AgentPaymentFailed: 'failed',
  AgentPaymentRejected: 'rejected',
  AgentPaymentExpired: 'expired',
  AgentPaymentLateReport: null,
  AgentPaymentSettlementObserved: null,
};

export const requestStanding: Fold<Standing<PaymentRequestStatus>, PaymentRequestEvent> = {
  category: 'payment_request',
  initial: null,
  evolve(before, event) {
    const status = PAYMENT_REQUEST_STATUS_AFTER[event.type];
    return status === null || event.type === 'PaymentRequestKeyTaken'
      ? before
      : { name: event.data.request_id, status };
  },
};

export const agentPaymentStanding: Fold<Standing<AgentPaymentStatus>, AgentPaymentEvent> = {
  category: 'agent_payment',
  initial: null,
  evolve(before, event) {
    const status = AGENT_PAYMENT[event.type];
    return status === null ? before : { name: event.data.payment_id, status };
  },
};
