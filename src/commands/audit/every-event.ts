import { type AssertionEvent } from '../../agent-auth/assertion.events';
import { type AgentPaymentEvent } from '../../agent-payments/agent-payment.events';
import { type AgentEvent } from '../../agents/agent.events';
import { type CredentialKeyEvent } from '../../agents/credential-key.events';
import { type ApiKeyEvent } from '../../api-keys/api-key.events';
import { type SigningKeyEvent } from '../../audit/signing-key.events';
import { type TransparencyLogEvent } from '../../audit/transparency-log.events';
import { type AutomationPolicyEvent } from '../../automation-policies/automation-policy.events';
import { type ConnectInvitationEvent } from '../../connect/connect-invitation.events';
import { type ConnectionEvent } from '../../connections/connection.events';
import { type RecordedEvent } from '../../event-store/event-store.port';
import { type EmailLinkEvent } from '../../merchant-access/email-link.events';
import { type GrantEvent } from '../../merchant-access/grant.events';
import { type MerchantAccountEvent } from '../../merchant-access/merchant-account.events';
import { type SessionEvent } from '../../merchant-access/session.events';
import { type MerchantEvent } from '../../merchants/merchant.events';
import { type PairingSessionEvent } from '../../pairing/pairing-session.events';
import { type PaymentRequestEvent } from '../../payment-requests/payment-request.events';
import { type RecipientEvent } from '../../recipients/recipient.events';
import { type TransactionContextEvent } from '../../transaction-contexts/transaction-context.events';
import { type WalletDeviceEvent } from '../../wallet-devices/wallet-device.events';
import { type WebhookDeliveryEvent } from '../../webhooks/webhook-delivery.events';
import { type WebhookEndpointEvent } from '../../webhooks/webhook-endpoint.events';

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
