import { type AgentCredential, signAssertion } from './agent-key.ts';
import { SvcError } from './errors.ts';
import { nobody, type Transport } from './transport.ts';

export type TokenSource = Readonly<{
  current(): Promise<string>;
  /** Another token than the rejected one; undefined if there is none to be had. */
  renewed(rejected: string): Promise<string | undefined>;
}>;

/**
 * Sends with the current token and, after a 401, once more with a new one. Nothing else is repeated: a 403 says no to
 * the caller and not to the token, and what goes wrong while a token is fetched (skew, replay, revocation) goes wrong again.
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

/** A token that only somebody else can replace: given once, or looked up wherever it is kept. */
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

type Bought = Readonly<{ token: string; usableUntil: number }>;

/** Time in which a token may still be on its way when it runs out. */
const MARGIN_MS = 30_000;

/** Agent tokens bought with assertions: kept while they last, and bought once however many calls wait for one. */
export class AgentTokens implements TokenSource {
  private bought: Bought | undefined;
  private buying: Promise<string> | undefined;

  constructor(
    private readonly transport: Transport,
    private readonly credential: AgentCredential,
    private readonly options: AgentTokenOptions,
  ) {}

  async current(): Promise<string> {
    const { bought } = this;
    return bought && performance.now() < bought.usableUntil ? bought.token : this.buy();
  }

  async renewed(rejected: string): Promise<string> {
    if (this.bought?.token === rejected) this.bought = undefined;
    return this.current();
  }

  private buy(): Promise<string> {
    this.buying ??= this.exchange().finally(() => (this.buying = undefined));
    return this.buying;
  }

  private async exchange(): Promise<string> {
    const { audience, now } = this.options;
    const assertion = await signAssertion(this.credential, { audience, now: now() });
    const { body } = await this.transport.send<{ agent_token: string; expires_in: number }>(
      { method: 'POST', path: '/v1/agent-auth/token', body: { assertion } },
      nobody,
    );
    // Measured from here: how long it lasts does not depend on what either side takes the time to be.
    this.bought = { token: body.agent_token, usableUntil: performance.now() + body.expires_in * 1000 - MARGIN_MS };
    return body.agent_token;
  }
}
