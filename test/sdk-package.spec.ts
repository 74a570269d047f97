import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bytesToHex } from '@noble/hashes/utils';
import nacl from 'tweetnacl';
import { extentBytes, keyIdOf, leafHash, signedBytes } from '../src/audit/proofs';
import { blocksOf } from './support/doc-blocks';

const run = promisify(execFile);
const root = join(__dirname, '..');
/** The newest compiler needs a tenth of the time of the older one, but has dropped the oldest way of resolving modules. */
const compilers = {
  newest: join(root, 'node_modules/typescript-native/bin/tsc'),
  older: require.resolve('typescript/bin/tsc'),
};

/** A project with the package installed as it would be published. */
let project: string;
let installed: string;

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'svc-client-'));
  installed = join(project, 'node_modules', '@svc', 'client');
  mkdirSync(installed, { recursive: true });
  await run(process.execPath, [join(root, 'sdk/build.js'), join(installed, 'dist')]);
  cpSync(join(root, 'sdk/package.json'), join(installed, 'package.json'));
  mkdirSync(join(project, 'node_modules/@noble'));
  for (const name of ['tweetnacl', 'canonicalize', '@noble/hashes']) {
    symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name));
  }
}, 120_000);

afterAll(() => rmSync(project, { recursive: true, force: true }));

const USE = `
const agent = new client.AgentClient({ baseUrl: 'https://svc.example' });
const key = client.newAgentKey();
client.signAssertion({ kid: 'k', agentId: 'agt_1', secretKey: key.secretKey }, { audience: 'a' }).then((assertion) =>
  console.log(JSON.stringify([typeof agent.createPaymentRequest, assertion.split('.').length, Object.keys(client).sort()])));
`;

/** A log of one event, signed here; then a copy with another amount. */
const { publicKey, secretKey } = nacl.sign.keyPair.fromSeed(new Uint8Array(32).fill(7));
const event = {
  stream: 'payment_request-pr_1',
  version: 1,
  type: 'PaymentRequestCreated',
  data: { request_id: 'pr_1', amount: '1' },
  metadata: {},
};
const key = { key_id: keyIdOf(bytesToHex(publicKey)), public_key: bytesToHex(publicKey) };
const unsigned = {
  origin: 'https://svc.example',
  tree_size: 1,
  root: bytesToHex(leafHash(event)),
  time: '2030-01-01T00:00:00.000Z',
  key_id: key.key_id,
};
const signature = bytesToHex(nacl.sign.detached(signedBytes(unsigned), secretKey));
const checkpoint = { ...unsigned, signature };
const about = { stream: event.stream, version: 1, withheld: [], leaves: [0], key_id: key.key_id };
const stated = bytesToHex(nacl.sign.detached(extentBytes(checkpoint, 'pr_1', about), secretKey));
const proofOf = (proven: object) => ({
  format: 'svc.proof.v1',
  request_id: 'pr_1',
  checkpoint,
  extent: { ...about, signature: stated },
  keys: [key],
  events: [{ leaf_index: 0, event: proven, inclusion: [] }],
});
const PROOFS = [proofOf(event), proofOf({ ...event, data: { request_id: 'pr_1', amount: '2' } })];
const PROVE = `console.log(JSON.stringify(${JSON.stringify(PROOFS)}.map((proof) => proofs.checkProof(proof).ok)));`;

/** All of these are pure JavaScript. */
const NEUTRAL = new Set(['tweetnacl', 'canonicalize', '@noble/hashes/sha256', '@noble/hashes/utils']);

const EXPORTS = [
  'AgentClient',
  'AgentPaymentsClient',
  'MerchantAccess',
  'MerchantClient',
  'PAYMENT_STATUSES',
  'SCOPES',
  'ServiceClient',
  'SvcConnectionError',
  'SvcCursorError',
  'SvcError',
  'SvcTimeoutError',
  'WalletClient',
  'WebhookVerificationError',
  'agentKeyFromSeed',
  'followStream',
  'newAgentKey',
  'signAssertion',
  'signChallenge',
  'verifyWebhook',
];

describe('the client library as a package', () => {
  it.each([
    ['require', 'use.cjs', `const client = require('@svc/client');${USE}`],
    ['import', 'use.mjs', `import * as client from '@svc/client';${USE}`],
  ])('loads and works by %s', async (_form, file, text) => {
    writeFileSync(join(project, file), text);
    const { stdout } = await run(process.execPath, [file], { cwd: project });
    expect(JSON.parse(stdout)).toEqual(['function', 3, EXPORTS]);
  });

  it.each([
    ['require', 'prove.cjs', `const proofs = require('@svc/client/proofs');`],
    ['import', 'prove.mjs', `import * as proofs from '@svc/client/proofs';`],
  ])('checks proofs by %s, without the service', async (_form, file, text) => {
    writeFileSync(join(project, file), `${text}\n${PROVE}`);
    const { stdout } = await run(process.execPath, [file], { cwd: project });
    expect(JSON.parse(stdout)).toEqual([true, false]);
  });

  it('has types for each way of resolving modules', async () => {
    const text = `
      import { AgentClient, type PaymentRequest } from '@svc/client';
      const agent = new AgentClient({ baseUrl: 'https://svc.example' });
      export const read: Promise<PaymentRequest> = agent.readPaymentRequest('pr_1');
      // @ts-expect-error an amount is an exact decimal text, never a number
      void agent.createPaymentRequest({ recipient_id: 'a', recipient_version_id: 'b', payment: { amount: 1.5 } });`;
    for (const name of ['use.ts', 'use.mts', 'use.cts']) writeFileSync(join(project, name), text);
    const flags = ['--noEmit', '--strict', '--skipDefaultLibCheck', '--target', 'es2022', '--lib', 'es2022,dom'];
    const ways = [
      [compilers.newest, '--module', 'nodenext', '--moduleResolution', 'nodenext', 'use.mts', 'use.cts'],
      [compilers.newest, '--module', 'es2022', '--moduleResolution', 'bundler', 'use.ts'],
      [compilers.older, '--module', 'commonjs', '--moduleResolution', 'node10', 'use.ts'],
    ];
    for (const [compiler = '', ...way] of ways) {
      const { stdout } = await run(process.execPath, [compiler, ...flags, ...way], { cwd: project });
      expect(stdout).toBe('');
    }
  }, 120_000);

  it('fits the samples of the docs', async () => {
    const pages = ['README.md', 'sdk/README.md', 'docs/api-consumers.md', 'docs/webhook-receivers.md'];
    const samples = pages.flatMap(blocksOf).filter(({ language }) => language === 'ts');
    expect(samples).toHaveLength(pages.length);
    const files = samples.map(({ code }, index) => {
      writeFileSync(join(project, `sample-${index}.mts`), code);
      return `sample-${index}.mts`;
    });
    const flags = ['--noEmit', '--strict', '--noUncheckedIndexedAccess', '--skipLibCheck', '--target', 'es2022'];
    const ways = ['--module', 'nodenext', '--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
    const { stdout } = await run(process.execPath, [compilers.newest, ...flags, ...ways, ...files], { cwd: project });
    expect(stdout).toBe('');
  }, 120_000);

  it('imports only its own files and what browsers can load too', () => {
    for (const form of ['esm', 'cjs']) {
      const files = readdirSync(join(installed, 'dist', form), { recursive: true, encoding: 'utf8' });
      const code = files.filter((name) => /\.(js|d\.ts)$/.test(name));
      expect(code.length).toBeGreaterThan(20);
      const targets = code.flatMap((name) => {
        const text = readFileSync(join(installed, 'dist', form, name), 'utf8');
        return [...text.matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*|\brequire\(\s*)["']([^"']+)["']/g)].map(
          ([, target = '']) => target,
        );
      });
      expect(new Set(targets.filter((target) => !/^\.\.?\/[\w/-]+\.js$/.test(target)))).toEqual(NEUTRAL);
    }
  });

  it('is compiled without Node’s types, so that it cannot depend on Node', () => {
    const { compilerOptions } = JSON.parse(readFileSync(join(root, 'sdk/tsconfig.json'), 'utf8')) as {
      compilerOptions: Record<string, unknown>;
    };
    expect(compilerOptions).toMatchObject({ types: [], lib: ['ES2022', 'DOM'] });
  });
});
