import {
  AgentClient,
  agentKeyFromSeed,
  AgentPaymentsClient,
  type ClaimedInvitation,
  type CurrentConnection,
  type StartedPairingSession,
  SvcError,
} from '../../sdk/src/index.ts';
import { type Credentials, type CredentialStore } from '../../sdk/src/node/credentials.ts';
import { ToolError } from './tool-errors.ts';

export type ConnectionStatus = Readonly<{
  status: 'none' | 'waiting' | 'connected' | 'paused' | 'ended';
  /** The error code behind `paused` and `ended`; with `connected`, why a further connection did not come about. */
  reason: string | null;
  current: CurrentConnection | null;
}>;

type Asked = Readonly<{ claimed: ClaimedInvitation } | { pairing: StartedPairingSession }>;

const ENDED = ['connection_revoked', 'invalid_token', 'credential_revoked', 'agent_not_active', 'unauthenticated'];
const REFUSED = ['invitation_rejected', 'invitation_expired', 'already_exchanged', 'resource_not_found'];

/** One agent and its wallet. Holds the pending connection request; the credentials hold what was granted. */
export class WalletConnection {
  private asked: Asked | undefined;
  private finishing: Readonly<{ asked: Asked; done: Promise<void> }> | undefined;
  /** Why the last request was unsuccessful. */
  private refused: string | undefined;
  /** The token of a new connection, if the environment sets an older one that overrides the credentials file. */
  private granted: string | undefined;
  private resolvedConnection: Readonly<{ token: string; connectionId: string }> | undefined;
  private clients: Readonly<{ key: string; agent: AgentClient }> | undefined;

  constructor(private readonly store: CredentialStore) {}

  get agent(): AgentClient {
    const credentials = this.store.ofService();
    const { url, agent_id: agentId, key_id: kid, private_key: seed, audience } = credentials;
    if (!url || (!seed && !credentials.connection_token)) throw notConfigured();
    const key = JSON.stringify([url, agentId, kid, seed, audience]);
    if (this.clients?.key !== key) {
      const credential = seed && kid && agentId ? { kid, agentId, secretKey: secretKeyOf(seed) } : undefined;
      const connectionToken = (): string => this.token();
      const agent = new AgentClient({
        baseUrl: url,
        connectionToken,
        ...(credential ? { credential } : {}),
        ...(audience === undefined ? {} : { audience }),
      });
      this.clients = { key, agent };
    }
    return this.clients.agent;
  }

  get hasApiKey(): boolean {
    return Boolean(this.store.ofService().api_key);
  }

  paymentsTo(purpose: keyof typeof WITHOUT_API_KEY): AgentPaymentsClient {
    const { url, api_key: apiKey } = this.store.ofService();
    if (!url) throw notConfigured();
    if (!apiKey) throw new ToolError({ code: 'api_key_missing', ...WITHOUT_API_KEY[purpose], safe_to_repeat: false });
    return new AgentPaymentsClient({ baseUrl: url, apiKey });
  }

  /** Which connection this server acts for: fetched once per token. */
  async connectionId(): Promise<string> {
    const agent = await this.connected();
    const token = this.token();
    if (this.resolvedConnection?.token !== token) {
      const { connection } = await agent.currentConnection();
      this.resolvedConnection = { token, connectionId: connection.connection_id };
    }
    return this.resolvedConnection.connectionId;
  }

  /** The agent of an open connection; first completes a request that the person has decided meanwhile. */
  async connected(): Promise<AgentClient> {
    const { agent } = this;
    if (this.asked) await this.finish(agent);
    this.token();
    return agent;
  }

  async claim(connectKey: string, scopes: readonly string[]): Promise<ClaimedInvitation> {
    const claimed = await this.agent.claimConnectKey(connectKey, scopes);
    this.asked = { claimed };
    this.refused = undefined;
    return claimed;
  }

  async pair(scopes: readonly string[]): Promise<StartedPairingSession> {
    const pairing = await this.agent.startPairing(scopes);
    this.asked = { pairing };
    this.refused = undefined;
    return pairing;
  }

  async status(): Promise<ConnectionStatus> {
    const { agent } = this;
    if (this.asked) await this.finish(agent);
    if (this.asked) return { status: 'waiting', reason: null, current: null };
    const standing = await this.standing(agent);
    if (this.refused === undefined || standing.status === 'paused') return standing;
    // The person rejected a further connection: the existing one stays in use.
    return { ...standing, status: standing.current ? 'connected' : 'ended', reason: this.refused };
  }

  /** The status of the connection whose token is in the credentials. */
  private async standing(agent: AgentClient): Promise<ConnectionStatus> {
    if (!this.held) return { status: 'none', reason: null, current: null };
    try {
      return { status: 'connected', reason: null, current: await agent.currentConnection() };
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      if (error.code === 'connection_paused') return { status: 'paused', reason: error.code, current: null };
      if (ENDED.includes(error.code)) return { status: 'ended', reason: error.code, current: null };
      throw error;
    }
  }

  /** Asks what the person decided. After an approval, the token is stored at once: it is returned only once. */
  private finish(agent: AgentClient): Promise<void> {
    const { asked } = this;
    if (asked === undefined) return Promise.resolve();
    // One exchange at a time: of two concurrent ones, one is refused, which would look like a rejection.
    if (this.finishing?.asked !== asked) {
      const done = this.decided(agent, asked).finally(() => {
        if (this.finishing?.asked === asked) this.finishing = undefined;
      });
      this.finishing = { asked, done };
    }
    return this.finishing.done;
  }

  private async decided(agent: AgentClient, asked: Asked): Promise<void> {
    try {
      const token = 'claimed' in asked ? await exchanged(agent, asked.claimed) : await paired(agent, asked.pairing);
      if (token === undefined) return;
      // In memory first: where the file cannot be written, the token would be lost with the connection.
      this.granted = token;
      if (this.asked === asked) this.asked = undefined;
      this.store.keep({ connection_token: token });
      if (this.store.ofService().connection_token === token) this.granted = undefined;
    } catch (error) {
      if (!(error instanceof SvcError) || !REFUSED.includes(error.code)) throw error;
      if (this.asked !== asked) return;
      this.asked = undefined;
      this.refused = error.code;
    } finally {
      // The library now holds its own copy of the token; make it read the store again, which other conversations share.
      agent.useConnection(() => this.token());
    }
  }

  private get held(): string | undefined {
    return this.granted ?? this.store.ofService().connection_token;
  }

  private token(): string {
    const { held } = this;
    if (held) return held;
    throw new ToolError({
      code: 'not_connected',
      message: this.asked ? 'The person has not approved the connection yet.' : 'No wallet is connected.',
      what_to_do: this.asked
        ? 'Ask the person to approve the connection in their wallet, then call connection_status.'
        : 'Call connect_wallet and show the person the code or link it returns.',
      safe_to_repeat: true,
    });
  }
}

async function exchanged(agent: AgentClient, claimed: ClaimedInvitation): Promise<string | undefined> {
  try {
    return (await agent.exchangeInvitation(claimed)).connection_token;
  } catch (error) {
    if (error instanceof SvcError && error.code === 'approval_pending') return undefined;
    throw error;
  }
}

async function paired(agent: AgentClient, pairing: StartedPairingSession): Promise<string | undefined> {
  const { pairing_session, connection, connection_token } = await agent.readPairing(pairing);
  if (pairing_session.status === 'rejected') throw refusal('invitation_rejected', 403, 'The person said no.');
  // The only response with the token was lost: there is nothing left to wait for.
  if (connection && connection_token === undefined) {
    throw refusal('already_exchanged', 409, 'The token of this connection was already handed out.');
  }
  return connection_token;
}

const refusal = (code: string, status: number, message: string): SvcError =>
  new SvcError({ code, status, message, requestId: undefined });

function secretKeyOf(seed: string): Uint8Array {
  const bytes = Buffer.from(seed, 'base64url');
  if (bytes.length !== 32) {
    throw new ToolError({
      code: 'credentials_unusable',
      message: 'The private key is not 32 bytes in base64url.',
      what_to_do: 'Tell the person to run `svc-mcp init` again.',
      safe_to_repeat: false,
    });
  }
  return agentKeyFromSeed(bytes).secretKey;
}

const WITHOUT_API_KEY = {
  pay: {
    message: 'This server has no project API key, so it cannot pay within a policy.',
    what_to_do: 'Use request_payment instead; the person then approves the payment in their wallet.',
  },
  read: {
    message: 'This server has no project API key, so it cannot read payments under a policy (ap_…).',
    what_to_do:
      'Tell the person that they can see this payment in their wallet, or that the server needs an API key (SVC_API_KEY).',
  },
} as const;

const notConfigured = (): ToolError =>
  new ToolError({
    code: 'not_configured',
    message: 'This server has no agent credentials yet.',
    what_to_do:
      'Tell the person to run `svc-mcp init` once, or to set SVC_URL, SVC_AGENT_ID, SVC_KEY_ID and SVC_PRIVATE_KEY.',
    safe_to_repeat: false,
  });

export type { Credentials };
