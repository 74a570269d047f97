import { type DataOf, type EventType } from '../../../../events';

/** The state of what no event has created yet. */
export const NOT_THERE = 'not there';

/** What something may be before an event, and what it is after it; without `to` it stays what it is. */
export type Step<Data> = Readonly<{
  from: readonly string[];
  to?: string | ((data: Data, before: string) => string);
  /** The member that names one of several things of a stream; without it, the event is about what the stream is. */
  part?: keyof Data & string;
  /** What the whole may be meanwhile, for an event about a part. */
  whole?: readonly string[];
}>;

const begins = (to: string) => ({ from: [NOT_THERE], to });
const moves = (from: readonly string[], to: string) => ({ from, to });
const stays = (from: readonly string[]) => ({ from });
/** What may happen at any time, and what the invariants of the payments' statuses and amounts judge. */
const ALWAYS = null;

const LIVING_AGENT = ['pending', 'active', 'suspended'];
const LIVING_POLICY = ['awaiting_opt_in', 'active', 'opted_out'];
/** Disabled before its URL was verified: nothing but that makes it active. */
const UNVERIFIED = 'disabled unverified';
const LIVING_ENDPOINT = ['pending', 'active', 'disabled', UNVERIFIED];
const OPEN_CONNECTION = ['active', 'paused'];
const MERCHANT = ['pending', 'active'];
const ENDED_ATTEMPT = { succeeded: 'succeeded', failed: 'failed', retry: 'pending' } as const;

/**
 * What can follow what, for every type of event: the rules of the deciders, told a second time. A decider that allowed
 * too much, and an event that no decider wrote, are both found by it.
 */
export const LIFECYCLE_STEPS: { readonly [Type in EventType]: Step<DataOf<Type>> | null } = {
  MerchantAccountRegistered: begins('registered'),
  MerchantAccountAddressSealed: ALWAYS,
  EmailLinkIssued: begins('issued'),
  // That a link, a grant, a key or an assertion was used once is judged by name elsewhere.
  EmailLinkSpent: moves(['issued', 'spent'], 'spent'),
  GrantIssued: begins('issued'),
  GrantSpentOnMerchant: moves(['issued', 'spent'], 'spent'),
  GrantSpentOnSession: moves(['issued', 'spent'], 'spent'),
  SessionOpened: begins('open'),
  SessionUsed: stays(['open']),
  SessionEnded: moves(['open'], 'ended'),
  ApiKeyCreated: begins('active'),
  ApiKeyUsed: stays(['active']),
  ApiKeyRevoked: moves(['active'], 'revoked'),

  MerchantCreated: begins('pending'),
  MerchantDomainRegistered: {
    ...moves([NOT_THERE, 'registered', 'superseded', 'given up'], 'registered'),
    part: 'domain_id',
    whole: MERCHANT,
  },
  MerchantDomainVerified: { ...moves(['registered', 'superseded'], 'verified'), part: 'domain_id', whole: MERCHANT },
  MerchantDomainSuperseded: { ...moves(['verified'], 'superseded'), part: 'domain_id', whole: MERCHANT },
  MerchantDomainGivenUp: {
    ...moves(['registered', 'verified', 'superseded'], 'given up'),
    part: 'domain_id',
    whole: MERCHANT,
  },
  // Over several merchants: see the invariant of names.
  DomainNameProven: ALWAYS,
  DomainNameSeen: ALWAYS,
  DomainNameMissed: ALWAYS,
  MerchantActivated: moves(['pending'], 'active'),
  MerchantRenamed: stays(MERCHANT),

  RecipientCreated: begins('created'),
  RecipientVersionAdded: { ...begins('added'), part: 'recipient_version_id', whole: ['created'] },
  // Of a version that was replaced, both may happen again; of one that was retired, neither.
  RecipientVersionVerified: { ...moves(['added', 'verified', 'activated'], 'verified'), part: 'recipient_version_id' },
  RecipientVersionActivated: { ...moves(['verified', 'activated'], 'activated'), part: 'recipient_version_id' },
  // Once more where only the second call asks for what is pending to be withdrawn.
  RecipientVersionRetired: {
    ...moves(['added', 'verified', 'activated', 'retired'], 'retired'),
    part: 'recipient_version_id',
  },

  AgentCreated: begins('pending'),
  AgentStatusChanged: { from: LIVING_AGENT, to: ({ status }) => status },
  AgentDetailsChanged: stays(LIVING_AGENT),
  AgentCredentialRegistered: { ...begins('pending'), part: 'credential_id', whole: LIVING_AGENT },
  AgentCredentialProofFailed: { ...stays(['pending']), part: 'credential_id', whole: LIVING_AGENT },
  AgentCredentialActivated: { ...moves(['pending'], 'active'), part: 'credential_id', whole: LIVING_AGENT },
  // A rotated credential may later turn out to be compromised.
  AgentCredentialRevoked: { ...moves(['pending', 'active', 'revoked'], 'revoked'), part: 'credential_id' },
  AssertionAccepted: ALWAYS,
  CredentialKeyClaimed: ALWAYS,
  WebhookEndpointKeyAssigned: ALWAYS,

  WalletDeviceRegistered: begins('active'),
  WalletDeviceTokenRotated: stays(['active']),
  WalletDeviceRemoved: moves(['active'], 'removed'),

  ConnectKeyIssued: begins('issued'),
  ConnectInvitationClaimed: moves(['issued', 'claimed'], 'claimed'),
  ConnectInvitationApproved: moves(['claimed'], 'approved'),
  ConnectInvitationRejected: moves(['claimed'], 'rejected'),
  ConnectInvitationExpired: moves(['issued', 'claimed', 'approved'], 'expired'),
  ConnectInvitationExchanged: moves(['approved', 'exchanged'], 'exchanged'),
  PairingSessionStarted: begins('pending'),
  PairingCodeMissed: stays(['pending']),
  PairingSessionApproved: moves(['pending'], 'approved'),
  PairingSessionRejected: moves(['pending'], 'rejected'),
  PairingSessionExpired: moves(['pending'], 'expired'),
  PairingTokenCollected: stays(['approved']),
  ConnectionCreated: begins('active'),
  ConnectionTokenRotated: stays(OPEN_CONNECTION),
  // The agent may collect the token of a connection that has ended since: it no longer works.
  ConnectionTokenHandedOver: stays([...OPEN_CONNECTION, 'revoked']),
  ConnectionPaused: moves(['active'], 'paused'),
  ConnectionResumed: moves(['paused'], 'active'),
  ConnectionRevoked: moves(OPEN_CONNECTION, 'revoked'),

  TransactionContextRevised: ALWAYS,
  PaymentIntentTaken: ALWAYS,
  PaymentIntentReleased: ALWAYS,
  PaymentRequestKeyTaken: moves([NOT_THERE], 'taken'),
  PaymentRequestKeyAssigned: moves([NOT_THERE, 'taken'], 'assigned'),
  PaymentRequestCreated: moves([NOT_THERE, 'taken'], 'created'),
  PaymentRequestSigned: ALWAYS,
  PaymentRequestBroadcasted: ALWAYS,
  PaymentRequestConfirmed: ALWAYS,
  PaymentRequestFailed: ALWAYS,
  PaymentRequestRejected: ALWAYS,
  PaymentRequestExpired: ALWAYS,
  PaymentRequestWithdrawn: ALWAYS,
  PaymentRequestLateReport: ALWAYS,
  PaymentRequestSettlementObserved: ALWAYS,
  PaymentRequestSettlementCheckRequested: stays(['created']),

  AutomationPolicyCreated: begins('awaiting_opt_in'),
  AutomationPolicyChanged: moves(LIVING_POLICY, 'awaiting_opt_in'),
  AutomationPolicyOptedIn: moves(LIVING_POLICY, 'active'),
  AutomationPolicyOptedOut: moves(['awaiting_opt_in', 'active'], 'opted_out'),
  AutomationPolicyRevoked: moves(LIVING_POLICY, 'revoked'),
  AutomationPolicyReplaced: moves(['active'], 'replaced'),
  AutomationPolicyDeclined: moves(['awaiting_opt_in', 'opted_out'], 'declined'),
  AutomationPolicyOptInLapsed: ALWAYS,
  AmountReserved: ALWAYS,
  AmountReleased: ALWAYS,
  AmountSettled: ALWAYS,
  AmountBroadcasted: ALWAYS,
  AmountSpentLate: ALWAYS,
  PolicySlotTaken: ALWAYS,
  AgentPaymentRefused: moves([NOT_THERE, 'refused'], 'refused'),
  AgentPaymentForgone: moves([NOT_THERE, 'refused'], 'forgone'),
  AgentPaymentCreated: moves([NOT_THERE, 'refused'], 'created'),
  AgentPaymentSigned: ALWAYS,
  AgentPaymentBroadcasted: ALWAYS,
  AgentPaymentConfirmed: ALWAYS,
  AgentPaymentFailed: ALWAYS,
  AgentPaymentRejected: ALWAYS,
  AgentPaymentExpired: ALWAYS,
  AgentPaymentWithdrawn: ALWAYS,
  AgentPaymentLateReport: ALWAYS,
  AgentPaymentSettlementObserved: ALWAYS,
  AgentPaymentSettlementCheckRequested: stays(['created']),

  // What a transfer may settle is judged by name elsewhere.
  SettlementTransferTaken: ALWAYS,

  WebhookEndpointCreated: begins('pending'),
  WebhookEndpointVerified: moves(['pending', 'disabled', UNVERIFIED], 'active'),
  WebhookEndpointChanged: {
    from: LIVING_ENDPOINT,
    to: ({ needs_verification }, before) => (needs_verification ? 'pending' : before),
  },
  WebhookEndpointSecretRotated: stays(LIVING_ENDPOINT),
  WebhookEndpointDisabled: {
    from: ['pending', 'active'],
    to: (_, before) => (before === 'active' ? 'disabled' : UNVERIFIED),
  },
  WebhookEndpointEnabled: moves(['disabled'], 'active'),
  WebhookEndpointRecoveryRequested: stays(['active']),
  WebhookEndpointDeleted: moves(LIVING_ENDPOINT, 'deleted'),
  WebhookDeliveryScheduled: begins('pending'),
  WebhookDeliveryOpened: begins('pending'),
  WebhookDeliveryAttempted: { from: ['pending'], to: ({ outcome }) => ENDED_ATTEMPT[outcome] },
  WebhookDeliveryRequeued: moves(['pending', 'succeeded', 'failed'], 'pending'),
  WebhookDeliveryCancelled: moves(['pending'], 'cancelled'),
  WebhookDeliveriesRecorded: ALWAYS,
  WebhookDeliveriesCancelled: ALWAYS,
  WebhookRewindRequested: begins('requested'),
  WebhookRewindCancelled: moves(['requested'], 'cancelled'),

  CheckpointSigned: ALWAYS,
  SigningKeyPublished: begins('published'),
  SigningKeyEndorsed: moves(['published'], 'endorsed'),
  ServiceSecretAdopted: begins('adopted'),
  ServiceSecretRotated: stays(['adopted']),
};
