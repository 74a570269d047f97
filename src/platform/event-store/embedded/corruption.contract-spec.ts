import { spawnSync } from 'node:child_process';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { aNewEvent } from '../../../../test/support/events';
import { temporaryDirectories } from '../../../../test/support/temp-directory';
import { LOG_START, type EventStore } from '../event-store.port';
import { EmbeddedEventStore } from './embedded-event-store';
import { StoreCorrupt } from './errors';
import { EventLog } from './event-log';
import { openTables } from './log-tables';
import {
  openEmbeddedEventStore,
  openEmbeddedEventStoreReadOnly,
  verifyEmbeddedEventStore,
} from './open-embedded-event-store';

const EVENTS = 60;

describe('a damaged log', () => {
  const newDirectory = temporaryDirectories();
  let whole: Buffer;
  let directory: string;
  let file: string;
  const opened: EventStore[] = [];
  afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())));

  beforeAll(async () => {
    const origin = newDirectory();
    const store = await openEmbeddedEventStore(origin);
    for (let index = 0; index < EVENTS; index += 1) {
      const data = { text: `this is event number ${index + 1};`.repeat(20) };
      await store.append(`thing-${index % 3}`, Math.floor(index / 3), [aNewEvent('Noted', data)]);
    }
    await store.close();
    whole = readFileSync(join(origin, 'events.mdb'));
  });

  beforeEach(() => {
    directory = newDirectory();
    file = join(directory, 'events.mdb');
    writeFileSync(file, whole);
  });

  const openIt = async (): Promise<EventStore> => {
    const store = await openEmbeddedEventStore(directory);
    opened.push(store);
    return store;
  };

  const opening = async (): Promise<void> => void (await openIt());
  const verifying = (): Promise<void> => verifyEmbeddedEventStore(directory);
  const refusal = async (of: () => Promise<void> = opening): Promise<string> => {
    const error: unknown = await of().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(StoreCorrupt);
    const { message } = error as StoreCorrupt;
    expect(message).toMatch(/^[^\n]*events\.mdb: [^\n]+; restore a backup$/);
    expect(message.startsWith(file)).toBe(true);
    return message;
  };

  /** Written through lmdb itself, so that only our own checks can notice. */
  const meddle = async (change: (tables: ReturnType<typeof openTables>) => void): Promise<void> => {
    const tables = openTables(file, 'write');
    tables.root.transactionSync(() => change(tables));
    await tables.root.close();
  };

  const flip = (number: number): void => {
    const bytes = Buffer.from(whole);
    const text = `this is event number ${number};`;
    // Old copies of a page may remain in the file; one of the matches is the copy in use.
    for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) bytes[at] = 'T'.charCodeAt(0);
    writeFileSync(file, bytes);
  };

  it('is refused at a start with the number of the event in which a byte was flipped, near the end', async () => {
    flip(EVENTS - 4);
    expect(await refusal()).toContain(`event ${EVENTS - 4} of the log does not match its checksum`);
    await expect(openEmbeddedEventStoreReadOnly(directory)).rejects.toBeInstanceOf(StoreCorrupt);
  });

  it('is refused with that number by verify, and by everybody who reads the event, further back', async () => {
    flip(17);
    const checksum = 'event 17 of the log does not match its checksum';
    expect(await refusal(verifying)).toContain(checksum);
    const store = await openIt();
    await expect(store.readAll(10n, 10)).rejects.toThrow(checksum);
    await expect(store.readStream('thing-1')).rejects.toThrow(checksum);
    await expect(store.readStream('thing-2')).resolves.toHaveLength(EVENTS / 3);
    const reading = await openEmbeddedEventStoreReadOnly(directory);
    opened.push(reading);
    await expect(reading.readAll(LOG_START, EVENTS)).rejects.toThrow(checksum);
  });

  it('is whole for verify if nothing happened to it, also beside the process that writes it', async () => {
    await verifying();
    const store = await openIt();
    await store.append('thing-1', EVENTS / 3, [aNewEvent()]);
    await verifying();
  });

  it('is noticed when the event is read, if the damage occurred after opening', async () => {
    const tables = openTables(file, 'write');
    const store = new EmbeddedEventStore(new EventLog(file, tables), () => undefined);
    opened.push(store);
    const flipped = Buffer.from(tables.log.get(1) ?? []);
    flipped[20] = 0;
    await tables.log.put(1, flipped);
    await tables.streams.put(['thing-1', 1], 3);

    const checksum = 'event 1 of the log does not match its checksum';
    await expect(store.readAll(LOG_START, 5)).rejects.toThrow(checksum);
    await expect(store.readStream('thing-0')).rejects.toThrow(checksum);
    await expect(store.append('thing-0', 0, [aNewEvent()])).rejects.toThrow(checksum);
    await expect(store.readStream('thing-1')).rejects.toThrow('event 3 of the log is not event 1 of stream thing-1');
    await expect(store.readStream('thing-2')).resolves.toHaveLength(EVENTS / 3);
  });

  it('is refused when an event is missing', async () => {
    await meddle(({ log }) => void log.remove(30));
    expect(await refusal(verifying)).toContain('the index has a wrong place for event 20 of stream "thing-2"');
    expect(await refusal()).toContain('its last event is number 60, and it has 59');
  });

  it('is refused when an event is missing from log and index', async () => {
    await meddle(({ log, streams }) => {
      void log.remove(30);
      void streams.remove(['thing-2', 10]);
    });
    expect(await refusal(verifying)).toContain('the index lacks event 10 of stream "thing-2"');
    expect(await refusal()).toContain('its last event is number 60, and it has 59');
  });

  it('is refused when the last event of a stream is not in the index', async () => {
    await meddle(({ streams }) => void streams.remove(['thing-2', 20]));
    expect(await refusal(verifying)).toContain('event 60 of the log is not the one that the index has there');
    expect(await refusal()).toContain('event 60 of the log is not the one that the index has there');
  });

  it.each([
    ['different streams', 4, 5],
    ['one stream', 4, 7],
  ])('is refused when two events of %s have changed places', async (_, one, other) => {
    await meddle(({ log }) => {
      const [first, second] = [log.get(one), log.get(other)];
      if (first) void log.put(other, first);
      if (second) void log.put(one, second);
    });
    expect(await refusal(verifying)).toContain(`event ${one} of the log is not the one that the index has there`);
    const store = await openIt();
    await expect(store.readStream('thing-0')).rejects.toThrow('of the log is not event');
  });

  it('is refused when the file was truncated, unless it is still complete', async () => {
    const size = whole.length;
    const cuts = [1, 4096, 8191, 8192, size / 4, size / 2, size - 8192, size - 4096, size - 1];
    const refused: number[] = [];
    for (const cut of cuts.map(Math.floor)) {
      writeFileSync(file, whole);
      truncateSync(file, cut);
      const store = await openEmbeddedEventStore(directory).catch((error: unknown) => error);
      if (store instanceof StoreCorrupt) {
        refused.push(cut);
        continue;
      }
      opened.push(store as EventStore);
      await expect((store as EventStore).readAll(LOG_START, EVENTS * 2)).resolves.toHaveLength(EVENTS);
      await (store as EventStore).close();
    }
    expect(refused).toEqual(expect.arrayContaining([1, 4096, 8192, Math.floor(size / 4), Math.floor(size / 2)]));
  });

  it.each([
    ['nothing', () => Buffer.alloc(0), 'it is empty'],
    ['text', () => Buffer.from('not a log at all\n'.repeat(5000)), 'its header is not one of this store'],
    ['zeroes', () => Buffer.alloc(64 * 1024), 'its header is not one of this store'],
  ])('is refused when the file holds %s', async (_, content, problem) => {
    writeFileSync(file, content());
    expect(await refusal()).toContain(problem);
  });

  it('is refused when the file holds pages of garbage, at the latest by the process after one that they ended', async () => {
    writeFileSync(file, Buffer.concat([whole.subarray(0, 8192), Buffer.alloc(whole.length - 8192, 0xa7)]));
    const script = `require(${JSON.stringify(join(__dirname, 'open-embedded-event-store.ts'))})
      .openEmbeddedEventStore(process.argv[1]).then(() => console.log('opened'), (error) => console.log(error.message))
      .then(() => process.exit());`;
    const program = ['-r', join(__dirname, '../../../../test/support/register-swc.js'), '-e', script, directory];
    const start = () => spawnSync(process.execPath, program, { encoding: 'utf8' }).stdout.trim();
    const starts = [start(), start()];
    const refused = /^[^\n]*events\.mdb: it cannot be read \([^\n]+\); restore a backup$/;
    expect(starts.at(-1)).toMatch(refused);
    // The engine reports such pages, or dies of them, as it happens.
    if (starts[0] !== '') expect(starts[0]).toMatch(refused);
  });

  it('is read from end to end by a child process if the last process ended while it opened it', async () => {
    flip(17);
    await (await openIt()).close();
    expect(readFileSync(join(directory, 'note'), 'utf8')).toMatch(/^open /);
    writeFileSync(join(directory, 'note'), 'opening');
    const checksum = 'event 17 of the log does not match its checksum';
    expect(await refusal()).toContain(checksum);
    await expect(openEmbeddedEventStoreReadOnly(directory)).rejects.toThrow(checksum);
    writeFileSync(file, whole);
    await expect((await openIt()).readAll(LOG_START, 100)).resolves.toHaveLength(EVENTS);
  });

  it('is refused when the file is the engine’s but holds no log', async () => {
    const other = join(newDirectory(), 'other.mdb');
    await open(other, { noSubdir: true, overlappingSync: false }).close();
    writeFileSync(file, readFileSync(other));
    expect(await refusal()).toContain('it holds no event log');
  });

  it('does not hold the directory after refusing', async () => {
    writeFileSync(file, 'garbage');
    expect(await refusal()).toContain('restore a backup');
    writeFileSync(file, whole);
    await expect((await openIt()).readAll(LOG_START, 100)).resolves.toHaveLength(EVENTS);
  });
});
