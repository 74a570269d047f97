import { once } from 'node:events';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { built } from './support/child';
import { freePort } from './support/free-port';
import { eventually } from './support/eventually';
import { type Answer, call } from './support/http';

/** Nothing listens on this port. */
const AWAY = { READ_STORE: 'mongodb', MONGODB_URL: 'mongodb://127.0.0.1:1/' };

describe('a service that is asked to stop before it has started', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-early-'));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  const begin = async (env: Readonly<Record<string, string>> = {}) => {
    const port = String(await freePort());
    const child = spawn(process.execPath, built('main.js'), {
      env: { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir, LOG_LEVEL: 'silent', ...env, PORT: port },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    return { child, ended: once(child, 'close'), output: () => output, url: `http://127.0.0.1:${port}` };
  };

  /** Resolves once the store's native library is mapped: the program is loading but has not started. */
  const untilLoading = ({ pid }: ChildProcess): Promise<string> =>
    eventually(
      async () => readFileSync(`/proc/${pid}/maps`, 'utf8'),
      (maps) => maps.includes('lmdb'),
      'loading',
    );

  const untilAlive = (url: string): Promise<Answer | undefined> =>
    eventually(
      () => call(`${url}/health`).catch(() => undefined),
      (answer) => answer?.status === 200,
      'being alive',
    );

  it.each(['SIGTERM', 'SIGINT'] as const)('exits on its own, with 0, on %s while it is loading', async (signal) => {
    const { child, ended } = await begin();
    await untilLoading(child);
    child.kill(signal);
    expect(await ended).toEqual([0, null]);
  });

  it('keeps running when it receives SIGUSR2 while it is loading or about to exit', async () => {
    const { child, ended, url } = await begin();
    await untilLoading(child);
    child.kill('SIGUSR2');
    await untilAlive(url);
    child.kill('SIGTERM');
    const telling = setInterval(() => child.kill('SIGUSR2'), 1);
    expect(await ended).toEqual([0, null]);
    clearInterval(telling);
  });

  it('lets callers wait for a moment while it starts instead of refusing them', async () => {
    const { child, ended, url } = await begin();
    const first = await eventually(
      () => call(`${url}/v1/wallet-devices`, { body: { name: 'Phone' } }).catch(() => undefined),
      (answer) => answer !== undefined,
      'an answer',
    );
    expect(first?.status).toBe(201);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('reports that it is alive but not ready while its read store is unreachable, and still stops', async () => {
    const { child, ended, url } = await begin(AWAY);
    await untilAlive(url);
    const ready = await call(`${url}/health/ready`);
    expect([ready.status, ready.body.checks.read_store.status]).toEqual([503, 'failing']);
    const refused = await call(`${url}/v1/wallet-devices`, { body: { name: 'Phone' } });
    expect([refused.status, refused.body.error.code]).toEqual([503, 'store_unavailable']);
    expect(refused.headers.get('retry-after')).toBe('1');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});
