import { endOfLog, placesOf } from '../../../../test/contract/event-store/steps';
import { type Engine, ENGINE_KINDS, openBreakableEngine } from '../../../../test/support/eventstoredb/harness';
import { aNewEvent, aStream } from '../../../../test/support/events';
import { follow } from '../../../../test/support/follow';
import { type EventStore, type RecordedEvent } from '../event-store.port';
import { openEventStoreDb } from './eventstoredb-store';

describe.each(ENGINE_KINDS)('a consumer that %s finds too slow', (kind) => {
  let engine: Engine;
  let store: EventStore;
  beforeAll(async () => {
    engine = await openBreakableEngine(kind);
    store = await openEventStoreDb(engine.url);
  });
  afterAll(async () => {
    await store.close();
    await engine.stop();
  });

  it('loses nothing, sees nothing twice, and is notified when it has caught up again', async () => {
    const stream = aStream();
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const handle = async (event: RecordedEvent): Promise<void> => {
      if (event.version === 1) await gate;
    };
    const follower = follow(store, await endOfLog(store), { only: (event) => event.stream === stream, handle });
    await follower.until(() => follower.caughtUp.length === 1);

    const text = 'x'.repeat(10_000);
    let version = 0;
    const enough = (): boolean => (engine.droppedConsumers ? engine.droppedConsumers() > 0 : version >= 400);
    while (!enough() && version < 1000) {
      await store.append(stream, version, [aNewEvent('Large', { text })]);
      version += 1;
    }
    expect(enough()).toBe(true);
    expect(follower.seen).toHaveLength(1);
    release();
    const timesCaughtUp = engine.droppedConsumers ? 2 : 1;
    await follower.until(() => follower.seen.length >= version && follower.caughtUp.length >= timesCaughtUp);
    await store.append(stream, version, [aNewEvent('Last')]);
    await follower.until(() => follower.seen.at(-1)?.type === 'Last');
    await follower.stop();
    expect(placesOf(follower.seen)).toEqual(
      Array.from({ length: version + 1 }, (_, index) => `${stream}@${index + 1}`),
    );
  });
});
