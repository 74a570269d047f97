import { LEASE_VALID_MS, POLL_INTERVAL_MS, RENEW_INTERVAL_MS, TAKEOVER_AFTER_MS } from './lease-loop';
import { PARTITIONS } from './partitions';
import { Shares } from './shares';
import { ids, Instance, LeasesInMemory } from './shares.fixtures';

const idle = { gained: () => undefined, release: () => Promise.resolve() };
const quiet = { info: () => undefined, warn: () => undefined };

// Two that both believe to hold a share send every message of it twice.
describe('shares of the work that another instance may have', () => {
  let leases: LeasesInMemory;
  let one: Instance;
  let two: Instance;
  let dead: Set<string>;

  beforeEach(() => {
    dead = new Set();
    leases = new LeasesInMemory();
    [one, two] = [new Instance('one', leases, dead), new Instance('two', leases, dead)];
  });

  it('are not held any longer by an instance whose renewals are all refused', async () => {
    await one.look();
    leases.replace = async () => undefined;
    for (let waited = 0; waited < LEASE_VALID_MS; waited += POLL_INTERVAL_MS) {
      one.time += POLL_INTERVAL_MS;
      await one.look();
    }
    expect(one.held).toEqual([]);
  });

  it('are never held by an instance that was refused them, not even until its next poll', async () => {
    leases.replace = async () => undefined;
    await one.look();
    expect(one.held).toEqual([]);
  });

  it('are not taken back from who took them between a look and the write that follows it', async () => {
    await one.look();
    one.time += LEASE_VALID_MS;
    const replace = leases.replace.bind(leases);
    const taken = { holder: 'two', beat: 99 };
    leases.replace = async (changes) => {
      leases.replace = replace;
      leases.entries.set('p7', taken);
      return replace(changes);
    };
    // Alone, it writes without a look first; otherwise it looks, and then writes.
    Reflect.set(one.shares, 'alone', undefined);
    await one.look();
    expect([leases.entries.get('p7'), one.shares.size]).toEqual([taken, PARTITIONS.length - 1]);
  });

  const settle = async (): Promise<void> => {
    for (let round = 0; round < 6; round += 1) {
      for (const instance of [one, two]) await instance.look();
      for (const instance of [one, two]) instance.time += RENEW_INTERVAL_MS;
    }
  };

  it('stay with their holders when another instance stops in order', async () => {
    await settle();
    const { held } = two;
    expect(held.length).toBeLessThan(ids.length);
    const before = [...leases.entries].filter(([, { holder }]) => holder === 'two');
    await one.shares.start(idle);
    await one.shares.stop();
    expect([...leases.entries].filter(([, { holder }]) => holder === 'two')).toEqual(before);
    expect([...leases.entries.values()].filter(({ holder }) => holder === 'one')).toEqual([]);
    await two.look();
    expect(two.held).toEqual(ids);
  });

  it('stay with who took them from a stalled instance, when the work on them has ended there', async () => {
    await one.look();
    await two.look();
    // The second sees no renewal by the first, and takes everything.
    two.time += TAKEOVER_AFTER_MS;
    await two.look();
    expect(two.held).toEqual(ids);
    // Its own share becomes free for the first again, which ends nothing that is not its own.
    const holdersOf = () => PARTITIONS.map((name) => leases.entries.get(name)?.holder);
    one.time += TAKEOVER_AFTER_MS;
    await one.look();
    await one.look();
    await one.look();
    expect([one.held, holdersOf()]).toEqual([[], PARTITIONS.map(() => 'two')]);
  });

  it('are not retaken after a loss while the work on them could not be ended', async () => {
    await one.look();
    await two.look();
    two.time += TAKEOVER_AFTER_MS;
    await two.look();
    one.end = () => Promise.reject(new Error('away'));
    one.time += TAKEOVER_AFTER_MS;
    await one.look();
    dead.add('two');
    await one.look();
    expect(one.held).toEqual([]);
    one.end = () => Promise.resolve();
    await one.look();
    await one.look();
    expect(one.held).toEqual(ids);
  });

  it('are not taken by an instance that may not take any, though it is started', async () => {
    const clocks = { steady: () => 0, wall: () => 0 };
    const onlooker = new Shares('onlooker', leases, quiet, clocks, { hasDied: async () => false }, false);
    await onlooker.start(idle);
    await onlooker.stop();
    expect([leases.reads, leases.writes, onlooker.size]).toEqual([0, 0, 0]);
  });

  it('are announced to whom they were started for, and to nobody after a stop', async () => {
    const gained: string[] = [];
    const holderOf = (name: string) => ({ gained: () => void gained.push(name), release: () => Promise.resolve() });
    await two.shares.start(holderOf('first'));
    await two.shares.start(holderOf('second'));
    await two.shares.stop();
    await two.shares.stop();
    const { writes } = leases;
    await two.shares.start(holderOf('third'));
    await two.shares.stop();
    expect([gained, leases.writes - writes]).toEqual([['first', 'third'], 2]);
  });
});
