import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { ignored, type Reactor, reactorTo } from '../../platform/reacting/reactor';

/** The events after which the network is queried for a payment. */
export function beginningsOf(watch: (stream: string, since: string) => Promise<void>): Reactor {
  const begins = ({ stream, metadata }: RecordedEvent): Promise<void> => watch(stream, metadata.occurred_at);
  return reactorTo<'payment_request' | 'agent_payment'>('settlement', {
    PaymentRequestCreated: ignored,
    PaymentRequestSigned: ignored,
    PaymentRequestBroadcasted: ignored,
    PaymentRequestConfirmed: begins,
    PaymentRequestFailed: ignored,
    PaymentRequestRejected: ignored,
    PaymentRequestExpired: ignored,
    PaymentRequestLateReport: ignored,
    PaymentRequestKeyAssigned: ignored,
    PaymentRequestKeyTaken: ignored,
    PaymentRequestSettlementObserved: ignored,
    PaymentRequestSettlementCheckRequested: begins,
    AgentPaymentCreated: ignored,
    AgentPaymentRefused: ignored,
    AgentPaymentForgone: ignored,
    AgentPaymentSigned: ignored,
    AgentPaymentBroadcasted: ignored,
    AgentPaymentConfirmed: begins,
    AgentPaymentFailed: ignored,
    AgentPaymentRejected: ignored,
    AgentPaymentExpired: ignored,
    AgentPaymentLateReport: ignored,
    AgentPaymentSettlementObserved: ignored,
  });
}
