import { setTimeout as pause } from 'node:timers/promises';
import { AgentClient, type AgentClientOptions, MerchantAccess, SCOPES, SvcError } from '../sdk/src/index.ts';
import { newestLinkFor } from './mailbox';

export type Kept = Readonly<{
  url: string;
  outbox: string;
  email: string;
  agent: AgentClientOptions;
  payee: Readonly<{ recipient_id: string; recipient_version_id: string }>;
  print(line: string): void;
  signal: AbortSignal;
}>;

/** The mailed link that signs the operator in to the portal. */
export async function portalLink({ url, outbox, email }: Pick<Kept, 'url' | 'outbox' | 'email'>): Promise<string> {
  const before = await newestLinkFor(outbox, email);
  await new MerchantAccess({ baseUrl: url }).register(email);
  const link = await newestLinkFor(outbox, email, before);
  // The service's own base URL may differ from the URL used here.
  return url + link.slice(link.indexOf('/portal/'));
}

/** An agent of the same merchant that waits for the wallet in the browser, then requests a payment per key press. */
export class WaitingAgent {
  readonly #agent: AgentClient;
  #isConnected = false;

  constructor(private readonly kept: Kept) {
    this.#agent = new AgentClient(kept.agent);
  }

  /** A link to the wallet with this agent's code filled in. A code is valid for ten minutes and is then replaced. */
  async start(): Promise<string> {
    const session = await this.#agent.startPairing(SCOPES);
    void this.#whenApproved(session).catch((error: unknown) => this.kept.print(`  agent        ${String(error)}`));
    return `${this.kept.url}/wallet/#/connections?pairing=${session.code}`;
  }

  async ask(): Promise<void> {
    const { print, payee } = this.kept;
    if (!this.#isConnected) return print('  agent        waits to be connected: open the wallet first');
    try {
      const { transaction_id } = await this.#agent.describeTransaction({
        title: 'Two flat whites',
        summary: 'Table 4',
      });
      const input = { ...payee, payment: { amount: '12.50' }, transaction_id };
      const { payment_request: request } = await this.#agent.createPaymentRequest(input);
      print(`  request      ${request.request_id} is there for you to decide on`);
      const final = await this.#agent.waitForPaymentRequest(request.request_id, { signal: this.kept.signal });
      print(`  ${final.status.padEnd(12)} ${final.request_id}`);
    } catch (error) {
      if (!this.kept.signal.aborted) print(`  agent        ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async #whenApproved(session: Awaited<ReturnType<AgentClient['startPairing']>>): Promise<void> {
    const { print, signal } = this.kept;
    while (!signal.aborted && Date.now() < Date.parse(session.expires_at)) {
      const seen = await this.#agent.readPairing(session).catch((error: unknown) => {
        if (error instanceof SvcError && error.code === 'resource_not_found') return { connection: undefined };
        // It ended early: after five wrong codes, or because the service's clock is ahead.
        if (error instanceof SvcError && error.code === 'invitation_expired') return undefined;
        throw error;
      });
      if (seen === undefined) break;
      if (seen.connection) {
        this.#isConnected = true;
        return print('  connected    the agent and your wallet. Press a key to be asked for a payment.');
      }
      await pause(500, undefined, { signal }).catch(() => undefined);
    }
    if (!signal.aborted) print(`  new code     ${await this.start()}`);
  }
}

/** Calls `press` per key, or per chunk if stdin is not a terminal. Ctrl-C stops; the end of input does nothing. */
export function onKeys(press: () => void, stop: () => void): () => void {
  const { stdin } = process;
  if (stdin.isTTY) stdin.setRawMode(true);
  const onData = (bytes: Buffer): void => (bytes.includes(3) ? stop() : press());
  stdin.on('data', onData);
  return () => {
    stdin.off('data', onData);
    if (stdin.isTTY) stdin.setRawMode(false);
    stdin.pause();
  };
}
