import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MerchantAccess, WalletClient } from '../sdk/src/index.ts';
import { freePort } from './support/free-port';
import { blocksOf } from './support/doc-blocks';
import { call } from './support/http';
import { startTestService } from './support/service';

const root = join(__dirname, '..');
const running = new Set<ChildProcess>();

afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts the demo as `npm run demo -- …` does. */
function startDemo(...args: readonly string[]) {
  const program = ['-r', './test/support/register-swc.js', 'demo/main.ts', ...args];
  const child = spawn(process.execPath, program, { cwd: root, stdio: ['pipe', 'pipe', 'pipe'] });
  running.add(child);
  let [out, err] = ['', ''];
  const waiting = new Set<() => void>();
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
    waiting.forEach((check) => check());
  });
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => {
    running.delete(child);
    return { code: code as number | null, out, err };
  });
  const printed = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const check = (): void => void (out.includes(text) && resolve(out));
      waiting.add(check);
      check();
      void ended.then(() => reject(new Error(`ended before it printed ${text}: ${out}${err}`)));
    });
  return { child, ended, printed };
}

/** The first word of each line of the story. */
const stepsOf = (out: string): string[] => [...out.matchAll(/^ {2}(\w+) +\S.*$/gm)].map(([, step = '']) => step);

/** Removes what differs between runs; pages show shortened ids. */
const lastingPartOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => /^ {2}\w+ +\S|^svc demo/.test(line) && !line.startsWith('  npm '))
    .map((line) =>
      line
        .replace(/\b([a-z]{2,3}_)[0-9A-Z]{10,26}…?/g, '$1…')
        .replace(/127\.0\.0\.1:\d+|svc-demo-\w+|operator-[\d…]+|\(key [0-9a-f-]+…?\)|as [0-9a-f]{10,}…?/g, '…')
        .replace(/in \S+$/, ''),
    );

const STORY = [
  ...['service', 'merchant', 'domain', 'recipient', 'agent', 'webhook', 'wallet', 'connect'],
  ...['request', 'approval', 'signed', 'broadcasted', 'confirmed', 'events'],
  ...Array<string>(4).fill('received'),
];

describe('npm run demo', () => {
  it('is the script in package.json', () => {
    const { scripts } = jest.requireActual<{ scripts: Record<string, string> }>('../package.json');
    expect(scripts['demo']).toBe('node -r ./test/support/register-swc.js demo/main.ts');
  });

  it('plays the whole story on its own, reports it with ids, and leaves nothing behind', async () => {
    const { code, out, err } = await startDemo().ended;
    expect([code, err]).toEqual([0, '']);
    expect(stepsOf(out).slice(0, STORY.length)).toEqual(STORY);
    const [shown] = blocksOf('README.md').filter(({ kind }) => kind === 'demo');
    expect(lastingPartOf(shown?.code ?? '')).toEqual(lastingPartOf(out.slice(0, out.indexOf('Open next'))));
    for (const id of ['mer', 'dom', 'rcp', 'rcv', 'evd', 'agt', 'crd', 'whe', 'dev', 'inv', 'con', 'pr', 'whd']) {
      expect(out).toMatch(new RegExp(`\\b${id}_[0-9A-HJKMNP-TV-Z]{26}\\b`));
    }
    expect(out).toMatch(/received +whd_\w+ payment_request\.confirmed, signature verified/);
    expect(out).toContain('Open next');
    const [, dataDir = ''] = /embedded stores in (\S+)/.exec(out) ?? [];
    expect(dataDir).toContain('svc-demo-');
    expect(existsSync(dataDir)).toBe(false);
  });

  it('with --keep keeps running, the links it prints work, and its agent asks on a key press', async () => {
    const demo = startDemo('--keep');
    const out = await demo.printed('until Ctrl-C');
    const commands = [...out.matchAll(/curl -s (\S+) -H '(\w+): ([^']+)'/g)];
    expect(commands).toHaveLength(2);
    for (const [, url = '', name = '', value = ''] of commands) {
      expect((await call(url, { headers: { [name]: value } })).status).toBe(200);
    }
    const pages = [...out.matchAll(/^ {2}(http\S+) {2,}/gm)].map(([, url = '']) => url);
    expect(pages).toHaveLength(4);
    for (const url of pages) expect((await call(url)).status).toBe(200);

    const [portal = '', walletPage = ''] = pages.slice(-2);
    const baseUrl = new URL(portal).origin;
    const token = /token=(\S+)$/.exec(portal)?.[1] ?? '';
    expect((await new MerchantAccess({ baseUrl }).verifyEmail(token)).merchants).toMatchObject([{ status: 'active' }]);

    // What a person would do on the wallet's page, with the client library.
    const { wallet } = await WalletClient.register({ baseUrl }, { name: 'Browser' });
    const code = /pairing=(\w{8})$/.exec(walletPage)?.[1] ?? '';
    const { pairing_session_id } = await wallet.findPairing(code);
    await wallet.approvePairing(pairing_session_id, { code });
    await demo.printed('connected    the agent and your wallet');
    demo.child.stdin.write('k');
    await demo.printed('is there for you to decide on');
    const { payment_requests } = await wallet.listPaymentRequests({ status: 'pending' });
    expect(payment_requests).toMatchObject([{ payment: { amount: '12.50' }, payee: { name: 'Corner Coffee' } }]);
    await wallet.reportPaymentRequest(payment_requests[0]?.request_id ?? '', { status: 'rejected', reason: 'no' });
    await demo.printed('  rejected  ');
    demo.child.kill('SIGTERM');
    expect((await demo.ended).code).toBe(0);
  });

  it('with --url plays on a service that is already running', async () => {
    const dnsPort = String(await freePort());
    const env = { DNS_SERVERS: `127.0.0.1:${dnsPort}`, ALLOW_PRIVATE_NETWORKS: 'true' };
    const service = await startTestService({ env });
    const outbox = join(service.dataDir, 'outbox.jsonl');
    const place = ['--url', service.url, '--base-url', 'http://svc.test', '--outbox', outbox];
    const { code, out, err } = await startDemo(...place, '--dns-port', dnsPort).ended;
    expect([code, err]).toEqual([0, '']);
    expect(stepsOf(out).slice(0, STORY.length)).toEqual(STORY);
    await service.stopAndForget();
  });

  it('exits with 1 and says why when a step fails', async () => {
    const service = await startTestService({ env: { DNS_SERVERS: '127.0.0.1:1' } });
    const outbox = join(service.dataDir, 'outbox.jsonl');
    const dnsPort = String(await freePort());
    const failed = await startDemo('--url', service.url, '--outbox', outbox, '--dns-port', dnsPort).ended;
    expect(failed.code).toBe(1);
    expect(failed.err).toContain('The demo stopped: domain_proof_failed (HTTP 422)');
    expect(failed.err).toContain(`DNS_SERVERS=127.0.0.1:${dnsPort}`);
    await service.stopAndForget();
  });

  it('exits with 2 and its usage when it does not know an argument', async () => {
    const { code, err } = await startDemo('--fast').ended;
    expect(code).toBe(2);
    expect(err).toContain('npm run demo [-- options]');
  });
});
