import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { startEventStoreDb, type TestEventStoreDb } from '../../../test/support/eventstoredb/server';
import { aNewEvent } from '../../../test/support/events';
import { eventually } from '../../../test/support/eventually';
import { describeWithMongo } from '../../../test/support/mongodb';
import { temporaryDirectories } from '../../../test/support/temp-directory';
import { systemClock } from '../../kernel/clock';
import { newId } from '../../kernel/ids';
import { openEmbeddedEventStore } from '../event-store/embedded/open-embedded-event-store';
import { type EventStore, LOG_START, type Position } from '../event-store/event-store.port';
import { openEventStoreDb } from '../event-store/eventstoredb/eventstoredb-store';
import { openEmbeddedReadModel } from '../read-model/embedded/open';
import { openMongoReadModel } from '../read-model/mongodb/mongodb-read-model';
import { collection, type Projection } from '../read-model/projection';
import { type ReadModelStore } from '../read-model/read-model.port';
import { Projector } from './projector';

type Note = Readonly<{ id: string }>;
const notes = collection<Note>('notes');
const noting: Projection = {
  name: 'noting',
  version: 1,
  collections: [notes],
  project: ({ stream: id }) => [{ collection: notes, id, next: () => ({ document: { id } }) }],
};

const append = async (store: EventStore, stream: string): Promise<Position> => {
  const result = await store.append(stream, 0, [aNewEvent()]);
  if (result.kind === 'conflict') throw new Error('conflict');
  return result.position;
};

function onThisReadModel(name: string, open: (directory: string) => Promise<ReadModelStore>): void {
  describe(`a log that was restored and has grown past what the ${name} read model has seen`, () => {
    const directory = temporaryDirectories();
    let model: ReadModelStore;
    let warnings: string[];
    let undo: (() => Promise<unknown>)[];
    beforeEach(async () => {
      [warnings, undo] = [[], []];
      model = await open(directory());
    });
    afterEach(async () => {
      for (const step of undo.reverse()) await step();
      await model.close();
    });

    const log = { info: () => undefined, warn: (_: object, message: string) => void warnings.push(message) };
    const follow = async (store: EventStore): Promise<Projector> => {
      const projector = new Projector(store, model, [noting], systemClock, log);
      undo.push(() => projector.stop());
      await projector.start();
      return projector;
    };
    const seen = async (store: EventStore, ...streams: string[]): Promise<void> => {
      const projector = await follow(store);
      for (const stream of streams) await projector.progress.passed(await append(store, stream));
      await projector.stop();
    };
    const noted = async (): Promise<readonly string[]> => {
      const ids: string[] = [];
      for await (const { document } of model.dump(notes)) ids.push(document.id);
      return ids;
    };
    const rebuild = (store: EventStore): Promise<number> =>
      new Projector(store, model, [noting], systemClock, log).rebuild(() => undefined);

    describe('embedded', () => {
      /** The log with `note-a` and then `note-d`, `note-e`; the read model and its bookmarks have seen `note-b`, `note-c`. */
      const restored = async (): Promise<EventStore> => {
        const folder = directory();
        const at = (place: string): string => join(folder, place);
        const before = await openEmbeddedEventStore(at('events'));
        await seen(before, 'note-a');
        await before.close();
        cpSync(at('events'), at('restored'), { recursive: true });
        const later = await openEmbeddedEventStore(at('events'));
        await seen(later, 'note-b', 'note-c');
        await model.setBookmark('a reactor', await later.head());
        await later.close();
        rmSync(at('events'), { recursive: true });
        const store = await openEmbeddedEventStore(at('restored'));
        for (const stream of ['note-d', 'note-e', 'note-f']) await append(store, stream);
        undo.unshift(() => store.close());
        return store;
      };

      it('is projected from its beginning, which is said', async () => {
        const store = await restored();
        const after = await follow(store);
        await after.progress.passed(await store.head());
        expect(await noted()).toEqual(['note-a', 'note-d', 'note-e', 'note-f']);
        expect(warnings).toEqual([expect.stringContaining('restored')]);
      });

      it('has its reactors begin anew: what they did after the backup is gone, and they have not seen what came since', async () => {
        const store = await restored();
        await rebuild(store);
        expect(await model.bookmark('a reactor')).toBe(LOG_START);
        await model.setBookmark('a reactor', 2n);
        await rebuild(store);
        expect([await model.bookmark('a reactor'), warnings]).toEqual([2n, [expect.stringContaining('restored')]]);
      });
    });

    it('is kept if an earlier version wrote it, which did not note the event', async () => {
      const store = await openEmbeddedEventStore(directory());
      undo.unshift(() => store.close());
      await seen(store, 'note-a');
      // The next batch of an earlier version.
      await model.apply([], await append(store, 'note-b'));
      const later = await follow(store);
      await later.progress.passed(await append(store, 'note-c'));
      expect([await noted(), warnings]).toEqual([['note-a', 'note-c'], []]);
    });

    describe('on EventStoreDB', () => {
      const start = async (): Promise<Readonly<{ server: TestEventStoreDb; store: EventStore }>> => {
        const server = await startEventStoreDb();
        const store = await openEventStoreDb(server.url);
        undo.unshift(
          () => server.stop(),
          () => store.close(),
        );
        return { server, store };
      };

      it('is not followed from an event that is not the one there, and can be after a rebuild', async () => {
        const [before, after] = [await start(), await start()];
        await seen(before.store, 'note-a');
        await model.setBookmark('a reactor', await before.store.head());
        // Positions are bytes: the first event after the backup has the place of the one that it had before.
        expect(await append(after.store, 'note-b')).toBe((await model.state()).position);
        const written = await append(after.store, 'note-c');
        const projector = await follow(after.store);
        await eventually(async () => warnings.length, Boolean, 'a warning');
        expect([projector.isFollowing, await noted()]).toEqual([false, ['note-a']]);
        await projector.stop();

        await rebuild(after.store);
        const rebuilt = await follow(after.store);
        await rebuilt.progress.passed(written);
        expect([rebuilt.isFollowing, await noted()]).toEqual([true, ['note-b', 'note-c']]);
        expect(await model.bookmark('a reactor')).toBe(LOG_START);
      });
    });
  });
}

onThisReadModel('embedded', openEmbeddedReadModel);

describeWithMongo('with MongoDB', (url) => {
  const database = `svc_test_${newId('req').slice(-12)}`;
  let made = 0;
  onThisReadModel('MongoDB', () => openMongoReadModel(url, { database: `${database}_${(made += 1)}` }));
  afterAll(async () => {
    const client = await MongoClient.connect(url);
    for (; made > 0; made -= 1) await client.db(`${database}_${made}`).dropDatabase();
    await client.close();
  });
});
