import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { SvcError } from '../sdk/src/index.ts';
import { type DnsResponder, startDnsResponder } from '../test/support/dns-responder';
import { onKeys, portalLink, WaitingAgent } from './keep';
import { type DemoOptions, readOptions, USAGE } from './options';
import { type Scenery } from './own-service';
import { type Ending, playStory } from './story';
import { startVerifyingReceiver, type VerifyingReceiver } from './webhook-receiver';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const say = (step: string, text: string): void => print(`  ${step.padEnd(12)} ${text}`);

async function setStage({ given }: DemoOptions, dns: DnsResponder): Promise<Scenery & Readonly<{ baseUrl: string }>> {
  if (given) {
    say('service', `${given.url}, started by somebody else`);
    return { ...given, stop: async () => undefined };
  }
  // The whole service is loaded only where it is started.
  const { startOwnService } = await import('./own-service');
  const own = await startOwnService(dns.server);
  say('service', `${own.url}, on embedded stores in ${own.dataDir}`);
  return { ...own, baseUrl: own.url };
}

async function play(options: DemoOptions, dns: DnsResponder, receiver: VerifyingReceiver): Promise<void> {
  // The pages are built if needed; everything else in the demo runs from source.
  if (options.keep && !options.given)
    execFileSync(process.execPath, [join(__dirname, '../scripts/build-if-needed.js')]);
  print('svc demo: one payment, from the merchant to the webhook\n');
  const scenery = await setStage(options, dns);
  try {
    const ending = await playStory({
      url: scenery.url,
      audience: `${scenery.baseUrl}/v1/agent-auth/token`,
      outbox: scenery.outbox,
      publish: (name, value) => dns.set(name, { TXT: [value] }),
      receiver,
      say,
    });
    const runsOn = options.keep || options.given !== undefined;
    print(
      runsOn
        ? openNext(scenery.url, ending)
        : '\nOpen next\n  npm run demo -- --keep    the same, left running to look around\n  README.md',
    );
    if (options.keep) await keepRunning(scenery, ending);
  } finally {
    await scenery.stop();
  }
}

/** For a person with a browser: the portal, the wallet, and an agent that requests a payment on every key press. */
async function keepRunning({ url, outbox }: Scenery, { email, agent, payee }: Ending): Promise<void> {
  const ended = new AbortController();
  const waiting = new WaitingAgent({ url, outbox, email, agent, payee, print, signal: ended.signal });
  const links = { portal: await portalLink({ url, outbox, email }), wallet: await waiting.start() };
  print('\nIn a browser');
  print(`  ${links.portal}    the portal, signed in by this link (once, within 15 minutes)`);
  print(`  ${links.wallet}    the wallet: set it up, then let the agent in`);
  print('  Then press a key here: the agent asks for a payment, and it waits in the wallet.');
  print('\nEverything runs on until Ctrl-C.');
  const stopped = new Promise<void>((stop) => {
    const forget = onKeys(() => void waiting.ask(), stop);
    ended.signal.addEventListener('abort', forget);
  });
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM'), stopped]);
  ended.abort();
}

const openNext = (url: string, { requestId, connectionToken, sessionToken }: Ending): string => `
Open next
  ${url}/docs         every route, with schemas and errors
  ${url}/v1/errors    every error code and what to do
  curl -s ${url}/v1/payment-requests/${requestId} -H 'Authorization: Bearer ${connectionToken}'
  curl -s ${url}/v1/webhook-deliveries -H 'Authorization: Bearer ${sessionToken}'`;

function explain(error: unknown, { given }: DemoOptions): string {
  const lines = [error instanceof SvcError ? `${error.code} (HTTP ${error.status}): ${error.message}` : String(error)];
  if (error instanceof SvcError) lines.push(...error.issues.map(({ field, message }) => `  ${field}: ${message}`));
  if (given && error instanceof SvcError && /domain_proof|destination/.test(error.code)) {
    lines.push(`start that service with DNS_SERVERS=127.0.0.1:${given.dnsPort} ALLOW_PRIVATE_NETWORKS=true`);
  }
  return lines.join('\n');
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) return print(USAGE);
  const dns = await startDnsResponder({}, options.given?.dnsPort);
  const receiver = await startVerifyingReceiver();
  try {
    await play(options, dns, receiver);
  } catch (error) {
    process.stderr.write(`\nThe demo stopped: ${explain(error, options)}\n`);
    process.exitCode = 1;
  } finally {
    await receiver.close();
    await dns.close();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exitCode = 2;
});
