import { type AgentCredential } from './agent-key.ts';
import { SvcError } from './errors.ts';
import { followEvents, type FollowOptions } from './follow-events.ts';
import { pause } from './pause.ts';
import { RequestWaiter, type WaitOptions } from './request-waiter.ts';
import { AgentTokens, givenToken, type TokenSource, withToken } from './token-source.ts';
import { type Answer, type Call, type CallOptions, type ClientOptions, path, Transport } from './transport.ts';
import { type NextCursor, type Page } from './types/common.ts';
import {
  type ClaimedInvitation,
  type ConnectInvitation,
  type Connection,
  type CurrentConnection,
  type OpenedConnection,
  type PairingSession,
  type StartedPairingSession,
} from './types/connect.ts';
import {
  type DuplicateRequest,
  type EventPage,
  type NewPaymentRequest,
  type NewTransactionContext,
  type PayableRecipient,
  type PaymentRequest,
  type PaymentRequestEvent,
  type PaymentStatus,
  type TransactionContext,
} from './types/payment.ts';
import { type TimelineEntry } from './types/review.ts';

export type AgentClientOptions = ClientOptions &
  Readonly<{
    /** Signs the assertions that buy agent tokens: needed to claim Connect Keys and to start pairings. */
    credential?: AgentCredential;
    /** From an earlier connection. A function is asked again after a 401, for tokens kept where others replace them. */
    connectionToken?: string | (() => string | Promise<string>);
    /** If the service calls itself by another address than `baseUrl`. */
    audience?: string;
    now?: () => Date;
  }>;

export type CreatedPaymentRequest = Readonly<{
  payment_request: PaymentRequest;
  /** True if this key had been used before: the request as it now is. */
  replayed: boolean;
  /** What to send again if in doubt. */
  idempotency_key: string;
  /** Others of the last 24 hours for the same recipient and amount, open or confirmed. */
  duplicates: readonly DuplicateRequest[];
}>;

type Patience = CallOptions & Readonly<{ intervalMs?: number; waitMs?: number }>;

/** What an agent does: connect to a person's wallet, ask for payments, and learn what became of them. */
export class AgentClient {
  readonly #transport: Transport;
  readonly #agentTokens: TokenSource | undefined;
  #connectionTokens: TokenSource | undefined;
  #waiter = new RequestWaiter(this);

  constructor(options: AgentClientOptions) {
    const { credential, connectionToken, now = () => new Date() } = options;
    this.#transport = new Transport(options);
    const audience = options.audience ?? `${this.#transport.baseUrl}/v1/agent-auth/token`;
    this.#agentTokens = credential && new AgentTokens(this.#transport, credential, { audience, now });
    this.#connectionTokens = connectionToken === undefined ? undefined : givenToken(connectionToken);
  }

  /** Spends a person's Connect Key. Their wallet now shows who asks for what; see `waitForApproval`. */
  async claimConnectKey(connectKey: string, scopes: readonly string[], options?: CallOptions) {
    const body = { connect_key: connectKey, requested_scopes: scopes };
    return this.#asAgent<ClaimedInvitation>({
      method: 'POST',
      path: '/v1/connect-invitations/claim',
      body,
      options,
    });
  }

  async readInvitation(claimed: ClaimedInvitation, options?: CallOptions): Promise<ConnectInvitation> {
    const { connect_invitation_id: id } = claimed.connect_invitation;
    const call: Call = { method: 'GET', path: path`/v1/connect-invitations/${id}`, options };
    return (await this.#withClaim<{ connect_invitation: ConnectInvitation }>(call, claimed)).connect_invitation;
  }

  /** Fetches the connection token once the person has approved; this client uses it from then on. */
  async exchangeInvitation(claimed: ClaimedInvitation, options?: CallOptions): Promise<OpenedConnection> {
    const { connect_invitation_id: id } = claimed.connect_invitation;
    const call: Call = { method: 'POST', path: path`/v1/connect-invitations/${id}/exchange`, body: {}, options };
    const opened = await this.#withClaim<OpenedConnection>(call, claimed);
    this.useConnection(opened.connection_token);
    return opened;
  }

  /** Exchanges as soon as the person has decided; a rejection or the invitation's end is thrown. */
  async waitForApproval(claimed: ClaimedInvitation, options: Patience = {}): Promise<OpenedConnection> {
    const { intervalMs = 1_000, waitMs = 600_000, signal, ...call } = options;
    const deadline = Date.now() + waitMs;
    for (;;) {
      signal?.throwIfAborted();
      try {
        return await this.exchangeInvitation(claimed, { ...call, ...(signal ? { signal } : {}) });
      } catch (error) {
        const undecided = error instanceof SvcError && error.code === 'approval_pending';
        if (!undecided || Date.now() + intervalMs > deadline) throw error;
      }
      await pause(intervalMs, signal);
    }
  }

  async startPairing(scopes: readonly string[], options?: CallOptions): Promise<StartedPairingSession> {
    const body = { requested_scopes: scopes };
    const call: Call = { method: 'POST', path: '/v1/pairing/sessions', body, options };
    return (await this.#asAgent<{ pairing_session: StartedPairingSession }>(call)).pairing_session;
  }

  /** After the approval the answer holds the connection and, once, its token, which this client then uses. */
  async readPairing({ pairing_session_id: id, code }: StartedPairingSession, options?: CallOptions) {
    const found = await this.#asAgent<
      Readonly<{ pairing_session: PairingSession; connection?: Connection; connection_token?: string }>
    >({ method: 'GET', path: path`/v1/pairing/sessions/${id}`, query: { code }, options });
    if (found.connection_token !== undefined) this.useConnection(found.connection_token);
    return found;
  }

  useConnection(connectionToken: string | (() => string | Promise<string>)): void {
    this.#connectionTokens = givenToken(connectionToken);
    this.#waiter = new RequestWaiter(this);
  }

  async currentConnection(options?: CallOptions): Promise<CurrentConnection> {
    return (await this.#connected<CurrentConnection>({ method: 'GET', path: '/v1/connections/current', options })).body;
  }

  /** The merchant's recipients that can be paid now. */
  async listPayees(query: Page = {}, options?: CallOptions) {
    const call: Call = { method: 'GET', path: '/v1/payees', query, options };
    return (await this.#connected<NextCursor & Readonly<{ payees: readonly PayableRecipient[] }>>(call)).body;
  }

  /** What the person reads beside the amount. The same `transaction_id` again adds a revision. */
  async describeTransaction(input: NewTransactionContext, options?: CallOptions): Promise<TransactionContext> {
    const call: Call = { method: 'POST', path: '/v1/transaction-contexts', body: input, options };
    return (await this.#connected<{ transaction_context: TransactionContext }>(call)).body.transaction_context;
  }

  async readTransaction(transactionId: string, options?: CallOptions): Promise<TransactionContext> {
    const call: Call = { method: 'GET', path: path`/v1/transaction-contexts/${transactionId}`, options };
    return (await this.#connected<{ transaction_context: TransactionContext }>(call)).body.transaction_context;
  }

  /**
   * Asks for a payment: it then waits in the person's wallet and nothing is paid yet. An idempotency key always goes
   * along; one of your own (an order's number) makes the call safe to repeat from anywhere.
   */
  async createPaymentRequest(
    input: NewPaymentRequest,
    options: CallOptions & Readonly<{ idempotencyKey?: string }> = {},
  ): Promise<CreatedPaymentRequest> {
    const { idempotencyKey = input.idempotency_key ?? globalThis.crypto.randomUUID(), ...rest } = options;
    const { body, headers } = await this.#connected<{
      payment_request: PaymentRequest;
      duplicates?: readonly DuplicateRequest[];
    }>({
      method: 'POST',
      path: '/v1/payment-requests',
      body: { policy: { requires_user_approval: true }, ...input },
      idempotencyKey,
      options: rest,
    });
    return {
      payment_request: body.payment_request,
      replayed: headers.get('idempotent-replayed') === 'true',
      idempotency_key: idempotencyKey,
      duplicates: body.duplicates ?? [],
    };
  }

  /** What a key has made on this connection; undefined if nothing. To be asked after an answer was lost. */
  async findPaymentRequest(idempotencyKey: string, options?: CallOptions): Promise<PaymentRequest | undefined> {
    const call: Call = { method: 'GET', path: path`/v1/payment-requests/by-key/${idempotencyKey}`, options };
    try {
      return (await this.#connected<{ payment_request: PaymentRequest }>(call)).body.payment_request;
    } catch (error) {
      if (error instanceof SvcError && error.code === 'resource_not_found') return undefined;
      throw error;
    }
  }

  /** Every event of its life, in order. */
  async readTimeline(requestId: string, options?: CallOptions): Promise<readonly TimelineEntry[]> {
    const call: Call = { method: 'GET', path: path`/v1/payment-requests/${requestId}/timeline`, options };
    return (await this.#connected<{ timeline: readonly TimelineEntry[] }>(call)).body.timeline;
  }

  async readPaymentRequest(requestId: string, options?: CallOptions): Promise<PaymentRequest> {
    const call: Call = { method: 'GET', path: path`/v1/payment-requests/${requestId}`, options };
    return (await this.#connected<{ payment_request: PaymentRequest }>(call)).body.payment_request;
  }

  async listPaymentRequests(query: Page & Readonly<{ status?: PaymentStatus }> = {}, options?: CallOptions) {
    const call: Call = { method: 'GET', path: '/v1/payment-requests', query, options };
    return (await this.#connected<NextCursor & Readonly<{ payment_requests: readonly PaymentRequest[] }>>(call)).body;
  }

  /** One page of events after `since`; `wait` holds an empty answer back for so many seconds. */
  async pollEvents(
    query: Readonly<{ since?: number; limit?: number; wait?: number }> = {},
    options: CallOptions = {},
  ): Promise<EventPage> {
    const timeoutMs = options.timeoutMs ?? 30_000 + (query.wait ?? 0) * 1000;
    const call: Call = {
      method: 'GET',
      path: '/v1/payment-requests/events',
      query,
      options: { ...options, timeoutMs },
    };
    return (await this.#connected<EventPage>(call)).body;
  }

  /** `for await (const event of agent.events({ since }))`: every event as it comes, over long polls. */
  events(options: FollowOptions = {}): AsyncGenerator<PaymentRequestEvent> {
    const { signal } = options;
    return followEvents((query) => this.pollEvents(query, signal ? { signal } : {}), options);
  }

  /** The request once it is final, or once `until` holds. */
  waitForPaymentRequest(requestId: string, options: WaitOptions = {}): Promise<PaymentRequest> {
    return this.#waiter.waitFor(requestId, options);
  }

  async #asAgent<T>(call: Call): Promise<T> {
    if (!this.#agentTokens) throw new TypeError('this call needs a credential: new AgentClient({ credential, … })');
    return (await this.#bearing<T>(call, this.#agentTokens)).body;
  }

  async #connected<T>(call: Call): Promise<Answer<T>> {
    if (!this.#connectionTokens) throw new TypeError('not connected: claim a Connect Key, or give a connectionToken');
    return this.#bearing<T>(call, this.#connectionTokens);
  }

  async #withClaim<T>(call: Call, { claim_token }: ClaimedInvitation): Promise<T> {
    return (await this.#bearing<T>(call, givenToken(claim_token))).body;
  }

  #bearing<T>(call: Call, tokens: TokenSource): Promise<Answer<T>> {
    return withToken(tokens, (token) =>
      this.#transport.send<T>(call, { headers: { authorization: `Bearer ${token}` } }),
    );
  }
}
