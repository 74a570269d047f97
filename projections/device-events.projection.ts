import { type AgentPaymentEvent } from '../src/events/agent-payment.events';
import { type AutomationPolicyEvent } from '../src/events/automation-policy.events';
import { type ConnectInvitationEvent } from '../src/events/connect-invitation.events';
import { type ConnectionEvent } from '../src/events/connection.events';
import { type PairingSessionEvent } from '../src/events/pairing-session.events';
import { type PaymentRequestEvent } from '../src/events/payment-request.events';
import { type DataOf } from '../src/events';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { agentPayments } from './agent-payments.projection';
import { automationPolicies } from './automation-policies.projection';
import { isFedLateReport, isLateReport } from './webhook-types';
import { requestPlace } from './payment-request-document';
import { paymentRequests } from './payment-requests.projection';
import {
  type Collection,
  collection,
  type Document,
  type Lookup,
  type Projection,
  type Step,
} from '../src/platform/read-model/projection';
import { type WalletDeviceId } from '../src/kernel/aggregates';
import { findingView, type SettlementView } from '../src/kernel/settlement';

/** An entry of a wallet's feed. The record it is about is read separately. */
export type DeviceEventDocument = Readonly<{
  id: string;
  device_id: WalletDeviceId;
  /** 1, 2, 3 … within the device, in the order of the log: the same after any rebuild. */
  cursor: number;
  event_id: string;
  type: string;
  occurred_at: string;
  data: EventData;
}>;

type EventData = Readonly<Record<string, string | number | boolean | SettlementView>>;

type DeviceFeed = Readonly<{ id: string; length: number }>;

export const deviceEvents = collection<DeviceEventDocument>('device_events');

/** How many events each device has, which numbers the next one. */
export const deviceFeeds = collection<DeviceFeed>('device_feeds', {}, { writtenLast: true });

type Followed =
  | ConnectInvitationEvent
  | PairingSessionEvent
  | ConnectionEvent
  | PaymentRequestEvent
  | AgentPaymentEvent
  | AutomationPolicyEvent;

/** Its name in the feed and the status it leads to; null if it concerns no wallet, or only its own caller. */
const FEED_NAMES: Readonly<Record<Followed['type'], readonly [name: string, status?: string] | null>> = {
  ConnectKeyIssued: null,
  ConnectInvitationClaimed: ['connect_invitation.claimed', 'claimed'],
  ConnectInvitationApproved: ['connect_invitation.approved', 'approved'],
  ConnectInvitationRejected: ['connect_invitation.rejected', 'rejected'],
  ConnectInvitationExpired: ['connect_invitation.expired', 'expired'],
  ConnectInvitationExchanged: ['connect_invitation.exchanged', 'exchanged'],
  // Until a wallet has decided, a pairing belongs to nobody.
  PairingSessionStarted: null,
  PairingCodeMissed: null,
  PairingSessionApproved: ['pairing_session.approved', 'approved'],
  PairingSessionRejected: ['pairing_session.rejected', 'rejected'],
  PairingSessionExpired: null,
  PairingTokenCollected: null,
  ConnectionCreated: ['connection.created', 'active'],
  ConnectionTokenRotated: ['connection.token_rotated'],
  ConnectionTokenHandedOver: null,
  ConnectionPaused: ['connection.paused', 'paused'],
  ConnectionResumed: ['connection.resumed', 'active'],
  ConnectionRevoked: ['connection.revoked', 'revoked'],
  PaymentRequestCreated: ['payment_request.created', 'pending'],
  PaymentRequestKeyAssigned: null,
  PaymentRequestKeyTaken: null,
  PaymentRequestSigned: ['payment_request.signed', 'signed'],
  PaymentRequestBroadcasted: ['payment_request.broadcasted', 'broadcasted'],
  PaymentRequestConfirmed: ['payment_request.confirmed', 'confirmed'],
  PaymentRequestFailed: ['payment_request.failed', 'failed'],
  PaymentRequestRejected: ['payment_request.rejected', 'rejected'],
  PaymentRequestExpired: ['payment_request.expired', 'expired'],
  PaymentRequestWithdrawn: ['payment_request.failed', 'failed'],
  PaymentRequestLateReport: ['payment_request.late_report'],
  PaymentRequestSettlementObserved: ['payment_request.settlement_observed'],
  PaymentRequestSettlementCheckRequested: null,
  AgentPaymentCreated: ['agent_payment.created', 'intent_created'],
  AgentPaymentRefused: null,
  AgentPaymentForgone: null,
  AgentPaymentSigned: ['agent_payment.signed', 'signed'],
  AgentPaymentBroadcasted: ['agent_payment.broadcasted', 'broadcasted'],
  AgentPaymentConfirmed: ['agent_payment.confirmed', 'confirmed'],
  AgentPaymentFailed: ['agent_payment.failed', 'failed'],
  AgentPaymentRejected: ['agent_payment.rejected', 'rejected'],
  AgentPaymentExpired: ['agent_payment.expired', 'expired'],
  AgentPaymentWithdrawn: ['agent_payment.failed', 'failed'],
  AgentPaymentLateReport: ['agent_payment.late_report'],
  AgentPaymentSettlementObserved: ['agent_payment.settlement_observed'],
  AgentPaymentSettlementCheckRequested: null,
  AutomationPolicyCreated: ['automation_policy.created', 'awaiting_opt_in'],
  AutomationPolicyChanged: ['automation_policy.changed', 'awaiting_opt_in'],
  AutomationPolicyOptedIn: ['automation_policy.opted_in', 'active'],
  AutomationPolicyOptedOut: ['automation_policy.opted_out', 'opted_out'],
  AutomationPolicyRevoked: ['automation_policy.revoked', 'revoked'],
  AutomationPolicyReplaced: ['automation_policy.replaced', 'replaced'],
  AutomationPolicyDeclined: ['automation_policy.declined', 'declined'],
  AutomationPolicyOptInLapsed: null,
  AmountReserved: null,
  AmountReleased: null,
  AmountSettled: null,
  AmountBroadcasted: null,
  AmountSpentLate: null,
};

export const DEVICE_EVENT_TYPES: readonly string[] = Object.values(FEED_NAMES).flatMap((entry) =>
  entry ? [entry[0]] : [],
);

function feedNameOf({ type, data }: Pick<RecordedEvent, 'type' | 'data'>) {
  const isUnfed = isLateReport(type) && !isFedLateReport(data);
  return Object.hasOwn(FEED_NAMES, type) && !isUnfed ? FEED_NAMES[type as Followed['type']] : null;
}

export const deviceEventsProjection: Projection = {
  name: 'device-events',
  // 3: a wallet may name the transaction when it signs; what came late is told.
  version: 4,
  collections: [deviceEvents, deviceFeeds],
  project: (event) => {
    const deviceId = feedNameOf(event) ? fieldsOf(event)['device_id'] : undefined;
    return typeof deviceId === 'string' ? [numbered(event, deviceId as WalletDeviceId)] : [];
  },
  lookups: (event) => {
    const subject = feedNameOf(event) && fieldsOf(event)['device_id'] === undefined ? subjectOf(event) : undefined;
    if (subject === undefined) return [];
    return [{ ...subject, then: (found) => [numbered(event, (found as Owned).device_id)] }];
  },
};

type Owned = Document & Readonly<{ device_id: WalletDeviceId }>;
type Subject = Omit<Lookup, 'then'> & Readonly<{ collection: Collection<Owned> }>;

/** Where to look up the device of an event that does not name it; undefined if it does, or concerns none. */
export function subjectOf(event: Pick<RecordedEvent, 'type' | 'data' | 'stream' | 'version'>): Subject | undefined {
  const { device_id, request_id, payment_id, policy_id } = fieldsOf(event);
  if (!feedNameOf(event) || device_id !== undefined) return undefined;
  if (typeof request_id === 'string') return { collection: paymentRequests, id: requestPlace(event).id };
  if (typeof payment_id === 'string') return { collection: agentPayments, id: payment_id };
  return typeof policy_id === 'string' ? { collection: automationPolicies, id: policy_id } : undefined;
}

/** The device that an event itself names, if it concerns one. */
export function deviceOf(event: Pick<RecordedEvent, 'type' | 'data'>): WalletDeviceId | undefined {
  const { device_id } = fieldsOf(event);
  return feedNameOf(event) && typeof device_id === 'string' ? (device_id as WalletDeviceId) : undefined;
}

const fieldsOf = ({ data }: Pick<RecordedEvent, 'data'>) => data as Readonly<Record<string, unknown>>;

export const deviceEventId = (deviceId: WalletDeviceId, cursor: number): string => `${deviceId}:${cursor}`;

const numbered = (event: RecordedEvent, deviceId: WalletDeviceId): Step => ({
  collection: deviceFeeds,
  id: deviceId,
  next: (current) => {
    const cursor = ((current as DeviceFeed | undefined)?.length ?? 0) + 1;
    const [type = '', status] = feedNameOf(event) ?? [];
    const document: DeviceEventDocument = {
      id: deviceEventId(deviceId, cursor),
      device_id: deviceId,
      cursor,
      event_id: event.metadata.event_id,
      type,
      occurred_at: event.metadata.occurred_at,
      data: { ...shown(fieldsOf(event)), ...(status === undefined ? foundIn(event) : { status }) },
    };
    const feed: DeviceFeed = { id: deviceId, length: cursor };
    return { document: feed, also: [{ collection: deviceEvents, document, isNew: true }] };
  },
});

/** A finding and a late report change no status, so their events name the one that the payment has. */
function foundIn({ data }: RecordedEvent): EventData {
  const { settlement, contested, status } = data as Partial<DataOf<'PaymentRequestSettlementObserved'>>;
  return { ...(settlement && findingView({ settlement, contested })), ...(status !== undefined && { status }) };
}

/** Only ids and outcomes: the records themselves are read with the wallet's own permissions. */
const SHOWN_FIELDS = [
  'pairing_session_id',
  'connection_id',
  'request_id',
  'payment_id',
  'policy_id',
  'transaction_id',
  'previous_status',
  'transaction_hash',
  'ledger',
  'reason',
] as const;

function shown(data: Readonly<Record<string, unknown>>): Readonly<Record<string, string | number>> {
  const { invitation_id } = data;
  const named = SHOWN_FIELDS.flatMap((name): [string, string | number][] => {
    const value = data[name];
    return typeof value === 'string' || typeof value === 'number' ? [[name, value]] : [];
  });
  const invitation = typeof invitation_id === 'string' ? { connect_invitation_id: invitation_id } : {};
  return { ...invitation, ...Object.fromEntries(named) };
}

/** What the wallet sees. */
export const deviceEventView = ({ id: _, device_id: _device, ...event }: DeviceEventDocument) => event;

export type DeviceEventView = ReturnType<typeof deviceEventView>;
