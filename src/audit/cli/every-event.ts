import { type AssertionEvent } from '../../events/assertion.events';
import { type AgentPaymentEvent } from '../../events/agent-payment.events';
import { type AgentEvent } from '../../events/agent.events';
import { type CredentialKeyEvent } from '../../events/credential-key.events';
import { type ApiKeyEvent } from '../../events/api-key.events';
import { type ServiceSecretEvent } from '../../events/service-secret.events';
import { type SigningKeyEvent } from '../../events/signing-key.events';
import { type TransparencyLogEvent } from '../../events/transparency-log.events';
import { type AutomationPolicyEvent } from '../../events/automation-policy.events';
import { type ConnectInvitationEvent } from '../../events/connect-invitation.events';
import { type ConnectionEvent } from '../../events/connection.events';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { type EmailLinkEvent } from '../../events/email-link.events';
import { type GrantEvent } from '../../events/grant.events';
import { type MerchantAccountEvent } from '../../events/merchant-account.events';
import { type SessionEvent } from '../../events/session.events';
import { type MerchantEvent } from '../../events/merchant.events';
import { type PairingSessionEvent } from '../../events/pairing-session.events';
import { type PaymentIntentEvent } from '../../events/payment-intent.events';
import { type PaymentRequestEvent } from '../../events/payment-request.events';
import { type RecipientEvent } from '../../events/recipient.events';
import { type TransactionContextEvent } from '../../events/transaction-context.events';
import { type WalletDeviceEvent } from '../../events/wallet-device.events';
import { type WebhookDeliveryEvent } from '../../events/webhook-delivery.events';
import { type WebhookEndpointEvent } from '../../events/webhook-endpoint.events';
import { type WebhookOutcomesEvent } from '../../events/webhook-outcomes.events';
import { type WebhookRewindEvent } from '../../events/webhook-rewind.events';

/** All that the log can hold: an auditor's program is the one place that knows every kind of event. */
export type EveryEvent =
  | AssertionEvent
  | AgentPaymentEvent
  | AgentEvent
  | CredentialKeyEvent
  | ApiKeyEvent
  | SigningKeyEvent
  | ServiceSecretEvent
  | TransparencyLogEvent
  | AutomationPolicyEvent
  | ConnectInvitationEvent
  | ConnectionEvent
  | EmailLinkEvent
  | GrantEvent
  | MerchantAccountEvent
  | SessionEvent
  | MerchantEvent
  | PairingSessionEvent
  | PaymentIntentEvent
  | PaymentRequestEvent
  | RecipientEvent
  | TransactionContextEvent
  | WalletDeviceEvent
  | WebhookDeliveryEvent
  | WebhookEndpointEvent
  | WebhookOutcomesEvent
  | WebhookRewindEvent;

export type EventOf<Type extends EveryEvent['type']> = Extract<EveryEvent, { type: Type }>;
export type DataOf<Type extends EveryEvent['type']> = EventOf<Type>['data'];

/** Whether a recorded event is of this type; then its data is what the type says. */
export const is = <Type extends EveryEvent['type']>(
  event: RecordedEvent | undefined,
  type: Type,
): event is RecordedEvent & EventOf<Type> => event?.type === type;
