import { type DataOf, type EventsOf } from '../src/events';
import { lateMoneyIn } from '../src/kernel/payment-progress';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';

/** Which events merchants are notified of, in webhooks and in their feed, and under which name. */
export const WEBHOOK_TYPE_OF = {
  PaymentRequestCreated: 'payment_request.created',
  PaymentRequestSigned: 'payment_request.signed',
  PaymentRequestBroadcasted: 'payment_request.broadcasted',
  PaymentRequestConfirmed: 'payment_request.confirmed',
  PaymentRequestFailed: 'payment_request.failed',
  PaymentRequestRejected: 'payment_request.rejected',
  PaymentRequestSettlementObserved: 'payment_request.settlement_observed',
  PaymentRequestExpired: 'payment_request.expired',
  PaymentRequestWithdrawn: 'payment_request.failed',
  PaymentRequestLateReport: 'payment_request.late_report',
  AgentPaymentCreated: 'agent_payment.created',
  AgentPaymentSigned: 'agent_payment.signed',
  AgentPaymentBroadcasted: 'agent_payment.broadcasted',
  AgentPaymentConfirmed: 'agent_payment.confirmed',
  AgentPaymentFailed: 'agent_payment.failed',
  AgentPaymentRejected: 'agent_payment.rejected',
  AgentPaymentSettlementObserved: 'agent_payment.settlement_observed',
  AgentPaymentSettlementCheckRequested: null,
  AgentPaymentExpired: 'agent_payment.expired',
  AgentPaymentWithdrawn: 'agent_payment.failed',
  AgentPaymentLateReport: 'agent_payment.late_report',
  ConnectionCreated: 'connection.created',
  ConnectionPaused: 'connection.paused',
  ConnectionResumed: 'connection.resumed',
  ConnectionRevoked: 'connection.revoked',
  RecipientVersionActivated: 'recipient.version_activated',
  RecipientVersionRetired: 'recipient.version_retired',
  MerchantDomainVerified: 'merchant_domain.verified',
  MerchantDomainSuperseded: 'merchant_domain.superseded',
  // Nobody is notified of these.
  RecipientCreated: null,
  RecipientVersionAdded: null,
  RecipientVersionVerified: null,
  MerchantCreated: null,
  MerchantRenamed: null,
  MerchantActivated: null,
  MerchantDomainRegistered: null,
  MerchantDomainGivenUp: null,
  PaymentRequestKeyAssigned: null,
  PaymentRequestKeyTaken: null,
  PaymentRequestSettlementCheckRequested: null,
  AgentPaymentRefused: null,
  AgentPaymentForgone: null,
  ConnectionTokenRotated: null,
  ConnectionTokenHandedOver: null,
} as const satisfies Readonly<
  Record<EventsOf['payment_request' | 'agent_payment' | 'connection' | 'recipient' | 'merchant']['type'], string | null>
>;

const types: ReadonlyMap<string, string> = new Map(
  Object.entries(WEBHOOK_TYPE_OF).flatMap(([event, type]) => (type === null ? [] : [[event, type] as const])),
);

/** Recorded before merchants were told of them: only those that say so have a number in the feed. */
const SINCE_LATELY: ReadonlySet<string> = new Set(['RecipientVersionActivated', 'MerchantDomainVerified']);

/** Undefined for events that nobody is notified of. */
export function webhookTypeOf({ type, data }: Pick<RecordedEvent, 'type' | 'data'>): string | undefined {
  if (SINCE_LATELY.has(type) && !('in_feed' in data)) return undefined;
  return isLateReport(type) && !isFedLateReport(data) ? undefined : types.get(type);
}

type LateReport = DataOf<'PaymentRequestLateReport' | 'AgentPaymentLateReport'>;

export const isLateReport = (type: string): boolean =>
  type === 'PaymentRequestLateReport' || type === 'AgentPaymentLateReport';

/**
 * Feeds tell of late reports that say that money moved, and of those that name the status: older logs have others, and
 * numbering those now would move the cursors that readers hold.
 */
export function isFedLateReport(data: object): boolean {
  const report = data as LateReport;
  return report.status !== undefined && lateMoneyIn(report) !== null;
}

/** The category whose streams hold what a webhook type reports. */
export function subjectCategoryOf(webhookType: string): string {
  const [subject = ''] = webhookType.split('.');
  return subject === 'merchant_domain' ? 'merchant' : subject;
}
