import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreCorrupt } from '../src/event-store/embedded/errors';
import { openEmbeddedEventStore } from '../src/event-store/embedded/open-embedded-event-store';
import { type EventStore, LOG_START, type RecordedEvent } from '../src/event-store/event-store.port';
import { aNewEvent } from './support/events';
import { figure, progress, seedOfRun, sizeFrom, timeLimit } from './support/figures';
import { seededRandom } from './support/seeded';
import { temporaryDirectories } from './support/temp-directory';

/** 1 in the full form: every byte. */
const STRIDE = sizeFrom('CHAOS_STRIDE', 97);
const FLIPS = sizeFrom('CHAOS_FLIPS', 5);
const EVENTS = 40;
const PAGE = 4096;
const AT_ONCE = 3;
const random = seededRandom(seedOfRun());

describe('the log’s file, when the disk kept only a part of it', () => {
  const newDirectory = temporaryDirectories();
  /** Before the last append, and after it. */
  let before: Buffer;
  let after: Buffer;

  beforeEach(async () => {
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
  });

  const textOf = (number: number): string => `this is event ${number} of them`;

  /** What a start makes of such a file: the events it has, or the refusal. */
  async function opened(write: (file: string) => void): Promise<readonly RecordedEvent[] | string> {
    const directory = newDirectory();
    write(join(directory, 'events.mdb'));
    let store: EventStore;
    try {
      store = await openEmbeddedEventStore(directory);
    } catch (error) {
      if (error instanceof StoreCorrupt) return error.message;
      throw error;
    }
    const events = await store.readAll(LOG_START, EVENTS * 2);
    await store.close();
    return events;
  }

  /** Tries each state of the file, and gives a line for each that was opened with other than so many events. */
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

  const every = (from: number, to: number): number[] =>
    Array.from({ length: Math.ceil((to - from) / STRIDE) }, (_, index) => from + index * STRIDE);

  /** Where the record of an event lies, in all the copies that the file holds of it. */
  const placesOf = (bytes: Buffer, number: number): number[] => {
    const places: number[] = [];
    for (let at = bytes.indexOf(textOf(number)); at !== -1; at = bytes.indexOf(textOf(number), at + 1)) places.push(at);
    return places;
  };

  it(
    `has everything, or is refused, wherever the last records are cut off (each ${STRIDE}. byte)`,
    async () => {
      const places = [EVENTS - 3, EVENTS - 2, EVENTS - 1].flatMap((number) => placesOf(after, number));
      const page = Math.floor(Math.max(...places) / PAGE) * PAGE;
      const cuts = every(page, Math.min(page + PAGE, after.length));
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
    `has all that was acknowledged when the last append was written in part (each ${STRIDE}. byte)`,
    async () => {
      const changed = Array.from({ length: after.length / PAGE }, (_, page) => page * PAGE).filter(
        (at) => !after.subarray(at, at + PAGE).equals(before.subarray(at, at + PAGE)),
      );
      // The engine writes pages of data first and the page that says they count, one of the first two, when they are safe.
      const data = changed.filter((at) => at >= 2 * PAGE);
      const [last = 0] = data.slice(-1);
      const states = every(0, PAGE).map((bytes) => ({
        what: `${bytes} bytes of the page at ${last}`,
        acceptable: [EVENTS - 1],
        write: (file: string) => {
          const torn = Buffer.concat([before, Buffer.alloc(Math.max(0, after.length - before.length))]);
          for (const at of data) after.copy(torn, at, at, at === last ? at + bytes : at + PAGE);
          writeFileSync(file, torn);
        },
      }));
      expect(data.length).toBeGreaterThan(0);
      expect(await problemsOf('torn at every byte', states)).toEqual([]);
    },
    timeLimit(60_000),
  );

  it(
    `is refused by the number of the event, wherever an old record was changed (seed ${random.seed})`,
    async () => {
      const wrong: string[] = [];
      for (let flip = 0; flip < FLIPS; flip += 1) {
        const number = random.below(EVENTS - 5);
        const offset = random.below(textOf(number).length);
        const seen = await opened((file) => {
          const bytes = Buffer.from(after);
          for (const at of placesOf(bytes, number))
            bytes[at + offset] = (bytes[at + offset] ?? 0) ^ (1 << random.below(7));
          writeFileSync(file, bytes);
        });
        const named =
          typeof seen === 'string' && seen.includes(`event ${number + 1} of the log does not match its checksum`);
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
