import { createInterface } from 'node:readline/promises';
import { readFileSync } from 'node:fs';
import { type Readable, type Writable } from 'node:stream';
import { agentKeyFromSeed, newAgentKey, signChallenge } from '../../sdk/src/index.ts';
import { clientConfigs } from './client-configs.ts';
import { type Credentials, type CredentialStore } from '../../sdk/src/node/credentials.ts';

export type InitOptions = Readonly<{
  url?: string | undefined;
  agentId?: string | undefined;
  keyId?: string | undefined;
  /** The file that the portal saved under “Make a key here”. */
  file?: string | undefined;
}>;

type Streams = Readonly<{ input: Readable; output: Writable }>;

/**
 * Sets up an agent on this machine: creates a key, shows its public half for the portal, signs the portal's challenge,
 * stores everything with mode 0600 and prints what clients need. The private key is never shown or sent.
 */
export async function init(
  store: CredentialStore,
  options: InitOptions,
  { input, output }: Streams,
  command: readonly [string, ...string[]],
): Promise<void> {
  const say = (text: string): void => void output.write(`${text}\n`);
  if (options.file) {
    store.keep(fromPortal(options.file));
    say(`Stored in ${store.path}. You can delete ${options.file} now.`);
    return sayConfigs(say, command);
  }
  // Read line by line, so that a script can answer as well as a person.
  const lines = createInterface({ input })[Symbol.asyncIterator]();
  const ask = async (question: string, fallback?: string): Promise<string> => {
    output.write(`${question}${fallback ? ` [${fallback}]` : ''}: `);
    const next: IteratorResult<string, undefined> = await lines.next();
    const done = next.done === true;
    const answer = next.done ? '' : next.value.trim();
    if (answer) return answer;
    if (fallback !== undefined) return fallback;
    if (done) throw new Error('the input ended before everything was answered');
    return ask(question, fallback);
  };

  const kept = store.read();
  const url = options.url ?? (await ask('Address of the service', kept.url ?? 'http://127.0.0.1:8787'));
  const keyId = options.keyId ?? (await ask('Name of the key', kept.key_id ?? 'key-1'));
  const { seed, publicKey } = freshKey();
  say('\nPublic key, for the portal (Agents, your agent, “Use my own key”):\n');
  say(`  Key id      ${keyId}`);
  say(`  Public key  ${publicKey}\n`);
  const agentId = options.agentId ?? (await ask('Agent id, as the portal shows it (agt_…)', kept.agent_id));
  // Stored before the challenge: a person who stops here can continue with the same key.
  const credentials: Credentials = { url, agent_id: agentId, key_id: keyId, private_key: seed };
  store.keep(credentials);
  say(`Stored in ${store.path} (mode 0600).\n`);
  const challenge = await ask('Challenge from the portal (empty if it has not shown one)', '');
  if (challenge) {
    const signature = signChallenge(agentKeyFromSeed(Buffer.from(seed, 'base64url')), challenge);
    say(`\nSignature, to paste into the portal:\n\n  ${signature}\n`);
  }
  sayConfigs(say, command);
}

function freshKey(): Readonly<{ seed: string; publicKey: string }> {
  const { secretKey, publicKey } = newAgentKey();
  return { seed: Buffer.from(secretKey.slice(0, 32)).toString('base64url'), publicKey };
}

function fromPortal(file: string): Credentials {
  const value = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  const names = ['url', 'agent_id', 'key_id', 'private_key'] as const;
  const missing = names.filter((name) => typeof value[name] !== 'string');
  if (missing.length > 0) throw new Error(`${file} does not contain ${missing.join(', ')}`);
  return Object.fromEntries(names.map((name) => [name, value[name]]));
}

function sayConfigs(say: (text: string) => void, command: readonly [string, ...string[]]): void {
  say('Add this server to your client:');
  for (const { client, where, text } of clientConfigs(command)) say(`\n${client} (${where})\n\n${text}`);
}
