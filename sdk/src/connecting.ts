import { type AgentCredential } from './agent-key.ts';
import { SvcError, SvcTimeoutError } from './errors.ts';
import { AgentTokens, givenToken, type TokenSource, withToken } from './token-source.ts';
import { type Answer, type Call, type CallOptions, type ClientOptions, nobody, path, Transport } from './transport.ts';
import {
  type ClaimedInvitation,
  type ConnectInvitation,
  type Connection,
  type OpenedConnection,
  type PairingSession,
  type StartedPairingSession,
} from './types/connect.ts';
import { type Patience, pollUntil } from './waiting.ts';

export type AgentClientOptions = ClientOptions &
  Readonly<{
    /** Signs the assertions exchanged for agent tokens: needed to claim Connect Keys and to start pairings. */
    credential?: AgentCredential;
    /** From an earlier connection. A function is called again after a 401, for tokens that others may replace. */
    connectionToken?: string | (() => string | Promise<string>);
    /** If the service uses a base URL other than `baseUrl`. */
    audience?: string;
    now?: () => Date;
  }>;

/** What reading a pairing returns; includes the token once, right after the approval. */
export type PairingAnswer = Readonly<{
  pairing_session: PairingSession;
  connection?: Connection;
  connection_token?: string;
}>;

/** How an agent gets a connection: with a person's Connect Key, or by pairing. */
export class Connecting {
  readonly #transport: Transport;
  readonly #agentTokens: TokenSource | undefined;
  #connectionTokens: TokenSource | undefined;

  constructor(options: AgentClientOptions) {
    const { credential, connectionToken, now = () => new Date() } = options;
    this.#transport = new Transport(options);
    const audience = options.audience ?? `${this.#transport.baseUrl}/v1/agent-auth/token`;
    this.#agentTokens = credential && new AgentTokens(this.#transport, credential, { audience, now });
    this.#connectionTokens = connectionToken === undefined ? undefined : givenToken(connectionToken);
  }

  /**
   * From a person's Connect Key to a connection in one call: claims it, waits until they have decided in their wallet,
   * and uses the token from then on. Keep the returned token: it is not shown again. When the time is up, `last` of the
   * SvcTimeoutError is the claimed invitation, for `waitForApproval`: the key is used up.
   */
  async connect(connectKey: string, scopes: readonly string[], options: Patience = {}): Promise<OpenedConnection> {
    const claimed = await this.claimConnectKey(connectKey, scopes, callOf(options));
    try {
      return await this.waitForApproval(claimed, options);
    } catch (error) {
      if (!(error instanceof SvcTimeoutError)) throw error;
      throw new SvcTimeoutError(error.waitedFor, error.timeoutMs, claimed);
    }
  }

  /** Uses up a person's Connect Key. Their wallet now shows who asks for what; see `waitForApproval`. */
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

  /** Exchanges as soon as the person has decided; throws on a rejection or when the invitation expires. */
  async waitForApproval(claimed: ClaimedInvitation, options: Patience = {}): Promise<OpenedConnection> {
    const poll = async () => {
      try {
        return { found: await this.exchangeInvitation(claimed, callOf(options)) };
      } catch (error) {
        if (error instanceof SvcError && error.code === 'approval_pending') return { last: error };
        throw error;
      }
    };
    return pollUntil(poll, 'the connection was not approved', options);
  }

  async startPairing(scopes: readonly string[], options?: CallOptions): Promise<StartedPairingSession> {
    const body = { requested_scopes: scopes };
    const call: Call = { method: 'POST', path: '/v1/pairing/sessions', body, options };
    return (await this.#asAgent<{ pairing_session: StartedPairingSession }>(call)).pairing_session;
  }

  /** After the approval, returns the connection and, once, its token, which this client then uses. */
  async readPairing(
    { pairing_session_id: id, code }: StartedPairingSession,
    options?: CallOptions,
  ): Promise<PairingAnswer> {
    const call: Call = { method: 'GET', path: path`/v1/pairing/sessions/${id}`, query: { code }, options };
    const found = await this.#asAgent<PairingAnswer>(call);
    if (found.connection_token !== undefined) this.useConnection(found.connection_token);
    return found;
  }

  /** Resolves once the person has decided, even if they rejected; after an approval this client uses the connection. */
  async waitForPairing(started: StartedPairingSession, options: Patience = {}): Promise<PairingAnswer> {
    const poll = async () => {
      const seen = await this.readPairing(started, callOf(options));
      const { status } = seen.pairing_session;
      // Approved while it was being read: the token comes with the next answer.
      const isEarly = status === 'approved' && seen.connection === undefined && seen.connection_token === undefined;
      return status === 'pending' || isEarly ? { last: seen } : { found: seen };
    };
    return pollUntil(poll, 'the pairing was not decided', options);
  }

  useConnection(connectionToken: string | (() => string | Promise<string>)): void {
    this.#connectionTokens = givenToken(connectionToken);
  }

  async #asAgent<T>(call: Call): Promise<T> {
    if (!this.#agentTokens) throw new TypeError('this call needs a credential: new AgentClient({ credential, … })');
    return (await this.#sendWithToken<T>(call, this.#agentTokens)).body;
  }

  protected async connected<T>(call: Call): Promise<Answer<T>> {
    if (!this.#connectionTokens) throw new TypeError('not connected: claim a Connect Key, or pass a connectionToken');
    return this.#sendWithToken<T>(call, this.#connectionTokens);
  }

  protected async anybody<T>(call: Call): Promise<T> {
    return (await this.#transport.send<T>(call, nobody)).body;
  }

  async #withClaim<T>(call: Call, { claim_token }: ClaimedInvitation): Promise<T> {
    return (await this.#sendWithToken<T>(call, givenToken(claim_token))).body;
  }

  #sendWithToken<T>(call: Call, tokens: TokenSource): Promise<Answer<T>> {
    return withToken(tokens, (token) =>
      this.#transport.send<T>(call, { headers: { authorization: `Bearer ${token}` } }),
    );
  }
}

/** The options for each call of a wait, which keeps its usual timeout. */
const callOf = ({ signal, headers }: Patience): CallOptions => ({
  ...(signal && { signal }),
  ...(headers && { headers }),
});
