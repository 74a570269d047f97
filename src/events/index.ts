import { type Category, type IdOf } from '../kernel/aggregates';
import { type DomainEvent } from '../kernel/decider';
import { type AgentPaymentEvent } from './agent-payment.events';
import { type AgentEvent } from './agent.events';
import { type ApiKeyEvent } from './api-key.events';
import { type AssertionEvent } from './assertion.events';
import { type AutomationPolicyEvent } from './automation-policy.events';
import { type ConnectInvitationEvent } from './connect-invitation.events';
import { type ConnectionEvent } from './connection.events';
import { type CredentialKeyEvent } from './credential-key.events';
import { type DomainNameEvent } from './domain-name.events';
import { type EmailLinkEvent } from './email-link.events';
import { type GrantEvent } from './grant.events';
import { type MerchantAccountEvent } from './merchant-account.events';
import { type MerchantEvent } from './merchant.events';
import { type PairingSessionEvent } from './pairing-session.events';
import { type PaymentIntentEvent } from './payment-intent.events';
import { type PaymentRequestEvent } from './payment-request.events';
import { type PolicySlotEvent } from './policy-slot.events';
import { type RecipientEvent } from './recipient.events';
import { type ServiceSecretEvent } from './service-secret.events';
import { type SessionEvent } from './session.events';
import { type SettlementClaimEvent } from './settlement-claim.events';
import { type SigningKeyEvent } from './signing-key.events';
import { type TransactionContextEvent } from './transaction-context.events';
import { type TransparencyLogEvent } from './transparency-log.events';
import { type WalletDeviceEvent } from './wallet-device.events';
import { type WebhookDeliveryEvent } from './webhook-delivery.events';
import { type WebhookEndpointKeyEvent } from './webhook-endpoint-key.events';
import { type WebhookEndpointEvent } from './webhook-endpoint.events';
import { type WebhookOutcomesEvent } from './webhook-outcomes.events';
import { type WebhookRewindEvent } from './webhook-rewind.events';

type OfEveryCategory<Events extends Readonly<Record<Category, DomainEvent>>> = Events;

/** What the streams of each category hold. The build fails if a category of the registry is missing here. */
export type EventsOf = OfEveryCategory<{
  agent_payment: AgentPaymentEvent;
  agent: AgentEvent;
  api_key: ApiKeyEvent;
  assertion: AssertionEvent;
  automation_policy: AutomationPolicyEvent;
  policy_slot: PolicySlotEvent;
  connect_invitation: ConnectInvitationEvent;
  connection: ConnectionEvent;
  credential_key: CredentialKeyEvent;
  domain_name: DomainNameEvent;
  email_link: EmailLinkEvent;
  grant: GrantEvent;
  merchant_account: MerchantAccountEvent;
  merchant: MerchantEvent;
  pairing_session: PairingSessionEvent;
  payment_intent: PaymentIntentEvent;
  payment_request: PaymentRequestEvent;
  recipient: RecipientEvent;
  service_secret: ServiceSecretEvent;
  session: SessionEvent;
  settlement_claim: SettlementClaimEvent;
  signing_key: SigningKeyEvent;
  transaction_context: TransactionContextEvent;
  transparency_log: TransparencyLogEvent;
  wallet_device: WalletDeviceEvent;
  webhook_delivery: WebhookDeliveryEvent;
  webhook_endpoint_key: WebhookEndpointKeyEvent;
  webhook_endpoint: WebhookEndpointEvent;
  webhook_outcomes: WebhookOutcomesEvent;
  webhook_rewind: WebhookRewindEvent;
}>;

export type EveryEvent = EventsOf[Category];
export type EventType = EveryEvent['type'];
export type EventOf<Type extends EventType> = Extract<EveryEvent, { type: Type }>;
export type DataOf<Type extends EventType> = EventOf<Type>['data'];

/** The category whose streams hold an event. */
export type CategoryOf<Event extends DomainEvent> = {
  [C in Category]: Event['type'] extends EventsOf[C]['type'] ? C : never;
}[Category];

/** The id type of a stream that holds such events; a plain string for events that are not in the registry. */
export type StreamIdOf<Event extends DomainEvent> = [CategoryOf<Event>] extends [never]
  ? string
  : IdOf<CategoryOf<Event>>;

/** Whether a recorded event is of this type; narrows its data accordingly. */
export const is = <Type extends EventType, Recorded extends DomainEvent>(
  event: Recorded | undefined,
  type: Type,
): event is Recorded & EventOf<Type> => event?.type === type;
