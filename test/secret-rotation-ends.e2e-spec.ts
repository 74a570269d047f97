import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { built, spawnService } from './support/child';
import { startEventStoreDb } from './support/eventstoredb/server';

const secret = (letter: string): string => `only-for-tests-${letter.repeat(40)}`;

describe('the command that replaces the service secret, on EventStoreDB', () => {
  it('ends when it is done: an operator waits for it before the next start', async () => {
    const server = await startEventStoreDb();
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-rotation-'));
    const engine = { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: server.url, DATA_DIR: dataDir };
    try {
      const service = await spawnService({ ...engine, SERVICE_SECRET: secret('a') });
      service.child.kill('SIGTERM');
      await service.ended;
      const env = { ...engine, SERVICE_SECRET: secret('a'), NEW_SERVICE_SECRET: secret('b') };
      const rotation = spawn(process.execPath, [...built('app/secret/main.js'), 'rotate'], {
        env: { PATH: process.env['PATH'] ?? '', ...env },
        stdio: 'ignore',
        // Only for a command that hangs.
        timeout: 60_000,
      });
      expect(await once(rotation, 'exit')).toEqual([0, null]);
    } finally {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  }, 120_000);
});
