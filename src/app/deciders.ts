import { checkpointLog } from '../audit/log/checkpoint-log';
import { publishedKey } from '../audit/log/published-key';
import { assertion } from '../capabilities/agent-auth/assertion';
import { agentPayment } from '../capabilities/agent-payments/agent-payment';
import { policyBudget } from '../capabilities/agent-payments/policy-budget';
import { agent } from '../capabilities/agents/agent';
import { credentialKey } from '../capabilities/agents/credential-key';
import { apiKey } from '../capabilities/api-keys/api-key';
import { tokenHolders } from '../capabilities/approvals/token-holders';
import { automationPolicy } from '../capabilities/automation-policies/automation-policy';
import { policySlot } from '../capabilities/automation-policies/policy-slot';
import { connectInvitation } from '../capabilities/connect/connect-invitation';
import { connection } from '../capabilities/connections/connection';
import { emailLink } from '../capabilities/merchant-access/email-link';
import { grant } from '../capabilities/merchant-access/grant';
import { merchantAccount } from '../capabilities/merchant-access/merchant-account';
import { organization } from '../capabilities/merchant-access/organization';
import { session } from '../capabilities/merchant-access/session';
import { domainName } from '../capabilities/merchants/domain-name';
import { merchant } from '../capabilities/merchants/merchant';
import { pairingSession } from '../capabilities/pairing/pairing-session';
import { paymentIntent } from '../capabilities/payments/payment-intent';
import { paymentRequest } from '../capabilities/payment-requests/payment-request';
import { recipient } from '../capabilities/recipients/recipient';
import { settlementClaim } from '../capabilities/settlement/settlement-claim';
import { transactionContext } from '../capabilities/transaction-contexts/transaction-context';
import { walletDevice } from '../capabilities/wallet-devices/wallet-device';
import { webhookDelivery } from '../capabilities/webhooks/webhook-delivery';
import { webhookEndpoint } from '../capabilities/webhooks/webhook-endpoint';
import { webhookEndpointKey } from '../capabilities/webhooks/webhook-endpoint-key';
import { webhookOutcomes } from '../capabilities/webhooks/webhook-outcomes';
import { webhookRewind } from '../capabilities/webhooks/webhook-rewind';
import { secretHistory } from '../platform/secrets/secret-history';
import { type EventsOf } from '../events';
import { type Category } from '../kernel/aggregates';
import { type Decider, type DomainEvent } from '../kernel/decider';

/** For any state and command: the registry never calls them. */
type SomeDecider<Event extends DomainEvent> = Omit<Decider<unknown, never, Event>, 'initial' | 'evolve' | 'decide'> & {
  decide(command: never, state: never): readonly Event[];
};

/**
 * The deciders of each aggregate, usually one. Where there are several, each answers a question of its own and folds no
 * more of the stream than that takes; the expected version arbitrates between them as it does between processes.
 */
export const DECIDERS: Readonly<{ [C in Category]: readonly SomeDecider<EventsOf[C]>[] }> = {
  agent: [agent],
  agent_payment: [agentPayment],
  api_key: [apiKey],
  assertion: [assertion],
  automation_policy: [automationPolicy, policyBudget],
  connect_invitation: [connectInvitation],
  connection: [connection, tokenHolders],
  credential_key: [credentialKey],
  domain_name: [domainName],
  email_link: [emailLink],
  grant: [grant],
  merchant: [merchant, organization],
  policy_slot: [policySlot],
  merchant_account: [merchantAccount],
  pairing_session: [pairingSession],
  payment_intent: [paymentIntent],
  payment_request: [paymentRequest],
  recipient: [recipient],
  session: [session],
  settlement_claim: [settlementClaim],
  transaction_context: [transactionContext],
  wallet_device: [walletDevice],
  webhook_delivery: [webhookDelivery],
  webhook_endpoint: [webhookEndpoint],
  webhook_endpoint_key: [webhookEndpointKey],
  webhook_outcomes: [webhookOutcomes],
  webhook_rewind: [webhookRewind],
  service_secret: [secretHistory],
  signing_key: [publishedKey],
  transparency_log: [checkpointLog],
};
