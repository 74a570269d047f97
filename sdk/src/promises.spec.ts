import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import nacl from 'tweetnacl';
import { AgentClient } from './agent-client.ts';
import { agentKeyFromSeed, type AgentKeyPair } from './agent-key.ts';
import { AgentPaymentsClient } from './agent-payments-client.ts';
import { fromBase64, utf8 } from './bytes.ts';
import { SvcConnectionError, SvcError, SvcTimeoutError } from './errors.ts';
import { type Scripted, scriptedFetch, type Sent } from './scripted-fetch.fixtures.ts';
import { WalletClient } from './wallet-client.ts';
import { verifyWebhook, WebhookVerificationError } from './webhooks.ts';

/** test/promises/README.md says what these are. */
const recorded = (name: string): any[] =>
  JSON.parse(readFileSync(join(__dirname, `../../test/promises/${name}.json`), 'utf8')) as any[];

const baseUrl = 'https://svc.example';
const clients: Record<string, any> = {
  agent: AgentClient,
  'agent-payments': AgentPaymentsClient,
  wallet: WalletClient,
};
const errors: Record<string, any> = {
  SvcError,
  SvcConnectionError,
  still_waiting: SvcTimeoutError,
  refused: TypeError,
};

const camel = (name: string): string => name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
const camelKeys = (given: object): Record<string, any> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [camel(name), value]));
const bytesOf = (text: string): Uint8Array => fromBase64(text) ?? new Uint8Array();
const keyOf = ({ seed }: { seed: string }): AgentKeyPair => agentKeyFromSeed(bytesOf(seed));

/** Runs one promise and returns what was not as promised. */
class Play {
  readonly problems: string[] = [];
  private readonly left: any[];
  private readonly same = new Map<string, string>();

  constructor(private readonly promise: any) {
    this.left = [...promise.exchanges];
  }

  async run(): Promise<readonly string[]> {
    const client = new clients[this.promise.client]({ baseUrl, fetch: this.fetch(), ...this.options() });
    for (const call of this.promise.calls) this.judge(call, await this.outcome(client, call));
    return [...this.problems, ...this.left.map(({ expect: { method, path } }) => `never sent: ${method} ${path}`)];
  }

  private options(): object {
    const { credential, connection_token: token, ...rest } = this.promise.options;
    const kept = Array.isArray(token) ? [...token] : undefined;
    return {
      ...camelKeys(rest),
      ...(credential ? { credential: { ...camelKeys(credential), secretKey: keyOf(credential).secretKey } } : {}),
      ...(token ? { connectionToken: kept ? () => kept.shift() : token } : {}),
    };
  }

  private fetch(): typeof globalThis.fetch {
    const { fetch } = scriptedFetch((sent) => this.answer(sent));
    return async (input, init) => {
      const response = await fetch(input, init);
      const redirected = response.status >= 300 && response.status < 400;
      // As a real fetch does.
      if (redirected && init?.redirect === 'error') throw new TypeError('unexpected redirect');
      return response;
    };
  }

  private answer(sent: Sent): Scripted | Promise<Scripted> {
    const next = this.left.shift();
    if (!next) {
      this.problems.push(`sent ${sent.method} ${sent.path} and nothing was expected`);
      return Promise.reject(new Error('not in the script'));
    }
    const { expect: expected, answer } = next;
    const inUtf8 = Object.entries(sent.headers).map(([name, value]) => [name, Buffer.from(value, 'latin1').toString()]);
    const seen = { ...sent, query: sent.query.replace(/^\?/, ''), headers: Object.fromEntries(inUtf8) };
    const { assertion, ...parts } = expected;
    this.compare(parts, seen, 'sent');
    if (assertion) this.checkAssertion(assertion, sent.body['assertion'] as string);
    return answer.fails ? Promise.reject(new Error(answer.fails)) : answer;
  }

  private checkAssertion(expected: unknown, text: string): void {
    const [header = '', claims = '', signature = ''] = text.split('.');
    const decoded = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
    this.compare(expected, { header: decoded(header), claims: decoded(claims) }, 'assertion');
    const { publicKey } = keyOf(this.promise.options.credential);
    const verified = nacl.sign.detached.verify(utf8(`${header}.${claims}`), bytesOf(signature), bytesOf(publicKey));
    if (!verified) this.problems.push('the assertion is not signed with the key');
  }

  private async outcome(client: any, call: any): Promise<{ value?: unknown; error?: unknown }> {
    const { args = [], named, options } = call;
    const given = [...args, ...(named ? [named] : []), ...(options ? [camelKeys(options)] : [])];
    try {
      const value = client[camel(call.call)](...given);
      return { value: call.take ? await taken(value, call.take) : await value };
    } catch (error) {
      return { error };
    }
  }

  private judge(call: any, { value, error }: { value?: unknown; error?: unknown }): void {
    if (!call.throws) {
      if (error)
        return void this.problems.push(
          `${call.call} ended with ${error instanceof Error ? error.message : 'no error'}`,
        );
      return this.compare(call.returns, value, call.call);
    }
    const { error: kind, ...expected } = call.throws;
    if (!(error instanceof errors[kind])) this.problems.push(`${call.call} ended with ${String(error)}, not ${kind}`);
    else this.compare(camelKeys(expected), error, kind);
  }

  /** What is expected must be in what was found; null stands for nothing. */
  private compare(expected: unknown, found: any, where: string): void {
    if (Array.isArray(expected) && Array.isArray(found) && expected.length === found.length) {
      return expected.forEach((one, index) => this.compare(one, found[index], `${where}.${index}`));
    }
    if (typeof expected === 'object' && expected && !Array.isArray(expected) && typeof found === 'object' && found) {
      return Object.entries(expected).forEach(([name, one]) => this.compare(one, found[name], `${where}.${name}`));
    }
    if (typeof expected === 'string' && typeof found === 'string' && found !== '') {
      if (expected === 'any') return;
      if (expected.startsWith('same:')) {
        if (!this.same.has(expected)) this.same.set(expected, found);
        if (this.same.get(expected) === found) return;
      }
    }
    if (expected === (found ?? null)) return;
    this.problems.push(`${where} is ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`);
  }
}

async function taken(events: AsyncIterable<unknown>, count: number): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const event of events) {
    seen.push(event);
    if (seen.length === count) break;
  }
  return seen;
}

describe.each(['signing-in', 'waiting', 'payment-requests', 'transport'])('the promises on %s', (file) => {
  it.each(recorded(file).map((promise) => [promise.name as string, promise]))('%s', async (_name, promise) => {
    expect(await new Play(promise).run()).toEqual([]);
  });
});

describe('the promises on webhooks', () => {
  it.each(recorded('webhooks').map((one) => [one.name as string, one]))('%s', async (_name, one) => {
    const { body, headers, secret, now, verified, tolerance_seconds: toleranceSeconds } = one;
    const input = {
      body,
      headers,
      secret,
      now: new Date(now * 1000),
      ...(toleranceSeconds ? { toleranceSeconds } : {}),
    };
    const outcome = await verifyWebhook(input).catch((error: unknown) => error);
    if (verified) expect(outcome).toMatchObject({ id: 'msg_1', message: { type: 'payment_request.confirmed' } });
    else expect(outcome).toBeInstanceOf(WebhookVerificationError);
  });
});
