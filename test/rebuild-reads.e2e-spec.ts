import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedEventStore } from '../src/platform/event-store/embedded/open-embedded-event-store';
import { pause } from '../src/kernel/pause';
import { type ServiceProcess, spawnService } from './support/child';
import { aNewEvent } from './support/events';
import { eventually } from './support/eventually';
import { call } from './support/http';

const OTHERS = 12_000;
/** While the rebuild is in progress. */
const KILLED_AFTER_MS = 250;

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
    const read = async (): Promise<void> => {
      for (let status = 0; status !== 200;) {
        ({ status } = await call(`${service.url}/v1/wallet-devices/${id}`, { headers }));
        seen.add(status);
      }
    };
    rmSync(join(dataDir, 'read-model'), { recursive: true });
    await start();
    const killed = pause(KILLED_AFTER_MS).then(() => stop('SIGKILL'));
    await read().catch(() => undefined);
    await killed;
    await start();
    await read();
    expect([...seen].filter((status) => status !== 503)).toEqual([200]);
  }, 180_000);
});
