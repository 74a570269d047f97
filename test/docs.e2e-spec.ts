import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WEBHOOK_EVENT_TYPES } from '../src/capabilities/webhooks/event-types';
import { BASE_URL, createActiveAgent } from './support/agents';
import { freePort } from './support/free-port';
import { issueConnectKey } from './support/connections';
import { registerDevice } from './support/devices';
import { type Block, blocksOf, toolsIn } from './support/doc-blocks';
import { type DnsResponder } from './support/dns-responder';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { grantFor } from './support/merchant';
import {
  createPayment,
  type PaymentScene,
  readPayment,
  reportPayment,
  setPaymentScene,
  startPaymentDns,
} from './support/payments';
import { startTestService, type TestService } from './support/service';
import { runScript, scriptOf, type Shell, startShell } from './support/bash';
import { describeWithTools } from './support/tools';
import { webhookExamples } from './support/webhook-examples';

const root = join(__dirname, '..');
const pick = (blocks: readonly Block[], language: string, kind = ''): readonly Block[] =>
  blocks.filter((block) => block.language === language && block.kind === kind);
const one = (blocks: readonly Block[], language: string, kind: string): string =>
  pick(blocks, language, kind)[0]?.code ?? '';

/** A TypeScript sample as a program that uses this repository's library. */
function programOf(directory: string, name: string, sample: string): string {
  const file = join(directory, `${name}.ts`);
  writeFileSync(file, sample.replaceAll("'@svc/client'", `'${join(root, 'sdk/src/index.ts')}'`));
  return `node -r ./test/support/register-swc.js '${file}'`;
}

const HASH = 'ef'.repeat(32);

let service: TestService;
let dns: DnsResponder;
let scene: PaymentScene;
let session: string;
let work: string;

beforeAll(async () => {
  const { dns: responder, env } = await startPaymentDns();
  dns = responder;
  work = mkdtempSync(join(tmpdir(), 'svc-docs-'));
  const settings = { ...env, ALLOW_PRIVATE_NETWORKS: 'true', METRICS_TOKEN: 'only-for-tests' };
  service = await startTestService({ env: settings });
  scene = await setPaymentScene(service, dns);
  const { grant } = await grantFor(service, scene.merchant.email);
  const opened = await call(`${service.url}/v1/merchant-sessions`, { body: { grant, delivery: 'bearer' } });
  session = opened.body.session_token as string;
});
afterAll(async () => {
  await service.stopAndForget();
  await dns.close();
  rmSync(work, { recursive: true, force: true });
});

const here = (): Readonly<Record<string, string>> => ({ 'http://127.0.0.1:8787': service.url });

/** The variables that the README's story sets. */
const variables = (): Readonly<Record<string, string>> => ({
  connection: `Authorization: ${scene.headers['authorization'] ?? ''}`,
  wallet: `Authorization: ${scene.device.headers.authorization}`,
  merchant: `Authorization: Bearer ${session}`,
  recipient_id: scene.recipient.recipientId,
  recipient_version_id: scene.recipient.recipientVersionId,
});

const sampleEnv = (): Readonly<Record<string, string>> => ({
  SVC_URL: service.url,
  CONNECTION_TOKEN: scene.connection.connectionToken,
  RECIPIENT_ID: scene.recipient.recipientId,
  RECIPIENT_VERSION_ID: scene.recipient.recipientVersionId,
});

/** Approves whatever is pending, and returns the request's id. */
async function approveNext(wallet: PaymentScene = scene): Promise<string> {
  const list = `${service.url}/v1/payment-requests?status=pending`;
  const { body } = await eventually(
    () => call(list, { headers: wallet.device.headers }),
    ({ body: found }) => found.payment_requests.length > 0,
    'a request',
  );
  const id = body.payment_requests[0].request_id as string;
  for (const report of [{ status: 'signed' }, { status: 'broadcasted' }, { status: 'confirmed' }]) {
    await reportPayment(service, wallet, id, { ...report, transaction_hash: HASH });
  }
  return id;
}

/** Waits until a sample has printed it and exited. */
async function expectSampleToPay(page: string, name: string): Promise<void> {
  const shell = startShell(programOf(work, name, one(blocksOf(page), 'ts', 'agent')), sampleEnv());
  const id = await approveNext();
  await shell.printed(`${id} confirmed`);
  expect(await shell.ended).toBe(0);
}

describe('docs/api-consumers.md', () => {
  const blocks = blocksOf('docs/api-consumers.md');

  describeWithTools('the commands of docs/api-consumers.md', toolsIn(pick(blocks, 'sh')), () => {
    it('work as described', async () => {
      const output = await runScript(scriptOf(pick(blocks, 'sh'), here()), variables());
      expect(output).toMatch(/pr_\w{26}\npending\n/);
      expect(output).toMatch(/idempotent-replayed: true/i);
      expect(output).toMatch(/payment\.amount: .+\n[^]*payment\.network: .+\n/);
      const [, id = ''] = /(pr_\w{26})\npending/.exec(output) ?? [];
      await reportPayment(service, scene, id, { status: 'rejected' });
      expect((await readPayment(service, scene, id)).body.payment_request.status).toBe('rejected');
    });
  });

  it('has a TypeScript sample that carries a payment to its end', () =>
    expectSampleToPay('docs/api-consumers.md', 'consumer'));
});

describe('README.md', () => {
  it('has a sample that connects to a wallet and carries a payment to its end', async () => {
    // Named like the keys that the portal creates.
    const { agentId, kid, keyPair } = await createActiveAgent(service, scene.merchant, {
      kid: 'key-2030-01-31-AbCd1234',
    });
    const sample = one(blocksOf('README.md'), 'ts', 'agent');
    // Test services have a BASE_URL that differs from the URL they are called at.
    const audience = `baseUrl: SVC_URL, audience: '${BASE_URL}/v1/agent-auth/token'`;
    const device = await registerDevice(service);
    const shell = startShell(programOf(work, 'agent', sample.replace('baseUrl: SVC_URL', audience)), {
      SVC_URL: service.url,
      SVC_AGENT_ID: agentId,
      SVC_KEY_ID: kid,
      SVC_PRIVATE_KEY: Buffer.from(keyPair.secretKey).subarray(0, 32).toString('base64url'),
      CONNECT_KEY: await issueConnectKey(service, device),
    });
    const invitations = `${service.url}/v1/connect-invitations`;
    const { body } = await eventually(
      () => call(invitations, { headers: device.headers }),
      ({ body: found }) => found.connect_invitations.length > 0,
      'an invitation',
    );
    const id = body.connect_invitations[0].connect_invitation_id as string;
    await call(`${invitations}/${id}/approve`, { headers: device.headers, body: {} });
    const request = await approveNext({ ...scene, device });
    await shell.printed(`${request} confirmed`);
    expect(await shell.ended).toBe(0);
  });
});

describe('sdk/README.md', () => {
  it('has a sample that carries a payment to its end', () => expectSampleToPay('sdk/README.md', 'readme'));
});

describe('docs/webhook-receivers.md', () => {
  const page = 'docs/webhook-receivers.md';
  const blocks = blocksOf(page);

  /** Runs the page's commands with one of its receivers, then sends a payment and a forgery. */
  async function expectReceiverToVerify(command: string): Promise<void> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const secretFile = join(work, `secret-${port}`);
    const start = `PORT=${port} WEBHOOK_SECRET=$(cat "$secret_file") ${command} &\nuntil curl -s -o /dev/null ${url}; do sleep 0.1; done`;
    const commands = blocks.flatMap((block) => {
      if (block.language !== 'sh') return [];
      return block.kind === 'verify' ? [{ ...block, code: `${start}\n${block.code}` }] : [block];
    });
    const env = { ...variables(), url, secret_file: secretFile };
    const shell: Shell = startShell(scriptOf(commands, here()), env);
    try {
      // The receiver, a process of its own, may print after the command that was answered because of it.
      expect([await shell.ended, shell.output()]).toEqual([0, expect.stringContaining('\nactive\n')]);
      await shell.printed(' webhook.verification\n');
      const { body } = await createPayment(service, scene);
      expect(await approveNext()).toBe(body.payment_request.request_id);
      await shell.printed(' payment_request.confirmed\n');
      expect(shell.output()).toMatch(/whd_\w{26} payment_request\.signed\nwhd_\w{26} payment_request\.confirmed\n/);

      const forged = { 'webhook-id': 'whd_1', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)) };
      const signature = { 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` };
      const answer = await call(url, {
        body: { type: 'payment_request.confirmed' },
        headers: { ...forged, ...signature },
      });
      expect(answer.status).toBe(400);
    } finally {
      shell.kill();
    }
  }

  describeWithTools(`the commands of ${page} with its TypeScript`, toolsIn(pick(blocks, 'sh')), () => {
    it('verify what the service sends, and nothing else', () =>
      expectReceiverToVerify(programOf(work, 'receiver', one(blocks, 'ts', 'receiver'))));
  });

  describeWithTools(`the commands of ${page} with its Python`, [...toolsIn(pick(blocks, 'sh')), 'python3'], () => {
    it('verify all of it too', () => {
      const file = join(work, 'receiver.py');
      writeFileSync(file, one(blocks, 'python', 'receiver'));
      return expectReceiverToVerify(`python3 '${file}'`);
    });
  });
});

describe('docs/operators.md', () => {
  const blocks = blocksOf('docs/operators.md');

  describeWithTools(
    'the commands of docs/operators.md',
    toolsIn([...pick(blocks, 'sh'), ...pick(blocks, 'sh', 'stopped')]),
    () => {
      it('inspect a running service', async () => {
        const output = await runScript(scriptOf(pick(blocks, 'sh'), here()), {
          METRICS_TOKEN: 'only-for-tests',
          DATA_DIR: service.dataDir,
        });
        expect(output).toContain('nothing is set aside');
        expect(output).toContain('"status":"live"');
        expect(output).toContain('"status":"ready"');
        expect(output).toMatch(/^svc_projection_lag_seconds 0/m);
      });

      it('back up a stopped one and restore it', async () => {
        const [dataDir, restored] = [join(work, 'data'), join(work, 'restored')];
        const before = await startTestService({ dataDir });
        const { body } = await call(`${before.url}/v1/wallet-devices`, { body: { name: 'Kept' } });
        await before.stop();

        const env = { DATA_DIR: dataDir, BACKUPS: join(work, 'backups'), RESTORED: restored };
        await runScript(scriptOf(pick(blocks, 'sh', 'stopped')), env);
        expect(existsSync(join(work, 'backups/svc.tgz'))).toBe(true);

        const after = await startTestService({ dataDir: restored });
        const { device_id: id } = body.device as { device_id: string };
        const headers = { authorization: `Device ${id}:${body.device_token as string}` };
        const read = await call(`${after.url}/v1/wallet-devices/${id}`, { headers });
        expect([read.status, read.body.device]).toEqual([200, body.device]);
        await after.stop();
      }, 300_000);
    },
  );
});

it.each([
  ['docs/api-consumers.md', ['sh', 'ts agent']],
  ['docs/webhook-receivers.md', ['json example', 'python receiver', 'sh', 'sh verify', 'ts receiver']],
  ['docs/operators.md', ['sh', 'sh docker', 'sh long', 'sh stopped']],
  ['sdk/README.md', ['sh linked', 'sh packed', 'ts agent']],
])('%s has no block of a kind that no test covers', (page, kinds) => {
  const found = new Set(blocksOf(page).map(({ language, kind }) => `${language} ${kind}`.trim()));
  expect([...found].sort()).toEqual(kinds);
});

it('docs/webhook-receivers.md shows every message type as it is sent', () => {
  const shown = pick(blocksOf('docs/webhook-receivers.md'), 'json', 'example').map(({ code }) => code.trim());
  expect(shown).toEqual([...webhookExamples().values()]);
  expect([...webhookExamples().keys()].sort()).toEqual([...WEBHOOK_EVENT_TYPES].sort());
});

it('commands that take too long to run here name scripts that exist', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
  for (const { code } of pick(blocksOf('docs/operators.md'), 'sh', 'long')) {
    expect(Object.keys(scripts)).toContain(code.replace('npm run ', ''));
  }
});
