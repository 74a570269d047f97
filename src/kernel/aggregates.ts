import { derivedId, type Id, type IdPrefix, isIdOf } from './ids';

/** Who owns a stream. A merchant sees its own streams in the audit feed: see StreamOwners. */
type Owner = 'merchant' | 'account' | 'wallet' | 'service';

type Aggregate = Readonly<{
  /** The prefix of its ids; null for streams that are named otherwise. */
  prefix: IdPrefix | null;
  owner: Owner;
  /** In older logs the stream has a name that its caller chose. */
  named?: true;
  /** The stream shares the id of another aggregate's stream: the id alone means the other one. */
  beside?: string;
}>;

/**
 * Every kind of stream. Its events are defined in src/events, its deciders in src/app/deciders.ts; both must cover
 * every category of this table, or the build breaks.
 */
export const AGGREGATES = {
  merchant_account: { prefix: 'mac', owner: 'account' },
  email_link: { prefix: 'lnk', owner: 'account' },
  grant: { prefix: 'grt', owner: 'account' },
  session: { prefix: 'ses', owner: 'merchant' },
  merchant: { prefix: 'mer', owner: 'merchant' },
  // Several merchants may prove one name, one after another; none is to learn who the others are.
  domain_name: { prefix: 'dnm', owner: 'service' },
  recipient: { prefix: 'rcp', owner: 'merchant' },
  agent: { prefix: 'agt', owner: 'merchant' },
  assertion: { prefix: 'ast', owner: 'merchant' },
  // One public key may be tried by agents of several merchants.
  credential_key: { prefix: 'cpk', owner: 'service' },
  wallet_device: { prefix: 'dev', owner: 'wallet' },
  connect_invitation: { prefix: 'inv', owner: 'wallet' },
  pairing_session: { prefix: 'prs', owner: 'merchant' },
  connection: { prefix: 'con', owner: 'merchant' },
  transaction_context: { prefix: 'txn', owner: 'merchant' },
  payment_request: { prefix: 'pr', owner: 'merchant', named: true },
  // A lock between calls for one device: the requests themselves tell the merchant everything.
  payment_intent: { prefix: 'pr', owner: 'service', beside: 'payment_request' },
  webhook_endpoint: { prefix: 'whe', owner: 'merchant' },
  // Which endpoint an idempotency key has made; the endpoint itself tells the merchant everything.
  webhook_endpoint_key: { prefix: 'whk', owner: 'service' },
  webhook_outcomes: { prefix: 'whe', owner: 'merchant', beside: 'webhook_endpoint' },
  webhook_delivery: { prefix: 'whd', owner: 'merchant' },
  webhook_rewind: { prefix: 'rwd', owner: 'merchant' },
  api_key: { prefix: 'key', owner: 'merchant' },
  automation_policy: { prefix: 'pol', owner: 'merchant' },
  // Which policy counts for a connection, network and asset; the policies themselves tell the merchant everything.
  policy_slot: { prefix: 'psl', owner: 'service' },
  agent_payment: { prefix: 'ap', owner: 'merchant' },
  // Payments of several merchants may name one transaction: each merchant is told by its own payments.
  settlement_claim: { prefix: null, owner: 'service' },
  transparency_log: { prefix: null, owner: 'service' },
  signing_key: { prefix: null, owner: 'service' },
  service_secret: { prefix: null, owner: 'service' },
} as const satisfies Readonly<Record<string, Aggregate>>;

export type Category = keyof typeof AGGREGATES;

/** What follows the category in a stream's name: plain text if the ids have no prefix, or callers choose them. */
export type IdOf<C extends Category> = (typeof AGGREGATES)[C] extends { named: true }
  ? string
  : (typeof AGGREGATES)[C]['prefix'] extends infer P extends IdPrefix
    ? Id<P>
    : string;

export type AccountId = IdOf<'merchant_account'>;
export type LinkId = IdOf<'email_link'>;
export type GrantId = IdOf<'grant'>;
export type SessionId = IdOf<'session'>;
export type MerchantId = IdOf<'merchant'>;
export type DomainNameId = IdOf<'domain_name'>;
export type RecipientId = IdOf<'recipient'>;
export type AgentId = IdOf<'agent'>;
export type AssertionId = IdOf<'assertion'>;
export type CredentialKeyId = IdOf<'credential_key'>;
export type WalletDeviceId = IdOf<'wallet_device'>;
export type InvitationId = IdOf<'connect_invitation'>;
export type PairingSessionId = IdOf<'pairing_session'>;
export type ConnectionId = IdOf<'connection'>;
export type ContextId = IdOf<'transaction_context'>;
export type EndpointId = IdOf<'webhook_endpoint'>;
export type EndpointKeyId = IdOf<'webhook_endpoint_key'>;
export type DeliveryId = IdOf<'webhook_delivery'>;
export type RewindId = IdOf<'webhook_rewind'>;
export type ApiKeyId = IdOf<'api_key'>;
export type PolicyId = IdOf<'automation_policy'>;
export type PolicySlotId = IdOf<'policy_slot'>;
export type PaymentId = IdOf<'agent_payment'>;
export type SettlementClaimId = IdOf<'settlement_claim'>;
/** What a connection originated from. */
export type OriginId = InvitationId | PairingSessionId;

/** Things within the stream of another aggregate. */
export type DomainId = Id<'dom'>;
export type RecipientVersionId = Id<'rcv'>;
export type EvidenceId = Id<'evd'>;
export type CredentialId = Id<'crd'>;
export type ReservationId = Id<'rsv'>;

export const CATEGORIES = Object.keys(AGGREGATES) as readonly Category[];

export const isCategory = (name: string): name is Category => Object.hasOwn(AGGREGATES, name);

const byPrefix = new Map(
  Object.entries<Aggregate>(AGGREGATES).flatMap(([category, { prefix, beside }]) =>
    prefix === null || beside !== undefined ? [] : [[prefix as string, category as Category] as const],
  ),
);

/** The category that an id's prefix stands for. */
export const categoryOfId = (id: string): Category | undefined => byPrefix.get(/^([a-z]+)_/.exec(id)?.[1] ?? '');

export const isOwnedByMerchant = (category: string): boolean =>
  isCategory(category) && AGGREGATES[category].owner === 'merchant';

/** Whether a caller's text has the form of such an id; the thing itself need not exist. */
export function isIdIn<C extends Category>(category: C, text: string | undefined): text is IdOf<C> {
  const { prefix } = AGGREGATES[category];
  return text !== undefined && (prefix === null || isIdOf(prefix, text));
}

/** Tells from the origin's id what a connection originated from. */
export const categoryOfOrigin = (origin: string): 'pairing_session' | 'connect_invitation' =>
  categoryOfId(origin) === 'pairing_session' ? 'pairing_session' : 'connect_invitation';

/** Ids derived from their purpose: where a missing stream is the lock, and where an auditor must find the stream. */
export const idFor = {
  merchantOf: (grant: GrantId): MerchantId => derivedId('mer', grant),
  connectionFrom: (origin: OriginId): ConnectionId => derivedId('con', origin),
  domainName: (name: string): DomainNameId => derivedId('dnm', name),
  credentialKey: (publicKey: string): CredentialKeyId => derivedId('cpk', publicKey),
  assertion: (credential: CredentialId, jti: string): AssertionId => derivedId('ast', credential, jti),
  /** Callers choose transaction ids, so one is unique only within its connection. */
  transactionContext: (connection: ConnectionId, transactionId: string): ContextId =>
    derivedId('txn', connection, 'transaction', transactionId),
  requestOfKey: (connection: ConnectionId, key: string): Id<'pr'> => derivedId('pr', connection, 'key', key),
  requestOfName: (merchant: MerchantId, name: string): Id<'pr'> => derivedId('pr', merchant, 'id', name),
  paymentIntent: (device: WalletDeviceId, recipient: RecipientId, shortestAmount: string): IdOf<'payment_intent'> =>
    derivedId('pr', device, 'intent', recipient, shortestAmount),
  paymentOfKey: (merchant: MerchantId, key: string): PaymentId => derivedId('ap', merchant, 'key', key),
  /** For a key that the connection's payment requests and agent payments share (docs/adr/0019). */
  paymentOfConnectionKey: (connection: ConnectionId, key: string): PaymentId => derivedId('ap', connection, 'key', key),
  /** What a call makes under its idempotency key: the holder of the credential scopes the key (docs/adr/0030). */
  underKey: <P extends IdPrefix>(prefix: P, holder: string, key: string): Id<P> =>
    derivedId(prefix, holder, 'key', key),
  endpoint: (merchant: MerchantId, place: number, turn: number): EndpointId =>
    derivedId('whe', merchant, String(place), String(turn)),
  policySlot: (connection: ConnectionId, network: string, asset: string): PolicySlotId =>
    derivedId('psl', connection, network, asset),
  endpointKey: (merchant: MerchantId, key: string): EndpointKeyId => derivedId('whk', merchant, 'key', key),
  delivery: (endpoint: EndpointId, event: string): DeliveryId => derivedId('whd', endpoint, event),
  /** Readable, so that an auditor finds the stream of a transaction. */
  settlementClaim: (network: string, ledgerHash: string): SettlementClaimId => `${network}_${ledgerHash}`,
} as const;
