import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { aNewEvent, newEvents } from '../../../../test/support/events';
import { follow } from '../../../../test/support/follow';
import { temporaryDirectories } from '../../../../test/support/temp-directory';
import { startWriting } from '../../../../test/support/writing-process';
import { type EventStore, LOG_START } from '../event-store.port';
import { StoreInUse } from '../../directory-lock';
import { openEmbeddedEventStore, openEmbeddedEventStoreReadOnly } from './open-embedded-event-store';

describe('opening the embedded event store', () => {
  const newDirectory = temporaryDirectories();
  const opened: EventStore[] = [];
  afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())));
  const openIt = async (directory: string): Promise<EventStore> => {
    const store = await openEmbeddedEventStore(directory);
    opened.push(store);
    return store;
  };

  it('creates the directory and an empty log in it', async () => {
    const directory = join(newDirectory(), 'not', 'there yet');
    const store = await openIt(directory);
    await expect(store.readAll(LOG_START, 10)).resolves.toEqual([]);
    await expect(store.head()).resolves.toBe(LOG_START);
    await store.close();
    expect(readdirSync(directory).sort()).toEqual(['events.mdb', 'events.mdb-lock', 'note']);
  });

  it('accepts a relative path', async () => {
    const directory = newDirectory();
    await (await openIt(relative(process.cwd(), directory))).append('thing-1', 0, newEvents(2));
    expect(existsSync(join(directory, 'events.mdb'))).toBe(true);
  });

  it('finds everything again after it was closed', async () => {
    const directory = newDirectory();
    const events = newEvents(300, (index) => ({ index, text: 'ü'.repeat(index) }));
    const first = await openIt(directory);
    await first.append('thing-1', 0, events.slice(0, 299));
    const answer = await first.append('thing-2', 0, events.slice(299));
    const all = await first.readAll(LOG_START, 1000);
    await first.close();

    const second = await openIt(directory);
    await expect(second.readAll(LOG_START, 1000)).resolves.toEqual(all);
    expect(all.map((event) => event.position)).toEqual(Array.from({ length: 300 }, (_, index) => BigInt(index + 1)));
    await expect(second.append('thing-2', 0, events.slice(299))).resolves.toEqual(answer);
    await expect(second.append('thing-2', 1, [aNewEvent()])).resolves.toMatchObject({ version: 2, position: 301n });
  });

  it('starts over if a crash interrupted the creation of the log', async () => {
    const directory = newDirectory();
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'creating.mdb'), 'half a fi');
    const store = await openIt(directory);
    await store.append('thing-1', 0, newEvents(1));
    expect(readdirSync(directory)).not.toContain('creating.mdb');
  });

  it('is refused to a second opener, and allowed after close', async () => {
    const directory = newDirectory();
    const first = await openIt(directory);
    await expect(openEmbeddedEventStore(directory)).rejects.toBeInstanceOf(StoreInUse);
    await first.append('thing-1', 0, newEvents(1));
    await first.close();
    await expect((await openIt(directory)).readStream('thing-1')).resolves.toHaveLength(1);
  });

  it('is refused while another process has it open, and allowed once that process was killed', async () => {
    const directory = newDirectory();
    const writing = startWriting(directory);
    await writing.until(() => writing.reports.length > 20);
    await expect(openEmbeddedEventStore(directory)).rejects.toThrow('in use by another process;');
    await writing.kill();
    await expect((await openIt(directory)).readAll(LOG_START, 10)).resolves.toHaveLength(10);
  });

  it('refuses an invalid append before anything is written', async () => {
    const store = await openIt(newDirectory());
    await expect(store.append('thing-1', 0, [])).rejects.toThrow('at least one event');
    await expect(store.append('', 0, newEvents(1))).rejects.toThrow('not a stream name');
    await expect(store.append('ü'.repeat(501), 0, newEvents(1))).rejects.toThrow('not a stream name');
    const unwritable = { ...aNewEvent(), data: { amount: 1n } };
    await expect(store.append('thing-1', 0, [aNewEvent(), unwritable])).rejects.toThrow(TypeError);
    await expect(store.head()).resolves.toBe(LOG_START);
  });
});

describe('reading beside the process that writes', () => {
  const newDirectory = temporaryDirectories();

  it('follows what it writes, and may not append', async () => {
    const directory = newDirectory();
    const writing = startWriting(directory);
    await writing.until(() => writing.reports.length > 20);

    const store = await openEmbeddedEventStoreReadOnly(directory);
    await expect(store.append('thing-1', 0, newEvents(1))).rejects.toThrow('for reading only');
    const before = Number(await store.head());
    const follower = follow(store, LOG_START);
    // The writer never pauses, so who follows it need not ever be at the end; but it comes past where the end was.
    await follower.until(() => follower.seen.length > before + 5000);
    await follower.stop();
    await writing.kill();

    const positions = follower.seen.map((event) => event.position);
    expect(positions).toEqual(positions.map((_, index) => BigInt(index + 1)));
    await store.close();
    await expect(openEmbeddedEventStore(directory).then((again) => again.close())).resolves.toBeUndefined();
  });

  it('needs an existing log', async () => {
    await expect(openEmbeddedEventStoreReadOnly(newDirectory())).rejects.toThrow('events.mdb: there is no event store');
  });
});
