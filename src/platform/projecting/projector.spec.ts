import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import canonicalize from 'canonicalize';
import { collection, create, type Document, type Projection } from '../read-model/projection';
import { eventually } from '../../../test/support/eventually';
import { aNewEvent } from '../../../test/support/events';
import { openEmbeddedEventStore } from '../event-store/embedded/open-embedded-event-store';
import { type EventStore, type RecordedEvent } from '../event-store/event-store.port';
import { systemClock } from '../../kernel/clock';
import { openEmbeddedReadModel } from '../read-model/embedded/open';
import { planWrites } from '../read-model/plan-writes';
import { Projector } from './projector';
import { type ReadModelStore } from '../read-model/read-model.port';

type Tally = Readonly<{ id: string; count: number }>;
type Entry = Readonly<{ id: string; stream: string; number: number }>;
const tallies = collection<Tally>('tallies');
const entries = collection<Entry>('entries', { byStream: { equals: ['stream'], sort: 'number' } });

/** Numbers the events of each stream: one document that counts, and one more for every event. */
const numbering: Projection = {
  name: 'numbering',
  version: 1,
  collections: [tallies, entries],
  project: ({ stream }) => [
    {
      collection: tallies,
      id: stream,
      next: (before) => {
        const number = ((before as Tally | undefined)?.count ?? 0) + 1;
        const document: Tally = { id: stream, count: number };
        const entry: Entry = { id: `${stream}:${number}`, stream, number };
        return { document, also: [{ collection: entries, document: entry }] };
      },
    },
  ],
};

const quiet = { info: () => undefined, warn: () => undefined };

describe('the projector', () => {
  let folder: string;
  let events: EventStore;
  let model: ReadModelStore;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-projector-'));
    events = await openEmbeddedEventStore(join(folder, 'events'));
    model = await openEmbeddedReadModel(join(folder, 'model'));
  });
  afterEach(async () => {
    await model.close();
    await events.close();
    rmSync(folder, { recursive: true });
  });

  const projector = (projections = [numbering]) => new Projector(events, model, projections, systemClock, quiet);

  /** The log, but for what is given. */
  const logWith = (changes: Partial<EventStore>): EventStore =>
    new Proxy(events, {
      get: (store, name) => {
        if (Object.hasOwn(changes, name)) return Reflect.get(changes, name) as unknown;
        const value: unknown = Reflect.get(store, name);
        return typeof value === 'function' ? (value.bind(store) as unknown) : value;
      },
    });

  const append = async (stream: string, count: number): Promise<bigint> => {
    const { length } = await events.readStream(stream);
    const result = await events.append(
      stream,
      length,
      Array.from({ length: count }, () => aNewEvent()),
    );
    if (result.kind === 'conflict') throw new Error('conflict');
    return result.position;
  };

  const dump = async (): Promise<string> => {
    const lines: string[] = [];
    for (const part of [tallies, entries]) {
      for await (const { document, position } of model.dump(part)) lines.push(`${position} ${canonicalize(document)}`);
    }
    return lines.join('\n');
  };

  it('applies old and new events, and notifies listeners afterwards', async () => {
    const before = await append('tally-a', 3);
    const running = projector();
    await running.start();
    await running.progress.passed(before);
    expect(await model.get(tallies, 'tally-a')).toEqual({ id: 'tally-a', count: 3 });
    await running.progress.passed(await append('tally-a', 2));
    expect(await model.get(tallies, 'tally-a')).toEqual({ id: 'tally-a', count: 5 });
    expect(running.lagSeconds()).toBe(0);
    await running.stop();
  });

  it('warns while the log refuses the subscription, counts that as lag, and continues when it no longer does', async () => {
    const position = await append('tally-a', 3);
    const warnings: string[] = [];
    let grant = (): void => undefined;
    const granted = new Promise<void>((resolve) => (grant = resolve));
    async function* subscribe(...[from, options]: Parameters<EventStore['subscribe']>): AsyncGenerator<RecordedEvent> {
      options.onRefused?.(new Error('no such position'));
      await granted;
      yield* events.subscribe(from, options);
    }
    const refusing = logWith({ subscribe });
    const log = { info: () => undefined, warn: (_: object, message: string) => void warnings.push(message) };
    const running = new Projector(refusing, model, [numbering], systemClock, log);
    await running.start();
    await eventually(
      async () => running.lagSeconds(),
      (lag) => lag > 0 && warnings.length > 0,
      'a lag',
    );
    expect(warnings).toEqual(['the log refuses to be followed from here; was it restored?']);
    expect(running.isFollowing).toBe(false);
    grant();
    await running.progress.passed(position);
    expect(running.lagSeconds()).toBe(0);
    expect(running.isFollowing).toBe(true);
    await running.stop();
  });

  describe('on a log elsewhere, which may have been restored', () => {
    const built = async (): Promise<bigint> => {
      const before = projector();
      await before.start();
      const position = await append('tally-a', 3);
      await before.progress.passed(position);
      await before.stop();
      return position;
    };
    async function* silent({ signal }: Parameters<EventStore['subscribe']>[1]): AsyncGenerator<RecordedEvent> {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    }

    it('trusts it once an event of others arrives: there may be millions before the end', async () => {
      const position = await built();
      async function* subscribe(...[from, options]: Parameters<EventStore['subscribe']>) {
        options.onPassed?.(from + 1n);
        yield* silent(options);
      }
      const running = new Projector(logWith({ isRemote: true, subscribe }), model, [numbering], systemClock, quiet);
      await running.start();
      await running.progress.passed(position);
      expect(running.isFollowing).toBe(true);
      await running.stop();
    });

    it('shows nothing as written to who waited while the read store was away', async () => {
      const position = await built();
      const subscribe: EventStore['subscribe'] = (_, options) => silent(options);
      const running = new Projector(logWith({ isRemote: true, subscribe }), model, [numbering], systemClock, quiet);
      let isShown = false;
      const shown = running.progress.passed(position).then(
        () => (isShown = true),
        () => undefined,
      );
      await running.start();
      await new Promise(setImmediate);
      expect(isShown).toBe(false);
      running.progress.trust();
      await shown;
      expect(isShown).toBe(true);
      await running.stop();
    });
  });

  it('continues from its checkpoint', async () => {
    const first = projector();
    await first.start();
    await first.progress.passed(await append('tally-a', 3));
    await first.stop();
    const position = await append('tally-a', 1);
    const second = projector();
    await second.start();
    await second.progress.passed(position);
    expect(await model.get(tallies, 'tally-a')).toEqual({ id: 'tally-a', count: 4 });
    await second.stop();
  });

  it('repairs itself after a crash anywhere between two writes', async () => {
    for (let index = 0; index < 5; index += 1) await append(`tally-${index % 2}`, 3);
    const all = (await events.readAll(0n, 100)) as RecordedEvent[];
    const writes = await planWrites([numbering], all, (refs) => model.load(refs));
    await projector().rebuild(() => undefined);
    const whole = await dump();
    for (let crash = 0; crash <= writes.length; crash += 1) {
      await model.reset('half');
      // What a crash leaves behind: some documents, no checkpoint.
      await model.apply(writes.slice(0, crash), 0n);
      const again = await planWrites([numbering], all, (refs) => model.load(refs));
      await model.apply(again, all.at(-1)?.position ?? 0n);
      expect(await dump()).toBe(whole);
    }
  });

  it('rebuilds byte for byte what it built live', async () => {
    const running = projector();
    await running.start();
    let last = 0n;
    for (let index = 0; index < 60; index += 1) last = await append(`tally-${index % 7}`, 1 + (index % 3));
    await running.progress.passed(last);
    await running.stop();
    const live = await dump();
    const applied = await projector().rebuild(() => undefined);
    expect(applied).toBe((await events.readAll(0n, 1000)).length);
    expect(await dump()).toBe(live);
  });

  it('rebuilds what other projections built', async () => {
    const first = projector();
    await first.start();
    await first.progress.passed(await append('tally-a', 2));
    await first.stop();
    const doubled: Projection = {
      ...numbering,
      version: 2,
      project: ({ stream }) => [create(tallies as never, { id: stream, count: -1 } as Document)],
    };
    const second = projector([doubled]);
    await second.start();
    await second.progress.passed(await append('tally-b', 1));
    expect(await model.get(tallies, 'tally-a')).toEqual({ id: 'tally-a', count: -1 });
    expect(await model.get(entries, 'tally-a:1')).toBeUndefined();
    await second.stop();
  });

  it('drops what others built before it prepares anything, because indexing it would be useless', async () => {
    const calls: string[] = [];
    for (const step of ['reset', 'prepare'] as const) {
      const really = model[step].bind(model) as (...args: unknown[]) => Promise<void>;
      jest.spyOn(model, step).mockImplementation((...args: unknown[]) => (calls.push(step), really(...args)));
    }
    const started = projector();
    await started.start();
    await started.stop();
    await projector().rebuild(() => undefined);
    expect(calls).toEqual(['reset', 'prepare', 'reset', 'prepare']);
  });
});
