import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceProcess, spawnService } from './support/child';
import { figure, progress, sizeFrom, timeLimit } from './support/figures';
import { call } from './support/http';
import { measureCalls } from './support/other-callers';
import { memoryOf } from './support/process-memory';

/** 100,000 in a full-size run. */
const REQUESTS = sizeFrom('CHAOS_REQUESTS', 600);
const PARTS = 10;
/** Allowance for garbage that is not collected yet between two measurements. */
const MAX_GROWTH_MB = 64;

describe('the memory of the service', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-memory-'));
  let service: ServiceProcess;

  beforeAll(async () => {
    service = await spawnService({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
  }, 120_000);
  afterAll(async () => {
    service.child.kill('SIGKILL');
    await service.ended;
    rmSync(dataDir, { recursive: true, force: true });
  });

  const post = (raw: string | Uint8Array, headers = {}) => call(`${service.url}/v1/wallet-devices`, { raw, headers });
  const get = (path: string, headers = {}) => call(`${service.url}${path}`, { headers });

  /** Each kind with its expected status; half of the calls are unique, so that anything cached by name would show. */
  const kinds: readonly (readonly [status: number, ask: (index: number) => ReturnType<typeof call>])[] = [
    [201, (index) => post(JSON.stringify({ name: `Phone ${index}` }))],
    [200, () => get('/v1/errors')],
    [400, () => post('{')],
    [400, () => post(`{"name":"x","deep":${'['.repeat(10_000)}${']'.repeat(10_000)}}`)],
    [400, (index) => post(JSON.stringify({ name: '', [`field_${index}`]: '\u0000' }))],
    [400, () => post(Buffer.from([0x7b, 0xff, 0xc0, 0x7d]))],
    [413, () => post(JSON.stringify({ name: 'x'.repeat(65 * 1024) }))],
    [415, () => post('name=x', { 'content-type': 'application/x-www-form-urlencoded' })],
    [404, (index) => get(`/v1/nothing/${index}`)],
    [401, (index) => get(`/v1/payment-requests/pr_${index}`, { authorization: `Bearer svc_ct_${index}` })],
    [401, (index) => get(`/v1/wallet-devices/dev_${index}`, { authorization: `Device dev_${index}:svc_dt_${index}` })],
    [405, () => call(`${service.url}/v1/wallet-devices`, { method: 'PUT', body: {} })],
  ];

  it(
    `stays flat over ${REQUESTS} good and bad requests`,
    async () => {
      const megabytes: number[] = [];
      const expected: Record<string, number> = {};
      const seen: Record<string, number> = {};
      const each = REQUESTS / PARTS;
      for (let part = 0; part < PARTS; part += 1) {
        const { statuses } = await measureCalls(each, (index) => {
          const at = part * each + index;
          const [status, ask] = kinds[at % kinds.length] ?? [0, () => get('/')];
          expected[status] = (expected[status] ?? 0) + 1;
          return ask(at);
        });
        for (const [status, count] of Object.entries(statuses)) seen[status] = (seen[status] ?? 0) + count;
        megabytes.push(memoryOf(service));
        progress(part + 1, PARTS);
      }
      process.stdout.write(`memory over ${REQUESTS} requests, in MB: ${megabytes.join(' ')}\n`);
      const right = Object.entries(expected).reduce(
        (sum, [status, count]) => sum + Math.min(count, seen[status] ?? 0),
        0,
      );
      // The first third is a warm-up: code is compiled and caches fill.
      const most = Math.max(...megabytes.slice(0, 4)) + MAX_GROWTH_MB;
      const over = Math.max(0, (megabytes.at(-1) ?? 0) - most);
      figure({ promise: 'memory over mixed requests', tried: REQUESTS, lost: REQUESTS - right, doubled: over });
      expect(seen).toEqual(expected);
      expect(megabytes.at(-1)).toBeLessThanOrEqual(most);
    },
    timeLimit(300_000),
  );
});
