import { type CallOptions, type ClientOptions, path } from '../transport.ts';
import { followEvents, type FollowOptions } from '../follow-events.ts';
import { type NextCursor, type Page } from '../types/common.ts';
import { type Merchant, type OpenMerchantSession } from '../types/merchant.ts';
import { type MerchantEvent, type MerchantEventPage, type WebhookEventType } from '../types/webhook.ts';
import { MerchantAccess, type OpenedSession, type SessionInput } from './access.ts';
import { MerchantAgents } from './agents.ts';
import { MerchantApiKeys } from './api-keys.ts';
import { MerchantConnections } from './connections.ts';
import { MerchantDomains } from './domains.ts';
import { MerchantNetworks } from './networks.ts';
import { MerchantPayments } from './payments.ts';
import { MerchantPolicies } from './policies.ts';
import { MerchantRecipients } from './recipients.ts';
import { MerchantSession, type SessionProof } from './session.ts';
import { MerchantWebhooks } from './webhooks.ts';

export type MerchantClientOptions = ClientOptions & SessionProof;

export type SignedInMerchant = OpenedSession & Readonly<{ client: MerchantClient }>;

/** What a merchant's operator does, with an open session. */
export class MerchantClient {
  readonly domains: MerchantDomains;
  readonly recipients: MerchantRecipients;
  readonly agents: MerchantAgents;
  readonly apiKeys: MerchantApiKeys;
  readonly connections: MerchantConnections;
  readonly networks: MerchantNetworks;
  readonly payments: MerchantPayments;
  readonly policies: MerchantPolicies;
  readonly webhooks: MerchantWebhooks;
  readonly #session: MerchantSession;

  constructor(options: MerchantClientOptions) {
    this.#session = new MerchantSession(options, options);
    this.domains = new MerchantDomains(this.#session);
    this.recipients = new MerchantRecipients(this.#session);
    this.agents = new MerchantAgents(this.#session);
    this.apiKeys = new MerchantApiKeys(this.#session);
    this.connections = new MerchantConnections(this.#session);
    this.networks = new MerchantNetworks(this.#session);
    this.payments = new MerchantPayments(this.#session);
    this.policies = new MerchantPolicies(this.#session);
    this.webhooks = new MerchantWebhooks(this.#session);
  }

  /** Exchanges a grant for a session of 8 hours. `cookie` is for pages on the service's own origin. */
  static async signIn(
    options: ClientOptions,
    input: SessionInput & Readonly<{ delivery?: 'bearer' | 'cookie' }>,
  ): Promise<SignedInMerchant> {
    const { delivery = 'bearer', ...rest } = input;
    const opened = await new MerchantAccess(options).openSession({ ...rest, delivery });
    const { session_token: sessionToken, csrf_token: csrfToken } = opened;
    const proof = sessionToken === undefined ? { csrfToken } : { sessionToken };
    return { ...opened, client: new MerchantClient({ ...options, ...proof }) };
  }

  async read(options?: CallOptions): Promise<Merchant> {
    return (await this.#session.get<{ merchant: Merchant }>('/v1/merchants/current', {}, options)).merchant;
  }

  /** Connections show the new name and the one that was agreed to; payment requests keep that one. */
  async rename(input: Readonly<{ version: number; name: string }>, options?: CallOptions): Promise<Merchant> {
    return (await this.#session.patch<{ merchant: Merchant }>('/v1/merchants/current', input, options)).merchant;
  }

  /** One page of the webhook events after `since`; `wait` holds back an empty response for that many seconds. */
  pollEvents(
    query: Readonly<{ since?: number; limit?: number; wait?: number; types?: string }> = {},
    options: CallOptions = {},
  ): Promise<MerchantEventPage> {
    const timeoutMs = options.timeoutMs ?? 30_000 + (query.wait ?? 0) * 1000;
    return this.#session.get('/v1/events', query, { ...options, timeoutMs });
  }

  /** The same feed as a stream after a cursor, for `followStream`: for pages that stay open. */
  openEvents(since: number, signal: AbortSignal): Promise<Response> {
    return this.#session.open('/v1/events', { since }, signal);
  }

  /** `for await (const event of merchant.events({ since }))`: every event as it arrives, over long polls. */
  events(
    options: FollowOptions & Readonly<{ types?: readonly WebhookEventType[] }> = {},
  ): AsyncGenerator<MerchantEvent> {
    const { signal, types } = options;
    const some = types ? { types: types.join(',') } : {};
    return followEvents((query) => this.pollEvents({ ...query, ...some }, signal ? { signal } : {}), options);
  }

  /** Session, merchant and CSRF token again, for a page that was reloaded. */
  readSession(options?: CallOptions): Promise<Omit<OpenedSession, 'session_token'>> {
    return this.#session.get('/v1/merchant-sessions/current', {}, options);
  }

  /** This person's open sessions, in any browser or program, newest first. */
  listSessions(query: Page = {}, options?: CallOptions) {
    type Sessions = NextCursor & Readonly<{ sessions: readonly OpenMerchantSession[] }>;
    return this.#session.get<Sessions>('/v1/merchant-sessions', query, options);
  }

  /** Ends one of this person's sessions, at once. */
  async endSession(id: string, options?: CallOptions): Promise<void> {
    await this.#session.delete(path`/v1/merchant-sessions/${id}`, options);
  }

  /** Ends every session of this person, including this one. */
  async signOutEverywhere(options?: CallOptions): Promise<void> {
    await this.#session.delete('/v1/merchant-sessions', options);
  }

  /** Ends this session at once, wherever else it is in use. */
  async signOut(options?: CallOptions): Promise<void> {
    await this.#session.delete('/v1/merchant-sessions/current', options);
  }
}
