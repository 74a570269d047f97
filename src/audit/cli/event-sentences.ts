import { type ConnectionEnd } from '../../events/connection.events';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { type Withdrawer } from '../../kernel/payment-progress';
import { type DataOf, type EventType } from '../../events';

/** Events as sentences, each built from the data that its type guarantees. */
type Sentences = { readonly [Type in EventType]: ((data: DataOf<Type>) => string) | null };

type LateReport = DataOf<'PaymentRequestLateReport'> | DataOf<'AgentPaymentLateReport'>;

const late = ({ reported_status, transaction_hash }: LateReport): string => {
  const what = transaction_hash === null ? reported_status : `${reported_status} with transaction ${transaction_hash}`;
  return `The wallet reported ${what} too late: the report was refused, but recorded.`;
};
const WITHDRAWERS: Readonly<Record<Withdrawer, string>> = {
  agent: 'The agent',
  merchant: 'The merchant',
  service: 'The service',
};
const withdrawn = ({
  withdrawn_by,
  withdrawn_reason,
}: DataOf<'PaymentRequestWithdrawn' | 'AgentPaymentWithdrawn'>): string =>
  `${WITHDRAWERS[withdrawn_by]} withdrew it${because(withdrawn_reason)}. Nobody had signed.`;
const what = (hash: string | undefined): string => (hash === undefined ? '' : ` transaction ${hash}`);
const seen = ({
  settlement,
}: DataOf<'PaymentRequestSettlementObserved' | 'AgentPaymentSettlementObserved'>): string => {
  const { verdict, ledger, differences, witness } = settlement;
  switch (verdict) {
    case 'matches':
      return `The service found the transaction in ledger ${ledger} (asked ${witness}): it pays exactly what was requested.`;
    case 'differs': {
      const what = differences.map(({ fact, expected, found }) => `${fact} is ${found}, not ${expected}`).join('; ');
      return `The service found the transaction in ledger ${ledger} (asked ${witness}), and it differs: ${what}.`;
    }
    case 'not_found':
      return `The service asked ${witness}, which does not know the transaction.`;
    case 'pending':
      return `The service asked ${witness} and could not read the transaction yet.`;
  }
};
const ONLY_A_CLAIM = 'That is the wallet’s claim; only the chain shows whether money moved.';
const because = (reason: string | null): string => (reason === null ? '' : `: ${reason}`);

const END_SENTENCES: Readonly<Record<ConnectionEnd, string>> = {
  wallet: 'The wallet’s owner revoked the connection.',
  device_removed: 'The connection ended with its wallet.',
  merchant: 'The merchant ended the connection.',
  agent: 'The agent gave up the connection.',
  credential_revoked: 'The connection ended: the agent’s key it was opened with was compromised.',
};

const SENTENCES: Sentences = {
  MerchantCreated: ({ name }) => `The organization “${name}” was created.`,
  MerchantDomainRegistered: ({ domain, method }) =>
    `The merchant claimed the domain ${domain}, to be proven by ${method}.`,
  MerchantDomainVerified: ({ domain, method, location }) =>
    `The domain ${domain} was proven by ${method}: the challenge was found at ${location}.`,
  MerchantDomainSuperseded: ({ domain }) =>
    `Another merchant had proven ${domain} since: the proof of it was no evidence any more.`,
  MerchantDomainGivenUp: ({ domain }) => `The merchant gave the domain ${domain} up.`,
  MerchantActivated: () => 'With that proof the merchant became active.',
  MerchantRenamed: ({ name }) => `The organization is now called “${name}”.`,
  RecipientCreated: ({ name }) => `The recipient “${name}” was created.`,
  RecipientVersionAdded: ({ number, facts }) =>
    `Version ${number} of the recipient was added: ${facts.asset} on ${facts.network} to ${facts.address}${facts.memo === null ? '' : `, memo ${facts.memo}`}.`,
  RecipientVersionVerified: ({ evidence_id, evidence_digest, proof }) =>
    `That version was verified: evidence ${evidence_id} (${evidence_digest}) is based on the proof of ${proof.domain} from ${proof.verified_at}.`,
  RecipientVersionActivated: ({ recipient_version_id, superseded_version_id }) =>
    `Version ${recipient_version_id} was activated${superseded_version_id === null ? '' : ` in place of ${superseded_version_id}`}.`,
  RecipientVersionRetired: ({ recipient_version_id, was_active, withdraw_pending }) =>
    `Version ${recipient_version_id} was retired for good${was_active ? '; the recipient had no active version then' : ''}${withdraw_pending ? '; what was pending on it was to be withdrawn' : ''}.`,
  AgentCreated: ({ name, allowed_scopes }) => `The agent “${name}” was registered for ${allowed_scopes.join(', ')}.`,
  AgentCredentialRegistered: ({ kid }) => `The agent’s public key ${kid} was registered.`,
  AgentCredentialProofFailed: () => 'A wrong proof of possession was given for the agent’s key.',
  AgentCredentialActivated: () => 'The agent proved that it holds the private key.',
  AgentCredentialRevoked: ({ reason = 'rotated' }) => `The agent’s key was revoked: ${reason}.`,
  AgentStatusChanged: ({ status }) => `The agent became ${status}.`,
  AgentDetailsChanged: ({ name, allowed_scopes }) => `The agent is now “${name}”, for ${allowed_scopes.join(', ')}.`,
  WalletDeviceRegistered: () => 'A wallet registered itself.',
  WalletDeviceTokenRotated: () => 'The wallet rotated its token.',
  WalletDeviceRemoved: () => 'The wallet was removed.',
  ConnectKeyIssued: () => 'The wallet’s owner made a Connect Key.',
  ConnectInvitationClaimed: ({ agent_name, merchant_domain, requested_scopes }) =>
    `The agent “${agent_name}” of ${merchant_domain} claimed the key and asked for ${requested_scopes.join(', ')}.`,
  ConnectInvitationApproved: ({ scopes }) => `The wallet’s owner approved: ${scopes.join(', ')}.`,
  ConnectInvitationRejected: () => 'The wallet’s owner said no.',
  ConnectInvitationExpired: () => 'The invitation expired.',
  ConnectInvitationExchanged: () => 'The agent received the connection.',
  PairingSessionStarted: ({ agent_name, merchant_domain, requested_scopes }) =>
    `The agent “${agent_name}” of ${merchant_domain} asked to be paired for ${requested_scopes.join(', ')}.`,
  PairingCodeMissed: ({ attempts }) => `A wrong code was entered (${attempts} so far).`,
  PairingSessionApproved: ({ scopes }) => `The wallet’s owner entered the code and approved: ${scopes.join(', ')}.`,
  PairingSessionRejected: () => 'The wallet’s owner said no.',
  PairingSessionExpired: () => 'The pairing session expired.',
  PairingTokenCollected: () => 'The agent received the connection.',
  ConnectionCreated: ({ agent_name, merchant_name, merchant_domain }) =>
    `The connection was made: “${agent_name}” for “${merchant_name}” (${merchant_domain}).`,
  ConnectionTokenRotated: ({ generation }) => `The connection’s token was rotated (number ${generation}).`,
  ConnectionPaused: () => 'The wallet’s owner paused the connection.',
  ConnectionResumed: () => 'The wallet’s owner resumed the connection.',
  ConnectionTokenHandedOver: ({ credential_id }) =>
    `Its token was given to the holder of the agent’s key ${credential_id}.`,
  ConnectionRevoked: ({ reason }) => END_SENTENCES[reason],
  TransactionContextRevised: ({ revision, title }) => `The agent described it (revision ${revision}): “${title}”.`,
  PaymentRequestKeyAssigned: ({ idempotency_key }) =>
    `The idempotency key ${idempotency_key} was tied to this request.`,
  PaymentRequestKeyTaken: ({ idempotency_key, payment_id }) =>
    `The idempotency key ${idempotency_key} was taken for the agent payment ${payment_id}.`,
  PaymentRequestCreated: ({ amount, facts, payee, recipient_version_id, expires_at }) =>
    `The agent asked for ${amount} ${facts.asset} to ${payee.name} (${payee.domain}): ${facts.address} on ${facts.network}, as in version ${recipient_version_id}. It waits for approval until ${expires_at}.`,
  PaymentRequestSigned: ({ transaction_hash }) => `The wallet’s owner approved and signed${what(transaction_hash)}.`,
  PaymentRequestBroadcasted: ({ transaction_hash }) => `The wallet sent transaction ${transaction_hash}.`,
  PaymentRequestConfirmed: ({ transaction_hash, ledger }) =>
    `The wallet says that transaction ${transaction_hash} was confirmed${ledger === null ? '' : ` in ledger ${ledger}`}. ${ONLY_A_CLAIM}`,
  PaymentRequestFailed: ({ reason }) => `The payment failed${because(reason)}.`,
  PaymentRequestRejected: ({ reason }) => `The wallet’s owner refused to pay${because(reason)}.`,
  PaymentRequestExpired: () => 'Nobody signed in time: the request expired.',
  PaymentRequestWithdrawn: withdrawn,
  PaymentRequestLateReport: late,
  PaymentRequestSettlementObserved: seen,
  PaymentRequestSettlementCheckRequested: () => 'The merchant asked the service to look at the network again.',
  AutomationPolicyCreated: ({ terms }) =>
    `A policy was proposed: at most ${terms.single_tx_limit} per payment and ${terms.cumulative_limit} in total, from ${terms.valid_from} to ${terms.valid_until}.`,
  AutomationPolicyChanged: ({ terms }) =>
    `The policy was changed: at most ${terms.single_tx_limit} per payment and ${terms.cumulative_limit} in total; it needs a new opt-in.`,
  AutomationPolicyOptedIn: ({ terms }) =>
    `The wallet’s owner opted in to the policy${terms === undefined ? '' : ', with tighter limits than proposed'}.`,
  AutomationPolicyOptedOut: () => 'The wallet’s owner opted out of the policy.',
  AutomationPolicyRevoked: () => 'The policy was revoked.',
  AutomationPolicyReplaced: ({ replaced_by }) => `The policy was replaced by ${replaced_by}.`,
  AutomationPolicyDeclined: () => 'The wallet’s owner declined the policy.',
  AutomationPolicyOptInLapsed: () => 'An opt-in came to nothing: the policy had changed meanwhile.',
  AmountReserved: ({ amount }) => `${amount} was reserved under the policy.`,
  AmountReleased: ({ amount, reason }) => `${amount} was released to the policy: ${reason}.`,
  AmountSettled: ({ amount }) => `${amount} stays counted against the policy.`,
  AmountBroadcasted: ({ amount }) => `${amount} counts as spent under the policy.`,
  AmountSpentLate: ({ amount }) => `${amount} counts as spent under the policy after all: money moved late.`,
  AgentPaymentCreated: ({ initiator, amount, facts, payee }) =>
    `A payment of ${amount} ${facts.asset} to ${payee.name} (${payee.domain}) was created by ${initiator === 'agent' ? 'an agent under a policy' : 'a person'}.`,
  AgentPaymentRefused: ({ amount, triggered_thresholds }) =>
    `An agent tried to pay ${amount} without approval, which is not allowed: ${triggered_thresholds.join(', ')}.`,
  AgentPaymentForgone: ({ idempotency_key }) =>
    `It was given up: a payment request was created under its key ${idempotency_key} instead.`,
  AgentPaymentSigned: ({ transaction_hash }) => `The wallet signed${what(transaction_hash)}.`,
  AgentPaymentBroadcasted: ({ transaction_hash }) => `The wallet sent transaction ${transaction_hash}.`,
  AgentPaymentConfirmed: ({ transaction_hash }) =>
    `The wallet says that transaction ${transaction_hash} was confirmed. ${ONLY_A_CLAIM}`,
  AgentPaymentFailed: ({ reason }) => `The payment failed${because(reason)}.`,
  AgentPaymentRejected: ({ reason }) => `The wallet’s owner refused to pay${because(reason)}.`,
  AgentPaymentExpired: () => 'Nobody signed in time: the payment expired.',
  AgentPaymentWithdrawn: withdrawn,
  AgentPaymentLateReport: late,
  AgentPaymentSettlementObserved: seen,
  AgentPaymentSettlementCheckRequested: () => 'The merchant asked the service to look at the network again.',
  SettlementTransferTaken: ({ operation, transfer, payment, announced }) =>
    `Transfer ${transfer} of operation ${operation} settles ${payment.id} and no other payment; a wallet had ${announced ? 'named the transaction before its ledger closed' : 'not named the transaction before its ledger closed'}.`,
  WebhookDeliveryScheduled: ({ event_type, endpoint_id }) =>
    `${event_type} is to be delivered to endpoint ${endpoint_id}.`,
  WebhookDeliveryOpened: ({ event_type, endpoint_id }) =>
    `${event_type} for endpoint ${endpoint_id} waits to be delivered, or delivered again.`,
  WebhookDeliveryAttempted: ({ number, status_code, error_kind, outcome }) =>
    `Delivery attempt ${number}: ${status_code ?? error_kind}, ${outcome}.`,
  WebhookDeliveryRequeued: ({ kind }) => `It is to be delivered again (${kind}).`,
  WebhookDeliveryCancelled: () => 'It will not be delivered: the endpoint was deleted.',
  WebhookDeliveriesRecorded: ({ endpoint_id, outcomes, rewind_id }) =>
    `Delivered${rewind_id === null ? '' : ' again'} to endpoint ${endpoint_id}: ${outcomes
      .map(({ event_type, status_code, delivery_id }) => `${event_type} (${status_code}, ${delivery_id})`)
      .join(', ')}.`,
  WebhookDeliveriesCancelled: ({ endpoint_id }) =>
    `Endpoint ${endpoint_id} was deleted: nothing more is delivered to it.`,
  // No payment depends on these events, so they have no sentence and are shown by name.
  ApiKeyCreated: null,
  ApiKeyUsed: null,
  ApiKeyRevoked: null,
  AssertionAccepted: null,
  CredentialKeyClaimed: null,
  PolicySlotTaken: null,
  DomainNameProven: null,
  DomainNameSeen: null,
  DomainNameMissed: null,
  WebhookEndpointKeyAssigned: null,
  EmailLinkIssued: null,
  EmailLinkSpent: null,
  GrantIssued: null,
  GrantSpentOnMerchant: null,
  GrantSpentOnSession: null,
  MerchantAccountRegistered: null,
  MerchantAccountAddressSealed: null,
  PaymentIntentTaken: null,
  PaymentIntentReleased: null,
  ServiceSecretAdopted: null,
  ServiceSecretRotated: null,
  SessionOpened: null,
  SessionUsed: null,
  SessionEnded: null,
  SigningKeyPublished: null,
  SigningKeyEndorsed: null,
  CheckpointSigned: null,
  WebhookEndpointCreated: null,
  WebhookEndpointVerified: null,
  WebhookEndpointChanged: null,
  WebhookEndpointSecretRotated: null,
  WebhookEndpointDisabled: null,
  WebhookEndpointEnabled: null,
  WebhookEndpointRecoveryRequested: null,
  WebhookEndpointDeleted: null,
  WebhookRewindRequested: null,
  WebhookRewindCancelled: null,
};

/** Types without a sentence are shown by name. */
export function sentenceFor({ type, data }: RecordedEvent): string {
  const words = SENTENCES[type as EventType] as ((data: object) => string) | null | undefined;
  return words?.(data) ?? `${type}.`;
}
