import { newId } from '../../kernel/ids';
import { LEASE_VALID_MS, RENEW_INTERVAL_MS, TAKEOVER_AFTER_MS } from './lease-loop';
import { ownerOf, partitionOf, PARTITIONS } from './partitions';
import { Shares } from './shares';
import { ids, Instance, LeasesInMemory } from './shares.fixtures';

const quiet = { info: () => undefined, warn: () => undefined };

describe('shares of the work', () => {
  let leases: LeasesInMemory;
  let dead: Set<string>;
  let all: readonly Instance[];
  let [one, two, three] = [] as unknown as [Instance, Instance, Instance];

  beforeEach(() => {
    leases = new LeasesInMemory();
    dead = new Set();
    [one, two, three] = [
      new Instance('one', leases, dead),
      new Instance('two', leases, dead),
      new Instance('three', leases, dead),
    ];
    all = [one, two, three];
  });

  const pass = (milliseconds: number, ...who: readonly Instance[]): void =>
    who.forEach((instance) => (instance.time += milliseconds));
  const settle = async (...who: readonly Instance[]): Promise<void> => {
    for (let round = 0; round < 6; round += 1) {
      for (const instance of who) await instance.look();
      pass(RENEW_INTERVAL_MS, ...who);
    }
  };
  /** Whoever holds each id, however many they are. */
  const holders = (): readonly (readonly string[])[] =>
    ids.map((id) => all.filter(({ shares }) => shares.holds(id)).map(({ name }) => name));

  it('all go to the only instance, at its first poll', async () => {
    await one.look();
    expect(one.held).toEqual(ids);
    expect(one.gained).toBe(1);
    expect(one.shares.size).toBe(PARTITIONS.length);
  });

  it('need no lease where one instance does everything, and are empty for an instance that may not take any', () => {
    const clocks = { steady: () => 0, wall: () => 0 };
    const neighbours = { hasDied: async () => false };
    const alone = new Shares('alone', undefined, quiet, clocks, neighbours);
    const onlooker = new Shares('onlooker', undefined, quiet, clocks, neighbours, false);
    expect(ids.filter((id) => alone.holds(id))).toEqual(ids);
    expect(ids.filter((id) => onlooker.holds(id))).toEqual([]);
    // It is a thread beside one that may: their process has them all, as nobody else could.
    expect([alone.size, onlooker.size]).toEqual([PARTITIONS.length, PARTITIONS.length]);
  });

  it('are divided among the living instances: each id belongs to exactly one', async () => {
    await settle(one, two, three);
    expect(holders().every((names) => names.length === 1)).toBe(true);
    for (const { held } of all) expect(held.length).toBeGreaterThan(ids.length / 10);
  });

  it('are checked and renewed by one write while there is only one instance', async () => {
    await settle(one);
    leases.reads = leases.writes = 0;
    await settle(one);
    expect([leases.reads, leases.writes]).toEqual([0, 6]);
    expect(one.held).toEqual(ids);
  });

  it('are read again by the only instance when the response to its write was lost', async () => {
    await settle(one);
    leases.fault = 'unheard';
    await settle(one);
    expect(one.held).toEqual(ids);
    leases.reads = 0;
    await settle(one);
    expect([leases.reads, one.held]).toEqual([0, ids]);
  });

  it('are released to a new instance after the work in flight has ended', async () => {
    await settle(one);
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    one.end = () => ended;
    await settle(two, one);
    const leaving = ids.filter((id) => one.shares.holds(id) && !one.shares.keeps(id));
    expect(leaving.length).toBeGreaterThan(0);
    expect(two.held).toEqual([]);
    end();
    await settle(one, two);
    expect(two.held).toEqual(leaving);
    expect(holders().every((names) => names.length === 1)).toBe(true);
  });

  it('are released although the work in flight could not be ended at first', async () => {
    await settle(one);
    let tries = 0;
    one.end = () => ((tries += 1) === 1 ? Promise.reject(new Error('not recorded')) : Promise.resolve());
    await settle(two, one);
    expect(tries).toBe(2);
    expect(one.warnings).toEqual(['a share of the work could not be released, trying again']);
    expect(two.held.length).toBeGreaterThan(0);
    expect(holders().every((names) => names.length === 1)).toBe(true);
  });

  it('start no new work between a failed attempt to end it and the next', async () => {
    await settle(one);
    one.end = () => Promise.reject(new Error('not recorded'));
    await settle(two, one);
    const leaving = ids.filter((id) => !one.shares.keeps(id));
    expect(leaving.length).toBeGreaterThan(0);
    expect(leaving.filter((id) => !one.shares.holds(id))).toEqual([]);
  });

  it('are neither held nor leaving after a stall, until a poll shows who holds them', async () => {
    await settle(one, two);
    const [its, others] = [one.held, two.held];
    pass(LEASE_VALID_MS, one);
    expect([one.held, ids.filter((id) => one.shares.keeps(id))]).toEqual([[], []]);
    expect(ids.filter((id) => one.shares.isLeaving(id))).toEqual(others);
    expect(ids.filter((id) => one.shares.mayHold(id))).toEqual(its);
    const { gained } = one;
    await one.look();
    // What was due during the stall was not begun: the work must hear that it may go on, once.
    expect([one.held, one.gained - gained]).toEqual([its, 1]);
    await one.look();
    expect(one.gained - gained).toBe(1);
  });

  it('pass to the others when an instance stops renewing, and not before', async () => {
    await settle(one, two);
    const its = two.held;
    await one.look();
    // Alone from here on, one look for each 100 ms: the silence is counted from the last sign of life.
    for (let waited = 0; waited < TAKEOVER_AFTER_MS - 100; waited += 100) {
      pass(100, one);
      await one.look();
    }
    expect(its.filter((id) => one.shares.holds(id))).toEqual([]);
    pass(500, one);
    await one.look();
    expect(one.held).toEqual(ids);
  });

  it('pass at once when an instance is known to be dead', async () => {
    await settle(one, two);
    dead.add('two');
    await one.look();
    expect(one.held).toEqual(ids);
    expect([...leases.entries.keys()].filter((name) => name.startsWith('m'))).toEqual(['mone']);
  });

  it('end by the holder’s own clock alone, and are not retaken if another holds them', async () => {
    await settle(one, two);
    const its = two.held;
    pass(LEASE_VALID_MS + 400, two);
    expect(two.held).toEqual([]);
    await one.look();
    pass(TAKEOVER_AFTER_MS, one);
    await one.look();
    expect(one.held).toEqual(ids);
    // It wakes, and finds all of it another's; some of it becomes its own again in good order.
    await two.shares.poll(leases);
    expect(two.held).toEqual([]);
    await settle(one, two);
    expect(two.held).toEqual(its);
    expect(holders().every((names) => names.length === 1)).toBe(true);
  });

  it('are not retaken after a loss before the work in flight has ended', async () => {
    await settle(one, two);
    const its = two.held;
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    two.end = () => ended;
    // It stalls, another takes over, and dies when the first has just woken and begun to end what it had.
    pass(TAKEOVER_AFTER_MS, one, two);
    await one.look();
    pass(TAKEOVER_AFTER_MS, one);
    await one.look();
    await two.look();
    dead.add('one');
    await settle(two);
    const elsewhere = ids.filter((id) => !its.includes(id));
    expect(two.held).toEqual(elsewhere);
    end();
    await settle(two);
    expect(two.held).toEqual(ids);
  });

  it('stay with their holder when a response or a write was lost', async () => {
    await settle(one, two);
    const its = two.held;
    for (const fault of ['unheard', 'lost'] as const) {
      leases.fault = fault;
      pass(400, two);
      await two.look();
      expect(two.held).toEqual(its);
      await two.look();
      expect(two.held).toEqual(its);
    }
  });

  it('are held by an instance whose takeover got no response', async () => {
    leases.fault = 'unheard';
    await one.look();
    expect(one.held).toEqual([]);
    await one.look();
    expect(one.held).toEqual(ids);
  });

  it('are renewed in the same poll in which another instance was quicker to take something', async () => {
    await settle(one, two);
    const its = two.held;
    pass(LEASE_VALID_MS - 500, two);
    leases.fault = 'refused';
    await two.look();
    pass(LEASE_VALID_MS - 500, two);
    expect(two.held).toEqual(its);
  });

  it('are requested again when two instances wanted the same, and what each holds stays renewed', async () => {
    await Promise.all(all.map((instance) => instance.look()));
    await settle(...all);
    expect(holders().every((names) => names.length === 1)).toBe(true);
  });

  it('are free at once when an instance stops in order', async () => {
    await two.shares.start({ gained: () => undefined, release: () => Promise.resolve() });
    expect(two.shares.size).toBe(PARTITIONS.length);
    await two.shares.stop();
    expect(two.held).toEqual([]);
    await one.look();
    expect(one.held).toEqual(ids);
  });

  it('are left to expire by an instance that could not renew them: at a stop, it does not wait for the store', async () => {
    await two.shares.start({ gained: () => undefined, release: () => Promise.resolve() });
    two.time += LEASE_VALID_MS;
    const { reads, writes } = leases;
    await two.shares.stop();
    expect([leases.reads, leases.writes, two.held]).toEqual([reads, writes, []]);
  });

  it('are announced to the work, even if the response to the takeover was lost', async () => {
    await settle(one, two);
    const before = two.held.length;
    expect(one.held.length).toBeGreaterThan(0);
    const { gained } = two;
    // The first dies; the second takes its partitions, and does not hear that it has them.
    dead.add('one');
    leases.fault = 'unheard';
    await two.look();
    two.time += 200;
    await two.look();
    expect(two.held.length).toBeGreaterThan(before);
    expect(two.gained).toBeGreaterThan(gained);
  });
});

describe('partitions', () => {
  it('each get about the same number of ids', () => {
    const counts = new Map<string, number>();
    for (let index = 0; index < 32_000; index += 1) {
      const partition = partitionOf(newId('whe'));
      counts.set(partition, (counts.get(partition) ?? 0) + 1);
    }
    expect(counts.size).toBe(PARTITIONS.length);
    expect(Math.min(...counts.values())).toBeGreaterThan(800);
  });

  it('move only from or to an instance that comes or goes', () => {
    const before = PARTITIONS.map((partition) => ownerOf(partition, ['a', 'b', 'c']));
    const after = PARTITIONS.map((partition) => ownerOf(partition, ['a', 'c']));
    expect(after.filter((owner, at) => owner !== before[at] && before[at] !== 'b')).toEqual([]);
    expect(new Set(before)).toEqual(new Set(['a', 'b', 'c']));
  });
});
