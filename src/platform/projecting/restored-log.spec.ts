import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collection, type Document, type Projection } from '../read-model/projection';
import { startEventStoreDb } from '../../../test/support/eventstoredb/server';
import { aNewEvent } from '../../../test/support/events';
import { eventually } from '../../../test/support/eventually';
import { openEmbeddedEventStore } from '../event-store/embedded/open-embedded-event-store';
import { type EventStore, LOG_START } from '../event-store/event-store.port';
import { openEventStoreDb } from '../event-store/eventstoredb/eventstoredb-store';
import { systemClock } from '../../kernel/clock';
import { openEmbeddedReadModel } from '../read-model/embedded/open';
import { Projector } from './projector';
import { type ReadModelStore } from '../read-model/read-model.port';

type Note = Readonly<{ id: string; by: number }>;
const notes = collection<Note>('notes');
const noting = (version: number): Projection => ({
  name: 'noting',
  version,
  collections: [notes],
  // One that looks at what is there, as most do: what the event alone makes is not loaded.
  project: ({ stream: id }) => [{ collection: notes, id, next: () => ({ document: { id, by: version } as Document }) }],
});

const quiet = { info: () => undefined, warn: () => undefined };

describe('a log that was restored from a backup', () => {
  let folder: string;
  let events: EventStore;
  let model: ReadModelStore;
  let running: Projector[];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-projectors-'));
    events = await openEmbeddedEventStore(join(folder, 'events'));
    model = await openEmbeddedReadModel(join(folder, 'model'));
    running = [];
  });
  afterEach(async () => {
    await Promise.all(running.map((projector) => projector.stop()));
    await model.close();
    await events.close();
    rmSync(folder, { recursive: true });
  });

  const start = async (): Promise<Projector> => {
    const projector = new Projector(events, model, [noting(1)], systemClock, quiet);
    running.push(projector);
    await projector.start();
    return projector;
  };
  const append = async (stream: string): Promise<bigint> => {
    const result = await events.append(stream, 0, [aNewEvent()]);
    if (result.kind === 'conflict') throw new Error('conflict');
    return result.position;
  };
  const noted = async (stream: string): Promise<number | undefined> => (await model.get(notes, stream))?.by;

  it('has every event projected that is written to it afterwards', async () => {
    const before = await start();
    await before.progress.passed(await append('note-a'));
    await events.close();
    cpSync(join(folder, 'events'), join(folder, 'backup'), { recursive: true });
    await before.stop();
    events = await openEmbeddedEventStore(join(folder, 'events'));
    running = [];
    const later = await start();
    for (const stream of ['note-b', 'note-c']) await later.progress.passed(await append(stream));
    await later.stop();
    await events.close();
    // The backup is restored; the read model stays as it was.
    rmSync(join(folder, 'events'), { recursive: true });
    cpSync(join(folder, 'backup'), join(folder, 'events'), { recursive: true });
    events = await openEmbeddedEventStore(join(folder, 'events'));
    running = [];
    const after = await start();
    await after.progress.passed(await append('note-d'));
    expect([await noted('note-a'), await noted('note-d')]).toEqual([1, 1]);
  });

  it('is fully readable after the rebuild that operators are told to do', async () => {
    const before = await start();
    await before.progress.passed(await append('note-a'));
    await before.stop();
    await events.close();
    cpSync(join(folder, 'events'), join(folder, 'backup'), { recursive: true });
    events = await openEmbeddedEventStore(join(folder, 'events'));
    for (const stream of ['note-b', 'note-c']) await append(stream);
    // An upgrade with changed projections, or a rebuild, some time after the backup.
    await new Projector(events, model, [noting(1)], systemClock, quiet).rebuild(() => undefined);
    await model.setBookmark('a reactor', 3n);
    await events.close();
    rmSync(join(folder, 'events'), { recursive: true });
    cpSync(join(folder, 'backup'), join(folder, 'events'), { recursive: true });
    events = await openEmbeddedEventStore(join(folder, 'events'));
    // As operators are told to do after every restore.
    await new Projector(events, model, [noting(1)], systemClock, quiet).rebuild(() => undefined);
    running = [];
    const after = await start();
    expect(await noted('note-a')).toBe(1);
    // Not merely at the end: what it did after the backup, about events before it, is gone.
    expect([after.rebuilding(), await model.bookmark('a reactor')]).toEqual([undefined, LOG_START]);
  });

  it('on EventStoreDB is not followed, nor is anything written to it taken for shown, before that rebuild', async () => {
    const position = async (store: EventStore, stream: string): Promise<bigint> => {
      const result = await store.append(stream, 0, [aNewEvent()]);
      if (result.kind === 'conflict') throw new Error('conflict');
      return result.position;
    };
    const [before, restored] = [await startEventStoreDb(), await startEventStoreDb()];
    const stores = [await openEventStoreDb(before.url), await openEventStoreDb(restored.url)] as const;
    const warnings: string[] = [];
    const log = { info: () => undefined, warn: (_: object, message: string) => void warnings.push(message) };
    const following = async (store: EventStore): Promise<Projector> => {
      const projector = new Projector(store, model, [noting(1)], systemClock, log);
      running.push(projector);
      await projector.start();
      return projector;
    };
    const first = await following(stores[0]);
    for (const stream of ['note-a', 'note-b', 'note-c']) await first.progress.passed(await position(stores[0], stream));
    expect(first.isFollowing).toBe(true);
    await first.stop();

    // A log that ends before what the read model has seen.
    const written = await position(stores[1], 'note-d');
    const after = await following(stores[1]);
    const seen = [after.isFollowing];
    await eventually(async () => warnings.length, Boolean, 'a warning');
    const shown = after.progress.passed(written).then(
      () => 'shown',
      () => 'refused',
    );
    seen.push(after.isFollowing);
    expect([seen, await noted('note-d'), await shown]).toEqual([[false, false], undefined, 'refused']);
    await after.stop();
    for (const store of stores) await store.close();
    for (const server of [before, restored]) await server.stop();
  });
});
