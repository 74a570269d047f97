import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreCorrupt } from '../src/platform/event-store/embedded/errors';
import {
  openEmbeddedEventStore,
  verifyEmbeddedEventStore,
} from '../src/platform/event-store/embedded/open-embedded-event-store';
import { encodeRecord } from '../src/platform/event-store/embedded/record';
import { type EventStore, LOG_START, type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { aNewEvent } from './support/events';
import { figure, progress, seedOfRun, sizeFrom, timeLimit } from './support/figures';
import { seededRandom } from './support/seeded';
import { temporaryDirectories } from './support/temp-directory';

/** 1 in a full-size run: every byte. */
const STRIDE = sizeFrom('CHAOS_STRIDE', 197);
const FLIPS = sizeFrom('CHAOS_FLIPS', 3);
const EVENTS = 40;
const PAGE = 4096;
const AT_ONCE = 3;
const random = seededRandom(seedOfRun());

describe('a log file of which the disk kept only a part', () => {
  const newDirectory = temporaryDirectories();
  const directories: string[] = [];
  /** The file before the last append; `after` is the file after it. */
  let before: Buffer;
  let after: Buffer;
  /** The bytes of the last three events. */
  let lastRecords: readonly Buffer[];

  beforeAll(async () => {
    const directory = newDirectory();
    const file = join(directory, 'events.mdb');
    const append = async (numbers: readonly number[]): Promise<void> => {
      const store = await openEmbeddedEventStore(directory);
      for (const number of numbers) {
        await store.append(`thing-${number % 3}`, Math.floor(number / 3), [
          aNewEvent('Noted', { text: textOf(number) }),
        ]);
      }
      await store.close();
    };
    await append(Array.from({ length: EVENTS - 1 }, (_, index) => index));
    before = readFileSync(file);
    await append([EVENTS - 1]);
    after = readFileSync(file);
    const store = await openEmbeddedEventStore(directory);
    lastRecords = (await store.readAll(BigInt(EVENTS - 3), 3)).map((event) =>
      encodeRecord(event.stream, event.version, event),
    );
    await store.close();
  });

  const textOf = (number: number): string => `this is event ${number} of them`;

  /** What a start and whoever reads the log make of such a file: its events, or the refusal. */
  async function opened(write: (file: string) => void): Promise<readonly RecordedEvent[] | string> {
    const directory = newDirectory();
    directories.push(directory);
    write(join(directory, 'events.mdb'));
    let store: EventStore | undefined;
    try {
      store = await openEmbeddedEventStore(directory);
      return await store.readAll(LOG_START, EVENTS * 2);
    } catch (error) {
      if (error instanceof StoreCorrupt) return error.message;
      throw error;
    } finally {
      await store?.close();
    }
  }

  /** Tries each state of the file, and returns a line for each that opened with another number of events. */
  async function problemsOf(
    promise: string,
    states: readonly Readonly<{ what: string; write: (file: string) => void; acceptable: readonly number[] }>[],
  ): Promise<readonly string[]> {
    const problems: string[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let state = states[next++]; state !== undefined; state = states[next++]) {
        const seen = await opened(state.write);
        const wrong = typeof seen !== 'string' && !state.acceptable.includes(seen.length);
        if (wrong) problems.push(`${state.what}: ${seen.length} events`);
        if (typeof seen === 'string' && !/^[^\n]*events\.mdb: [^\n]+; restore a backup$/.test(seen))
          problems.push(seen);
        progress(next, states.length);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    figure({ promise, tried: states.length, lost: problems.length, doubled: 0, seed: random.seed });
    return problems;
  }

  /** Every place in the file that holds these bytes: the engine leaves old pages behind. */
  const placesOf = (bytes: Buffer, part: Buffer | string): number[] => {
    const places: number[] = [];
    for (let at = bytes.indexOf(part); at !== -1; at = bytes.indexOf(part, at + 1)) places.push(at);
    return places;
  };
  const everyByteOf = (from: number, length: number): number[] =>
    Array.from({ length: Math.ceil(length / STRIDE) }, (_, index) => from + index * STRIDE);

  it(
    `has everything, or is refused, wherever a copy of the last records is cut (every ${STRIDE}th byte)`,
    async () => {
      const cuts = lastRecords.flatMap((record) =>
        placesOf(after, record).flatMap((at) => everyByteOf(at, record.length)),
      );
      const states = cuts.map((cut) => ({
        what: `cut at ${cut}`,
        acceptable: [EVENTS],
        write: (file: string) => {
          writeFileSync(file, after);
          truncateSync(file, cut);
        },
      }));
      expect(await problemsOf('cut at every byte', states)).toEqual([]);
    },
    timeLimit(60_000),
  );

  it(
    `has everything that was acknowledged if the last append was written in part (every ${STRIDE}th byte)`,
    async () => {
      const pages = Array.from({ length: after.length / PAGE }, (_, page) => page * PAGE);
      // The engine writes data pages first, then one of the two meta pages once they are safe.
      const data = pages.filter(
        (at) => at >= 2 * PAGE && !after.subarray(at, at + PAGE).equals(before.subarray(at, at + PAGE)),
      );
      const record = lastRecords.at(-1) as Buffer;
      const [place, ...more] = placesOf(after, record);
      expect([place !== undefined, more, data.length > 1]).toEqual([true, [], true]);
      const states = everyByteOf(place as number, record.length).map((end) => ({
        what: `written up to ${end}`,
        acceptable: [EVENTS - 1],
        write: (file: string) => {
          const torn = Buffer.concat([before, Buffer.alloc(Math.max(0, after.length - before.length))]);
          for (const at of data) after.copy(torn, at, at, Math.max(at, Math.min(at + PAGE, end)));
          writeFileSync(file, torn);
        },
      }));
      expect(await problemsOf('torn at every byte', states)).toEqual([]);
    },
    timeLimit(60_000),
  );

  it(
    `is refused with the number of the event, wherever an old record was changed (seed ${random.seed})`,
    async () => {
      const wrong: string[] = [];
      for (let flip = 0; flip < FLIPS; flip += 1) {
        const number = random.below(EVENTS - 5);
        const offset = random.below(textOf(number).length);
        const seen = await opened((file) => {
          const bytes = Buffer.from(after);
          for (const at of placesOf(bytes, textOf(number)))
            bytes[at + offset] = (bytes[at + offset] ?? 0) ^ (1 << random.below(7));
          writeFileSync(file, bytes);
        });
        const checksum = `event ${number + 1} of the log does not match its checksum`;
        const found = await verifyEmbeddedEventStore(directories.at(-1) ?? '').catch((error: Error) => error.message);
        const named = typeof seen === 'string' && seen.includes(checksum) && found?.includes(checksum) === true;
        if (!named) wrong.push(`event ${number + 1}, byte ${offset}: ${typeof seen === 'string' ? seen : 'opened'}`);
        progress(flip + 1, FLIPS);
      }
      const promise = 'a flipped byte is refused by name';
      figure({ promise, tried: FLIPS, lost: wrong.length, doubled: 0, seed: random.seed });
      expect(wrong).toEqual([]);
    },
    timeLimit(60_000),
  );
});
