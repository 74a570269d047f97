import { eventually } from '../../../test/support/eventually';
import { pause } from '../../kernel/pause';
import { type ReadModelStore } from '../read-model/read-model.port';
import { ProjectorScene, quiet, waitsForRebuild } from './projector-scene.fixtures';
import { resetForRebuild } from './rebuilt';

describe('projectors whose read model others change', () => {
  let scene: ProjectorScene;
  beforeEach(async () => {
    scene = await ProjectorScene.open();
  });
  afterEach(() => scene.close());

  it('notice that another instance reset the read model while nothing happened, and build what is missing', async () => {
    const remembering = { isRemote: true } as const;
    const one = await scene.start(1, remembering);
    for (const stream of ['note-a', 'note-b']) await one.progress.passed(await scene.append(stream));
    scene.leader = undefined;
    await scene.model.reset('of another version');
    // Longer than it believes what it found; nobody else can lead and cease to in less.
    await pause(1_100);
    scene.leader = 0;
    const position = await scene.append('note-c');
    await eventually(
      async () => (await Promise.all(['note-a', 'note-b', 'note-c'].map(scene.noted))).join(),
      (by) => by === '1,1,1',
      'the rebuilding',
    );
    await one.progress.passed(position);
    expect((await scene.model.state()).position).toBe(position);
  });

  it('notice a reset by an instance of another version even if nothing happens after it', async () => {
    const [one, two] = [await scene.start(1, { isRemote: true }), await scene.start(1, { isRemote: true })];
    const position = await scene.append('note-a');
    await Promise.all([one.progress.passed(position), two.progress.passed(position)]);
    scene.leader = undefined;
    const fingerprint = (await scene.model.state()).fingerprint ?? '';
    await scene.model.reset('of another version');
    const areFollowing = async (): Promise<boolean[]> => [one.isFollowing, two.isFollowing];
    await eventually(areFollowing, (following) => !following.includes(true), 'both stopped');
    expect([waitsForRebuild(one), waitsForRebuild(two)]).toEqual([true, true]);
    // As the service of this version that was taken back into use.
    await scene.model.reset(fingerprint);
    scene.leader = 1;
    const rebuiltBy = await eventually(async () => scene.noted('note-a'), Boolean, 'the rebuilding');
    expect(rebuiltBy).toBe(1);
    expect(await eventually(areFollowing, (following) => !following.includes(false), 'both')).toEqual([true, true]);
    await Promise.all([one.rebuilding(), two.rebuilding()]);
    expect([waitsForRebuild(one), waitsForRebuild(two)]).toEqual([false, false]);
  });

  it('go on following when a read store that was unavailable for a while has not changed', async () => {
    const calls = { state: 0, prepare: 0 };
    let away = false;
    const state = scene.stateUnless(() => away);
    const one = await scene.start(1, {
      isRemote: true,
      state: async () => {
        calls.state += 1;
        return state();
      },
      prepare: async (collections) => {
        calls.prepare += 1;
        return scene.model.prepare(collections);
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

  it('go back to the position of the read model if it was reset', async () => {
    const one = await scene.start();
    await one.progress.passed(await scene.append('note-a'));
    const fingerprint = (await scene.model.state()).fingerprint ?? '';
    scene.leader = undefined;
    await scene.append('note-b');
    await scene.model.reset(fingerprint);
    scene.leader = 0;
    await eventually(
      async () => Promise.all([scene.noted('note-a'), scene.noted('note-b')]),
      (by) => by.join() === '1,1',
      'both',
    );
    await one.progress.passed(await scene.append('note-c'));
    expect(await scene.noted('note-c')).toBe(1);
  });

  it('notice a rebuild that begins beside an instance that only serves requests', async () => {
    await scene.start();
    const answering = await scene.start();
    for (const stream of ['note-a', 'note-b']) await answering.progress.passed(await scene.append(stream));
    // The leader is stopped, and the rebuild command has begun: as Projector.rebuild does.
    scene.leader = undefined;
    await resetForRebuild(scene.model, scene.events, (await scene.model.state()).fingerprint ?? '', quiet);
    await scene.append('note-c');
    expect(await scene.noted('note-a')).toBeUndefined();
    expect(await eventually(async () => waitsForRebuild(answering), Boolean, 'the rebuild noticed')).toBe(true);
  });

  it('answer nothing from a read model that they could not look at yet', async () => {
    let away = true;
    await scene.model.reset('of another version');
    scene.leader = undefined;
    const one = await scene.start(1, { state: scene.stateUnless(() => away) });
    expect(waitsForRebuild(one)).toBe(true);
    away = false;
    await pause(300);
    expect(waitsForRebuild(one)).toBe(true);
    scene.leader = 0;
    await one.rebuilding();
    expect(one.isFollowing).toBe(true);
  });

  it('follow a read model that another version has begun to build while they prepared theirs only when it is theirs again', async () => {
    await scene.start();
    const fingerprint = (await scene.model.state()).fingerprint ?? '';
    let prepared = 0;
    const prepare: ReadModelStore['prepare'] = async (collections) => {
      await scene.model.prepare(collections);
      if ((prepared += 1) === 1) await scene.model.reset('of another version');
    };
    scene.leader = undefined;
    const two = await scene.start(1, { prepare });
    expect([two.isFollowing, waitsForRebuild(two)]).toEqual([false, true]);
    await scene.model.reset(fingerprint);
    await two.rebuilding();
    expect([two.isFollowing, prepared]).toEqual([true, 2]);
  });

  it('start over while a batch waits for a leader if the check alone sees a change', async () => {
    let isOfAnother = false;
    let prepared = 0;
    const one = await scene.start(1, {
      isRemote: true,
      prepare: async (collections) => {
        prepared += 1;
        return scene.model.prepare(collections);
      },
      state: async () => {
        const actual = await scene.model.state();
        // Unlike the polls of a batch, the check follows a pause of seconds.
        const isCheck = new Error().stack?.includes('untilChanged') === true;
        if (!isOfAnother || !isCheck) return actual;
        isOfAnother = false;
        return { ...actual, fingerprint: 'of another version' };
      },
    });
    scene.leader = undefined;
    await scene.append('note-a');
    isOfAnother = true;
    await eventually(
      async () => prepared,
      (times) => times === 2,
      'starting over',
    );
    await one.rebuilding();
    expect(one.isFollowing).toBe(true);
  });
});
