import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { built, spawnService } from './support/child';
import { type EventStoreDbProcess, spawnEventStoreDb } from './support/eventstoredb/server-process';

describe('an embedded read store next to EventStoreDB', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-alone-'));
  let engine: EventStoreDbProcess;
  let env: Readonly<Record<string, string>>;
  beforeAll(async () => {
    engine = await spawnEventStoreDb();
    const engines = { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: engine.url, READ_STORE: 'embedded' };
    env = { ...engines, DATA_DIR: dataDir, SERVICE_SECRET: 's'.repeat(32) };
  });
  afterAll(async () => {
    await engine.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const inUse = `${join(dataDir, 'read-model')}: in use by another process; stop it first`;
  const run = (file: string, ...words: readonly string[]) =>
    spawnSync(process.execPath, [...built(file), ...words], { env: { ...process.env, ...env }, encoding: 'utf8' });

  it('belongs to one process: neither a second service nor a command that changes it can run next to it', async () => {
    const { child, ended } = await spawnService(env);
    await expect(spawnService(env)).rejects.toThrow(inUse);
    const rebuild = run('app/rebuild-projections.js');
    expect([rebuild.status, rebuild.stderr]).toEqual([1, expect.stringContaining(inUse)]);

    child.kill('SIGKILL');
    await ended;
    expect(run('app/rebuild-projections.js').status).toBe(0);
    const next = await spawnService(env);
    next.child.kill('SIGTERM');
    await next.ended;
  });
});
