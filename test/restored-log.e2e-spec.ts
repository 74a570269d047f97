import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOG_START, type EventStore } from '../src/platform/event-store/event-store.port';
import { openEventStoreDb } from '../src/platform/event-store/eventstoredb/eventstoredb-store';
import { startEventStoreDb, type TestEventStoreDb } from './support/eventstoredb/server';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { startTestService, type TestService } from './support/service';

describe('a service on a restored log whose read model is newer', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-restored-'));
  const engines: TestEventStoreDb[] = [];
  const stores: EventStore[] = [];
  let service: TestService | undefined;
  afterAll(async () => {
    await service?.stop();
    for (const store of stores) await store.close();
    for (const engine of engines) await engine.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const startEngine = async (): Promise<Readonly<{ url: string; store: EventStore }>> => {
    const engine = await startEventStoreDb();
    engines.push(engine);
    const store = await openEventStoreDb(engine.url);
    stores.push(store);
    return { url: engine.url, store };
  };
  const startOn = (url: string): Promise<TestService> => {
    const env = { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: url, READ_STORE: 'embedded' };
    return startTestService({ env: { ...env, SERVICE_SECRET: 's'.repeat(40) }, dataDir });
  };

  it('shows nothing of what the log does not have, writes nothing, and does no background work', async () => {
    const [before, restored] = [await startEngine(), await startEngine()];
    service = await startOn(before.url);
    const { body } = await call(`${service.url}/v1/wallet-devices`, { body: { name: 'Kitchen tablet' } });
    const device = `/v1/wallet-devices/${body.device.device_id as string}`;
    const headers = { authorization: `Device ${body.device.device_id as string}:${body.device_token as string}` };
    // The backup.
    for (const { stream, version, type, data, metadata } of await before.store.readAll(LOG_START, 1_000))
      await restored.store.append(stream, version - 1, [{ type, data, metadata }]);
    expect((await call(`${service.url}${device}/rotate-token`, { body: {}, headers })).status).toBe(200);
    await service.stop();

    service = await startOn(restored.url);
    const { url, log } = service;
    await eventually(async () => log().includes('was it restored?'), Boolean, 'a warning');
    const end = await restored.store.head();
    // The restored log knows the old token again, but reads would show the device as it was after the rotation.
    const shown = await call(`${url}${device}`, { headers });
    const written = await call(`${url}/v1/connect-keys`, { body: {}, headers });
    expect([shown.status, written.status, await restored.store.head()]).toEqual([503, 503, end]);
    expect(log()).not.toMatch(/reactors cannot follow|transparency log cannot follow/);
  }, 60_000);
});
