import { projections } from '../projections';
import { buildAuditIndex } from '../src/audit/log/build-index';
import { verifyAll } from '../src/audit/cli/verify/verify';
import { openEmbeddedEventStore } from '../src/platform/event-store/embedded/open-embedded-event-store';
import { planWrites } from '../src/platform/read-model/plan-writes';
import { openEmbeddedReadModel } from '../src/platform/read-model/embedded/open';
import { Projector } from '../src/platform/projecting/projector';
import { systemClock, timestamp } from '../src/kernel/clock';
import { newId } from '../src/kernel/ids';
import { someMetadata } from './support/events';
import { temporaryDirectories } from './support/temp-directory';
import { join } from 'node:path';

const quiet = { info: () => undefined, warn: () => undefined };

describe('verify after a kill', () => {
  const directory = temporaryDirectories();

  it('does not report a tree that is a quarter of a second behind the projections', async () => {
    const folder = directory();
    const store = await openEmbeddedEventStore(join(folder, 'events'));
    const model = await openEmbeddedReadModel(join(folder, 'model'));
    const register = async () => {
      const device_id = newId('dev');
      const data = { device_id, name: 'w', platform: null, token_hash: 'h', registered_at: timestamp(new Date()) };
      await store.append(`wallet_device-${device_id}`, 0, [
        { type: 'WalletDeviceRegistered', data, metadata: someMetadata() },
      ]);
    };
    await register();
    const project = () => new Projector(store, model, projections, systemClock, quiet).rebuild(() => undefined);
    await project();
    await buildAuditIndex(store, model);
    expect((await verifyAll(store, model)).findings.kept).toEqual([]);
    // Projections apply an event at once, the tree within 250 ms; the process is killed in between.
    await register();
    const events = await store.readAll((await model.state()).position, 10);
    const writes = await planWrites(projections, events, (refs) => model.load(refs));
    await model.apply(writes, events.at(-1)?.position ?? 0n);
    const { findings, behind } = await verifyAll(store, model);
    await model.close();
    await store.close();
    expect([findings.kept, behind]).toEqual([[], 1]);
  });
});
