import { systemClock } from '../../kernel/clock';
import { eventually } from '../../../test/support/eventually';
import { type ReadModelStore } from '../read-model/read-model.port';
import { Projector } from './projector';
import { noting, ProjectorScene, quiet, waitsForRebuild } from './projector-scene.fixtures';

describe('projectors on one read model', () => {
  let scene: ProjectorScene;
  beforeEach(async () => {
    scene = await ProjectorScene.open();
  });
  afterEach(() => scene.close());

  it('write once, and each notifies its own listeners', async () => {
    const [one, two] = [await scene.start(), await scene.start()];
    const heard: string[] = [];
    one.onApplied((batch) => heard.push(...batch.map(({ stream }) => `one ${stream}`)));
    two.onApplied((batch) => heard.push(...batch.map(({ stream }) => `two ${stream}`)));
    const position = await scene.append('note-a');
    await two.progress.passed(position);
    expect(await scene.noted('note-a')).toBe(1);
    await one.progress.passed(position);
    expect(heard.sort()).toEqual(['one note-a', 'two note-a']);
    expect(scene.appliedBy).toEqual([0]);
  });

  it('take over in the middle, including what was pending', async () => {
    scene.leader = undefined;
    const [one, two] = [await scene.start(), await scene.start()];
    expect([one.isFollowing, two.isFollowing]).toEqual([false, false]);
    scene.leader = 0;
    await eventually(async () => two.isFollowing, Boolean, 'following');
    scene.leader = undefined;
    const position = await scene.append('note-a');
    await eventually(
      async () => two.lagSeconds(),
      (lag) => lag > 0.2,
      'lagging',
    );
    expect(await scene.noted('note-a')).toBeUndefined();
    scene.leader = 1;
    await Promise.all([one.progress.passed(position), two.progress.passed(position)]);
    expect(await scene.noted('note-a')).toBe(1);
    expect(scene.appliedBy).toEqual([1]);
  });

  it('write nothing that was planned before leadership was lost', async () => {
    let planned: () => void = () => undefined;
    const loading = new Promise<void>((resolve) => (planned = resolve));
    let goOn: () => void = () => undefined;
    const paused = new Promise<void>((resolve) => (goOn = resolve));
    await scene.start(1, {
      load: async (refs) => {
        planned();
        await paused;
        return scene.model.load(refs);
      },
    });
    const two = await scene.start();
    const position = await scene.append('note-a');
    await loading;
    scene.leader = 1;
    await two.progress.passed(position);
    goOn();
    await scene.running[0]?.progress.passed(position);
    expect(scene.appliedBy).toEqual([1]);
  });

  it('end a rebuild, and write nothing that was planned for it, once another instance leads', async () => {
    await scene.append('note-a');
    const load: ReadModelStore['load'] = async (refs) => {
      scene.leader = 1;
      return scene.model.load(refs);
    };
    const leads = (): boolean => scene.leader === 0;
    const rebuilder = new Projector(scene.events, scene.storeOf(0, { load }), [noting(1)], systemClock, quiet, leads);
    await expect(rebuilder.rebuild(() => undefined)).rejects.toThrow('another instance has begun to write');
    expect(scene.appliedBy).toEqual([]);
  });

  it('leave what other projections built to the leader', async () => {
    await scene.start(1);
    const newer = await scene.start(2);
    const first = await scene.append('note-a');
    await scene.running[0]?.progress.passed(first);
    expect([newer.isFollowing, waitsForRebuild(newer)]).toEqual([false, true]);
    expect(await scene.noted('note-a')).toBe(1);
    scene.leader = 1;
    await eventually(
      async () => scene.noted('note-a'),
      (by) => by === 2,
      'the rebuilding',
    );
    const second = await scene.append('note-b');
    await newer.progress.passed(second);
    expect(await scene.noted('note-b')).toBe(2);
    await eventually(
      async () => scene.running[0]?.isFollowing,
      (following) => following === false,
      'noticing it',
    );
    expect(waitsForRebuild(scene.running[0] as Projector)).toBe(true);
    scene.leader = 0;
    await eventually(
      async () => scene.noted('note-b'),
      (by) => by === 1,
      'the rebuilding back',
    );
  });

  it('start while the read store is unavailable, and prepare it when it is back', async () => {
    let away = true;
    const one = await scene.start(1, { state: scene.stateUnless(() => away) });
    expect(one.isFollowing).toBe(false);
    away = false;
    await one.progress.passed(await scene.append('note-a'));
    expect(await scene.noted('note-a')).toBe(1);
    expect(one.isFollowing).toBe(true);
  });

  it('notify their listeners of what others applied while they did not follow, and do not write it again', async () => {
    const one = await scene.start();
    await one.progress.passed(await scene.append('note-a'));
    let isOfAnother = false;
    const state: ReadModelStore['state'] = async () => {
      const actual = await scene.model.state();
      return isOfAnother ? { ...actual, fingerprint: 'of another version' } : actual;
    };
    const two = await scene.start(1, { state });
    const heard: string[] = [];
    two.onApplied((batch) => heard.push(...batch.map(({ stream }) => stream)));
    isOfAnother = true;
    for (const stream of ['note-b', 'note-c']) await one.progress.passed(await scene.append(stream));
    await eventually(
      async () => two.isFollowing,
      (follows) => !follows,
      'no longer following',
    );
    isOfAnother = false;
    scene.leader = 1;
    const position = await scene.append('note-d');
    await Promise.all([one.progress.passed(position), two.progress.passed(position)]);
    await eventually(
      async () => heard.join(),
      (told) => told.endsWith('note-d'),
      'told',
    );
    expect([heard, scene.appliedBy]).toEqual([
      ['note-b', 'note-c', 'note-d'],
      [0, 0, 0, 1],
    ]);
    expect(await Promise.all(['note-b', 'note-c', 'note-d'].map(scene.noted))).toEqual([1, 1, 1]);
  });
});
