import { type AgentPaymentEvent, type AgentPaymentStatus } from '../../events/agent-payment.events';
import {
  PAYMENT_REQUEST_STATUS_AFTER,
  type PaymentRequestEvent,
  type PaymentRequestStatus,
} from '../../events/payment-request.events';
import { type Fold } from '../../kernel/decider';

/** The id its parties use, its status, and what was asked for; null until it is created. */
export type Standing<Status extends string> = Readonly<{ name: string; status: Status; wanted: Wanted }> | null;

/** Which device was asked to pay how much to whom. */
export type Wanted = Readonly<{ deviceId: string; recipientId: string; amount: string }>;
type Created = Readonly<{ device_id: string; recipient_id: string; amount: string }>;

const wantedIn = ({ device_id, recipient_id, amount }: Created): Wanted => ({
  deviceId: device_id,
  recipientId: recipient_id,
  amount,
});

/** Null if the event does not change the status, or nothing was made in its stream. */
export const AGENT_PAYMENT_STATUS_AFTER: Readonly<Record<AgentPaymentEvent['type'], AgentPaymentStatus | null>> = {
  AgentPaymentRefused: null,
  AgentPaymentForgone: null,
  AgentPaymentCreated: 'intent_created',
  AgentPaymentSigned: 'signed',
  AgentPaymentBroadcasted: 'broadcasted',
  AgentPaymentConfirmed: 'confirmed',
  AgentPaymentFailed: 'failed',
  AgentPaymentRejected: 'rejected',
  AgentPaymentExpired: 'expired',
  AgentPaymentWithdrawn: 'failed',
  AgentPaymentLateReport: null,
  AgentPaymentSettlementObserved: null,
  AgentPaymentSettlementCheckRequested: null,
};

export const requestStanding: Fold<Standing<PaymentRequestStatus>, PaymentRequestEvent> = {
  category: 'payment_request',
  initial: null,
  evolve(before, event) {
    if (event.type === 'PaymentRequestCreated')
      return { name: event.data.request_id, status: 'pending', wanted: wantedIn(event.data) };
    const status = PAYMENT_REQUEST_STATUS_AFTER[event.type];
    return status === null || before === null ? before : { ...before, status };
  },
};

export const agentPaymentStanding: Fold<Standing<AgentPaymentStatus>, AgentPaymentEvent> = {
  category: 'agent_payment',
  initial: null,
  evolve(before, event) {
    if (event.type === 'AgentPaymentCreated')
      return { name: event.data.payment_id, status: 'intent_created', wanted: wantedIn(event.data) };
    const status = AGENT_PAYMENT_STATUS_AFTER[event.type];
    return status === null || before === null ? before : { ...before, status };
  },
};

/** What a connection's key has become on the side of payment requests: the id of its request; null if there is none. */
export const requestOfKey: Fold<string | null, PaymentRequestEvent> = {
  category: 'payment_request',
  initial: null,
  evolve: (before, { type, data }) =>
    type === 'PaymentRequestCreated' || type === 'PaymentRequestKeyAssigned' ? data.request_id : before,
};
