import { type AgentCredential, signAssertion } from './agent-key.ts';
import { SvcError } from './errors.ts';
import { nobody, type Transport } from './transport.ts';

export type TokenSource = Readonly<{
  current(): Promise<string>;
  /** A token other than the rejected one; undefined if there is none. */
  renewed(rejected: string): Promise<string | undefined>;
}>;

/**
 * Sends with the current token and, after a 401, once more with a new one. Nothing else is retried: a 403 refuses the
 * caller, not the token, and what fails while fetching a token (skew, replay, revocation) would fail again.
 */
export async function withToken<T>(source: TokenSource, send: (token: string) => Promise<T>): Promise<T> {
  const token = await source.current();
  try {
    return await send(token);
  } catch (error) {
    if (!(error instanceof SvcError) || error.status !== 401) throw error;
    const renewed = await source.renewed(token);
    if (renewed === undefined) throw error;
    return send(renewed);
  }
}

/** A token that only someone else can replace: given once, or looked up where it is kept. */
export function givenToken(token: string | (() => string | Promise<string>)): TokenSource {
  if (typeof token === 'string') return { current: async () => token, renewed: async () => undefined };
  return {
    current: async () => token(),
    renewed: async (rejected) => {
      const again = await token();
      return again === rejected ? undefined : again;
    },
  };
}

export type AgentTokenOptions = Readonly<{ audience: string; now: () => Date }>;

type CachedToken = Readonly<{ token: string; usableUntil: number }>;

/** A token about to expire may still be in transit for this long. */
const MARGIN_MS = 30_000;

/** Agent tokens obtained with assertions: reused while valid, and fetched once however many calls wait for one. */
export class AgentTokens implements TokenSource {
  private cached: CachedToken | undefined;
  private pending: Promise<string> | undefined;

  constructor(
    private readonly transport: Transport,
    private readonly credential: AgentCredential,
    private readonly options: AgentTokenOptions,
  ) {}

  async current(): Promise<string> {
    const { cached } = this;
    return cached && performance.now() < cached.usableUntil ? cached.token : this.fetchOnce();
  }

  async renewed(rejected: string): Promise<string> {
    if (this.cached?.token === rejected) this.cached = undefined;
    return this.current();
  }

  private fetchOnce(): Promise<string> {
    this.pending ??= this.exchange().finally(() => (this.pending = undefined));
    return this.pending;
  }

  private async exchange(): Promise<string> {
    const { audience, now } = this.options;
    const assertion = await signAssertion(this.credential, { audience, now: now() });
    const { body } = await this.transport.send<{ agent_token: string; expires_in: number }>(
      { method: 'POST', path: '/v1/agent-auth/token', body: { assertion } },
      nobody,
    );
    // Measured from here, so that the lifetime does not depend on either side's clock.
    this.cached = { token: body.agent_token, usableUntil: performance.now() + body.expires_in * 1000 - MARGIN_MS };
    return body.agent_token;
  }
}
