import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collection, type Document, type Projection } from '../read-model/projection';
import { aNewEvent } from '../../../test/support/events';
import { eventually } from '../../../test/support/eventually';
import { openEmbeddedEventStore } from '../event-store/embedded/open-embedded-event-store';
import { type EventStore, StoreUnavailable } from '../event-store/event-store.port';
import { systemClock } from '../../kernel/clock';
import { pause } from '../../kernel/pause';
import { openEmbeddedReadModel } from '../read-model/embedded/embedded-read-model';
import { Projector } from './projector';
import { resetForRebuild } from './rebuilt';
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

/** Two projectors in one process stand for two instances on one read store: they share nothing else. */
describe('projectors on one read model', () => {
  let folder: string;
  let events: EventStore;
  let model: ReadModelStore;
  let leader: number | undefined;
  let running: Projector[];
  let appliedBy: number[];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-projectors-'));
    events = await openEmbeddedEventStore(join(folder, 'events'));
    model = await openEmbeddedReadModel(join(folder, 'model'));
    leader = 0;
    running = [];
    appliedBy = [];
  });
  afterEach(async () => {
    await Promise.all(running.map((projector) => projector.stop()));
    await model.close();
    await events.close();
    rmSync(folder, { recursive: true });
  });

  /** The store as one instance has it. */
  const storeOf = (who: number, changes: Partial<ReadModelStore> = {}): ReadModelStore =>
    new Proxy(model, {
      get: (target, name) => {
        if (name === 'apply') appliedBy.push(who);
        const value: unknown = Reflect.get({ ...changes }, name) ?? Reflect.get(target, name);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  const start = async (version = 1, changes: Partial<ReadModelStore> = {}): Promise<Projector> => {
    const who = running.length;
    const leads = (): boolean => leader === who;
    const store = storeOf(who, changes);
    const projector = new Projector(events, store, [noting(version)], systemClock, quiet, leads);
    running.push(projector);
    await projector.start();
    return projector;
  };
  const append = async (stream: string): Promise<bigint> => {
    const result = await events.append(stream, 0, [aNewEvent()]);
    if (result.kind === 'conflict') throw new Error('conflict');
    return result.position;
  };
  /** Whether a read would wait, and not say that something does not exist. */
  const waitsForRebuild = (projector: Projector): boolean => {
    const rebuilt = projector.rebuilding();
    // Nobody may complete it.
    rebuilt?.catch(() => undefined);
    return rebuilt !== undefined;
  };
  const noted = async (stream: string): Promise<number | undefined> => (await model.get(notes, stream))?.by;

  it('write once, and each notifies its own listeners', async () => {
    const [one, two] = [await start(), await start()];
    const heard: string[] = [];
    one.onApplied((batch) => heard.push(...batch.map(({ stream }) => `one ${stream}`)));
    two.onApplied((batch) => heard.push(...batch.map(({ stream }) => `two ${stream}`)));
    const position = await append('note-a');
    await two.progress.passed(position);
    expect(await noted('note-a')).toBe(1);
    await one.progress.passed(position);
    expect(heard.sort()).toEqual(['one note-a', 'two note-a']);
    expect(appliedBy).toEqual([0]);
  });

  it('take over in the middle, including what was pending', async () => {
    leader = undefined;
    const [one, two] = [await start(), await start()];
    expect([one.isFollowing, two.isFollowing]).toEqual([false, false]);
    leader = 0;
    await eventually(async () => two.isFollowing, Boolean, 'following');
    leader = undefined;
    const position = await append('note-a');
    await eventually(
      async () => two.lagSeconds(),
      (lag) => lag > 0.2,
      'lagging',
    );
    expect(await noted('note-a')).toBeUndefined();
    leader = 1;
    await Promise.all([one.progress.passed(position), two.progress.passed(position)]);
    expect(await noted('note-a')).toBe(1);
    expect(appliedBy).toEqual([1]);
  });

  it('write nothing that was planned before leadership was lost', async () => {
    let planned: () => void = () => undefined;
    const loading = new Promise<void>((resolve) => (planned = resolve));
    let goOn: () => void = () => undefined;
    const paused = new Promise<void>((resolve) => (goOn = resolve));
    await start(1, {
      load: async (refs) => {
        planned();
        await paused;
        return model.load(refs);
      },
    });
    const two = await start();
    const position = await append('note-a');
    await loading;
    leader = 1;
    await two.progress.passed(position);
    goOn();
    await running[0]?.progress.passed(position);
    expect(appliedBy).toEqual([1]);
  });

  it('end a rebuild, and write nothing that was planned for it, once another instance leads', async () => {
    await append('note-a');
    const load: ReadModelStore['load'] = async (refs) => {
      leader = 1;
      return model.load(refs);
    };
    const leads = (): boolean => leader === 0;
    const rebuilder = new Projector(events, storeOf(0, { load }), [noting(1)], systemClock, quiet, leads);
    await expect(rebuilder.rebuild(() => undefined)).rejects.toThrow('another instance has begun to write');
    expect(appliedBy).toEqual([]);
  });

  it('notice that another instance reset the read model while nothing happened, and build what is missing', async () => {
    const remembering = { isRemote: true } as const;
    const one = await start(1, remembering);
    for (const stream of ['note-a', 'note-b']) await one.progress.passed(await append(stream));
    leader = undefined;
    await model.reset('of another version');
    // Longer than it believes what it found; nobody else can lead and cease to in less.
    await pause(1_100);
    leader = 0;
    const position = await append('note-c');
    await eventually(
      async () => (await Promise.all(['note-a', 'note-b', 'note-c'].map(noted))).join(),
      (by) => by === '1,1,1',
      'the rebuilding',
    );
    await one.progress.passed(position);
    expect(await model.checkpoint()).toBe(position);
  });

  it('notice a reset by an instance of another version even if nothing happens after it', async () => {
    const [one, two] = [await start(1, { isRemote: true }), await start(1, { isRemote: true })];
    const position = await append('note-a');
    await Promise.all([one.progress.passed(position), two.progress.passed(position)]);
    leader = undefined;
    const fingerprint = (await model.fingerprint()) ?? '';
    await model.reset('of another version');
    const areFollowing = async (): Promise<boolean[]> => [one.isFollowing, two.isFollowing];
    await eventually(areFollowing, (following) => !following.includes(true), 'both stopped');
    expect([waitsForRebuild(one), waitsForRebuild(two)]).toEqual([true, true]);
    // As the service of this version that was taken back into use.
    await model.reset(fingerprint);
    leader = 1;
    const rebuiltBy = await eventually(async () => noted('note-a'), Boolean, 'the rebuilding');
    expect(rebuiltBy).toBe(1);
    expect(await eventually(areFollowing, (following) => !following.includes(false), 'both')).toEqual([true, true]);
    await Promise.all([one.rebuilding(), two.rebuilding()]);
    expect([waitsForRebuild(one), waitsForRebuild(two)]).toEqual([false, false]);
  });

  it('go on following when a read store that was unavailable for a while has not changed', async () => {
    const calls = { state: 0, prepare: 0 };
    let away = false;
    const one = await start(1, {
      isRemote: true,
      state: async () => {
        calls.state += 1;
        if (away) throw new StoreUnavailable('unknown');
        return model.state();
      },
      prepare: async (collections) => {
        calls.prepare += 1;
        return model.prepare(collections);
      },
    });
    for (away of [true, false]) {
      const before = calls.state;
      await eventually(
        async () => calls.state,
        (count) => count > before,
        'the next check',
      );
    }
    expect(one.isFollowing).toBe(true);
    expect(calls.prepare).toBe(1);
  });

  it('leave what other projections built to the leader', async () => {
    await start(1);
    const newer = await start(2);
    const first = await append('note-a');
    await running[0]?.progress.passed(first);
    expect([newer.isFollowing, waitsForRebuild(newer)]).toEqual([false, true]);
    expect(await noted('note-a')).toBe(1);
    leader = 1;
    await eventually(
      async () => noted('note-a'),
      (by) => by === 2,
      'the rebuilding',
    );
    const second = await append('note-b');
    await newer.progress.passed(second);
    expect(await noted('note-b')).toBe(2);
    await eventually(
      async () => running[0]?.isFollowing,
      (following) => following === false,
      'noticing it',
    );
    expect(waitsForRebuild(running[0] as Projector)).toBe(true);
    leader = 0;
    await eventually(
      async () => noted('note-b'),
      (by) => by === 1,
      'the rebuilding back',
    );
  });

  it('go back to the position of the read model if it was reset', async () => {
    const one = await start();
    await one.progress.passed(await append('note-a'));
    const fingerprint = (await model.fingerprint()) ?? '';
    leader = undefined;
    await append('note-b');
    await model.reset(fingerprint);
    leader = 0;
    await eventually(
      async () => Promise.all([noted('note-a'), noted('note-b')]),
      (by) => by.join() === '1,1',
      'both',
    );
    await one.progress.passed(await append('note-c'));
    expect(await noted('note-c')).toBe(1);
  });

  it('start while the read store is unavailable, and prepare it when it is back', async () => {
    let away = true;
    const one = await start(1, {
      state: async () => {
        if (away) throw new StoreUnavailable('unknown');
        return model.state();
      },
    });
    expect(one.isFollowing).toBe(false);
    away = false;
    await one.progress.passed(await append('note-a'));
    expect(await noted('note-a')).toBe(1);
    expect(one.isFollowing).toBe(true);
  });

  it('notice a rebuild that begins beside an instance that only serves requests', async () => {
    await start();
    const answering = await start();
    for (const stream of ['note-a', 'note-b']) await answering.progress.passed(await append(stream));
    // The leader is stopped, and the rebuild command has begun: as Projector.rebuild does.
    leader = undefined;
    await resetForRebuild(model, events, (await model.fingerprint()) ?? '', quiet);
    await append('note-c');
    expect(await noted('note-a')).toBeUndefined();
    expect(await eventually(async () => waitsForRebuild(answering), Boolean, 'the rebuild noticed')).toBe(true);
  });

  it('answer nothing from a read model that they could not look at yet', async () => {
    let away = true;
    const state: ReadModelStore['state'] = async () => {
      if (away) throw new StoreUnavailable('unknown');
      return model.state();
    };
    await model.reset('of another version');
    leader = undefined;
    const one = await start(1, { state });
    expect(waitsForRebuild(one)).toBe(true);
    away = false;
    await pause(300);
    expect(waitsForRebuild(one)).toBe(true);
    leader = 0;
    await one.rebuilding();
    expect(one.isFollowing).toBe(true);
  });

  it('follow a read model that another version has begun to build while they prepared theirs only when it is theirs again', async () => {
    const fingerprint = (await start()) && ((await model.fingerprint()) ?? '');
    let prepared = 0;
    const prepare: ReadModelStore['prepare'] = async (collections) => {
      await model.prepare(collections);
      if ((prepared += 1) === 1) await model.reset('of another version');
    };
    leader = undefined;
    const two = await start(1, { prepare });
    expect([two.isFollowing, waitsForRebuild(two)]).toEqual([false, true]);
    await model.reset(fingerprint);
    await two.rebuilding();
    expect([two.isFollowing, prepared]).toEqual([true, 2]);
  });

  it('start over while a batch waits for a leader if the check alone sees a change', async () => {
    let isOfAnother = false;
    let prepared = 0;
    const one = await start(1, {
      isRemote: true,
      prepare: async (collections) => {
        prepared += 1;
        return model.prepare(collections);
      },
      state: async () => {
        const actual = await model.state();
        // Unlike the polls of a batch, the check follows a pause of seconds.
        const isCheck = new Error().stack?.includes('untilChanged') === true;
        if (!isOfAnother || !isCheck) return actual;
        isOfAnother = false;
        return { ...actual, fingerprint: 'of another version' };
      },
    });
    leader = undefined;
    await append('note-a');
    isOfAnother = true;
    await eventually(
      async () => prepared,
      (times) => times === 2,
      'starting over',
    );
    await one.rebuilding();
    expect(one.isFollowing).toBe(true);
  });

  it('notify their listeners of what others applied while they did not follow, and do not write it again', async () => {
    const one = await start();
    await one.progress.passed(await append('note-a'));
    let isOfAnother = false;
    const state: ReadModelStore['state'] = async () => {
      const actual = await model.state();
      return isOfAnother ? { ...actual, fingerprint: 'of another version' } : actual;
    };
    const two = await start(1, { state });
    const heard: string[] = [];
    two.onApplied((batch) => heard.push(...batch.map(({ stream }) => stream)));
    isOfAnother = true;
    for (const stream of ['note-b', 'note-c']) await one.progress.passed(await append(stream));
    await eventually(
      async () => two.isFollowing,
      (follows) => !follows,
      'no longer following',
    );
    isOfAnother = false;
    leader = 1;
    const position = await append('note-d');
    await Promise.all([one.progress.passed(position), two.progress.passed(position)]);
    await eventually(
      async () => heard.join(),
      (told) => told.endsWith('note-d'),
      'told',
    );
    expect([heard, appliedBy]).toEqual([
      ['note-b', 'note-c', 'note-d'],
      [0, 0, 0, 1],
    ]);
    expect(await Promise.all(['note-b', 'note-c', 'note-d'].map(noted))).toEqual([1, 1, 1]);
  });
});
