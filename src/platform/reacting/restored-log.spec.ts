import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { aNewEvent, aStream } from '../../../test/support/events';
import { eventually } from '../../../test/support/eventually';
import { temporaryDirectories } from '../../../test/support/temp-directory';
import { openEmbeddedEventStore } from '../event-store/embedded/open-embedded-event-store';
import { openEmbeddedReadModel } from '../read-model/embedded/open';
import { systemClock } from '../../kernel/clock';
import { Projector } from '../projecting/projector';
import { ReactorFeed } from './reactor-feed';
import { countAside } from './set-aside';

describe('reactors on a log that was restored from a backup', () => {
  const directory = temporaryDirectories();
  it('handle what is written to it, once the read model was rebuilt as documented', async () => {
    const store = await openEmbeddedEventStore(directory());
    const model = await openEmbeddedReadModel(directory());
    // The read store has come as far as the log before the restore; the restored log is shorter.
    await model.setBookmark('red', 1_000n);
    const quiet = { info: () => undefined, warn: () => undefined };
    await new Projector(store, model, [], systemClock, quiet).rebuild(() => undefined);
    const seen: string[] = [];
    const reactor = { name: 'red', types: ['Red'], react: async ({ type }: { type: string }) => void seen.push(type) };
    const feed = new ReactorFeed(store, model, [reactor], quiet);
    await feed.start();
    await store.append(aStream(), 0, [aNewEvent('Red', { n: 1 })]);
    await eventually(
      async () => seen.length,
      (count) => count > 0,
      'a reaction',
    );
    await feed.stop();
    await model.close();
    await store.close();
    expect(seen).toEqual(['Red']);
  });

  it('do again what they had done after the backup about an event before it', async () => {
    const folder = directory();
    const at = (place: string): string => join(folder, place);
    const model = await openEmbeddedReadModel(at('model'));
    const quiet = { info: () => undefined, warn: () => undefined };
    let store = await openEmbeddedEventStore(at('events'));
    const react = async (): Promise<void> => void (await store.append('effect-1', 0, [aNewEvent('Blue', {})]));
    const work = async (): Promise<void> => {
      const projector = new Projector(store, model, [], systemClock, quiet);
      await projector.start();
      const feed = new ReactorFeed(store, model, [{ name: 'red', types: ['Red'], react }], quiet);
      await feed.start();
      await eventually(
        () => store.readStream('effect-1'),
        ({ length }) => length === 1,
        'the effect',
      );
      await projector.progress.passed(await store.head());
      await feed.stop();
      await projector.stop();
      await store.close();
    };
    await store.append(aStream(), 0, [aNewEvent('Red', {})]);
    await store.close();
    cpSync(at('events'), at('backup'), { recursive: true });
    store = await openEmbeddedEventStore(at('events'));
    await work();
    store = await openEmbeddedEventStore(at('backup'));
    expect(await store.readStream('effect-1')).toEqual([]);
    await work();
    await model.close();
  });

  it('keep what they set aside through a rebuild, and skip no later event because of a bookmark from before the restore', async () => {
    const store = await openEmbeddedEventStore(directory());
    const model = await openEmbeddedReadModel(directory());
    const quiet = { info: () => undefined, warn: () => undefined };
    const rebuild = (): Promise<number> => new Projector(store, model, [], systemClock, quiet).rebuild(() => undefined);
    let isBroken = true;
    const seen: unknown[] = [];
    const react = async ({ data }: { data: unknown }): Promise<void> => {
      if (isBroken) throw new Error('broken');
      seen.push(data);
    };
    const start = async (): Promise<ReactorFeed> => {
      const retryPolicy = { attempts: 1, firstPauseMs: 1 };
      const feed = new ReactorFeed(store, model, [{ name: 'red', types: ['Red'], react }], quiet, retryPolicy);
      await feed.start();
      return feed;
    };
    const asideIn = (feed: ReactorFeed, wanted: number): Promise<unknown> =>
      eventually(
        async () => feed.setAside,
        (count) => count === wanted,
        'set aside',
      );
    for (let n = 1; n <= 3; n += 1) await store.append(aStream(), 0, [aNewEvent('Red', { n })]);
    const before = await start();
    await asideIn(before, 3);
    await before.stop();
    await store.append(aStream(), 0, [aNewEvent('Blue', {})]);
    // A slot from the log as it was before the restore: its event is gone.
    await model.setBookmark('red#aside-3', 2_001n);
    await rebuild();
    expect(await countAside('red', model)).toBe(3);
    const between = await start();
    await store.append(aStream(), 0, [aNewEvent('Red', { n: 4 })]);
    await asideIn(between, 4);
    await between.stop();
    isBroken = false;
    const after = await start();
    await after.retrySetAside();
    await after.stop();
    await model.close();
    await store.close();
    expect(seen).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }]);
  });
});
