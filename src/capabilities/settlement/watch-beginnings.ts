import { type EventOf } from '../../events';
import { lateMoneyIn } from '../../kernel/payment-progress';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { ignored, type Reactor, reactorTo } from '../../platform/reacting/reactor';

type LateReport = EventOf<'PaymentRequestLateReport' | 'AgentPaymentLateReport'>;

/** The events after which the network is queried for a payment. */
export function beginningsOf(watch: (stream: string, since: string) => Promise<void>): Reactor {
  const begins = ({ stream, metadata }: RecordedEvent): Promise<void> => watch(stream, metadata.occurred_at);
  const beginsIfMoved = (event: RecordedEvent & LateReport): Promise<void> =>
    lateMoneyIn(event.data) === null ? Promise.resolve() : begins(event);
  return reactorTo<'payment_request' | 'agent_payment'>('settlement', {
    PaymentRequestCreated: ignored,
    PaymentRequestSigned: ignored,
    PaymentRequestBroadcasted: ignored,
    PaymentRequestConfirmed: begins,
    PaymentRequestFailed: ignored,
    PaymentRequestRejected: ignored,
    PaymentRequestExpired: ignored,
    PaymentRequestWithdrawn: ignored,
    PaymentRequestLateReport: beginsIfMoved,
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
    AgentPaymentWithdrawn: ignored,
    AgentPaymentLateReport: beginsIfMoved,
    AgentPaymentSettlementObserved: ignored,
    AgentPaymentSettlementCheckRequested: begins,
  });
}
