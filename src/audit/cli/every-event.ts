import { type AssertionEvent } from '../../capabilities/agent-auth/assertion.events';
import { type AgentPaymentEvent } from '../../capabilities/agent-payments/agent-payment.events';
import { type AgentEvent } from '../../capabilities/agents/agent.events';
import { type CredentialKeyEvent } from '../../capabilities/agents/credential-key.events';
import { type ApiKeyEvent } from '../../capabilities/api-keys/api-key.events';
import { type SigningKeyEvent } from '../log/signing-key.events';
import { type TransparencyLogEvent } from '../log/transparency-log.events';
import { type AutomationPolicyEvent } from '../../capabilities/automation-policies/automation-policy.events';
import { type ConnectInvitationEvent } from '../../capabilities/connect/connect-invitation.events';
import { type ConnectionEvent } from '../../capabilities/connections/connection.events';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { type EmailLinkEvent } from '../../capabilities/merchant-access/email-link.events';
import { type GrantEvent } from '../../capabilities/merchant-access/grant.events';
import { type MerchantAccountEvent } from '../../capabilities/merchant-access/merchant-account.events';
import { type SessionEvent } from '../../capabilities/merchant-access/session.events';
import { type MerchantEvent } from '../../capabilities/merchants/merchant.events';
import { type PairingSessionEvent } from '../../capabilities/pairing/pairing-session.events';
import { type PaymentIntentEvent } from '../../capabilities/payment-requests/payment-intent.events';
import { type PaymentRequestEvent } from '../../capabilities/payment-requests/payment-request.events';
import { type RecipientEvent } from '../../capabilities/recipients/recipient.events';
import { type TransactionContextEvent } from '../../capabilities/transaction-contexts/transaction-context.events';
import { type WalletDeviceEvent } from '../../capabilities/wallet-devices/wallet-device.events';
import { type WebhookDeliveryEvent } from '../../capabilities/webhooks/webhook-delivery.events';
import { type WebhookEndpointEvent } from '../../capabilities/webhooks/webhook-endpoint.events';

/** All that the log can hold: an auditor's program is the one place that knows every kind of event. */
export type EveryEvent =
  | AssertionEvent
  | AgentPaymentEvent
  | AgentEvent
  | CredentialKeyEvent
  | ApiKeyEvent
  | SigningKeyEvent
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
  | WebhookEndpointEvent;

export type EventOf<Type extends EveryEvent['type']> = Extract<EveryEvent, { type: Type }>;
export type DataOf<Type extends EveryEvent['type']> = EventOf<Type>['data'];

/** Whether a recorded event is of this type; then its data is what the type says. */
export const is = <Type extends EveryEvent['type']>(
  event: RecordedEvent | undefined,
  type: Type,
): event is RecordedEvent & EventOf<Type> => event?.type === type;
