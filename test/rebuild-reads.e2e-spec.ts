import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedEventStore } from '../src/platform/event-store/embedded/open-embedded-event-store';
import { type ServiceProcess, spawnService } from './support/child';
import { aNewEvent } from './support/events';
import { eventually } from './support/eventually';
import { call } from './support/http';

const OTHERS = 40_000;

describe('a read model that is being rebuilt', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-rebuild-'));
  let service: ServiceProcess;

  const start = async (): Promise<void> => {
    service = await spawnService({ DATA_DIR: dataDir });
  };
  const stop = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> => {
    service.child.kill(signal);
    await service.ended;
  };
  afterAll(async () => {
    await stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('is waited for, even after a crash: no caller is told that something missing does not exist', async () => {
    await start();
    await stop();
    // Older events are projected first, so the device below comes last.
    const log = await openEmbeddedEventStore(join(dataDir, 'events'));
    for (let at = 0; at < OTHERS; at += 500)
      await Promise.all(Array.from({ length: 500 }, (_, index) => log.append(`test-${at + index}`, 0, [aNewEvent()])));
    await log.close();
    await start();
    const { body } = await eventually(
      () => call(`${service.url}/v1/wallet-devices`, { body: { name: 'Kitchen tablet' } }),
      ({ status }) => status === 201,
      'reads that have caught up',
    );
    const id = body.device.device_id as string;
    const headers = { authorization: `Device ${id}:${body.device_token as string}` };
    await stop();

    const seen = new Set<number>();
    for (const ends of ['SIGKILL', undefined] as const) {
      if (ends !== undefined) rmSync(join(dataDir, 'read-model'), { recursive: true });
      await start();
      const until = ends === undefined ? Infinity : Date.now() + 300;
      for (let status = 0; status !== 200 && Date.now() < until;) {
        ({ status } = await call(`${service.url}/v1/wallet-devices/${id}`, { headers }));
        seen.add(status);
      }
      if (ends !== undefined) await stop(ends);
    }
    expect([...seen].sort().filter((status) => status !== 503)).toEqual([200]);
  }, 180_000);
});
