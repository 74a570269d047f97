import { Leadership } from './leadership';
import { LEASE_VALID_MS, TAKEOVER_AFTER_MS } from './lease-loop';
import { noNeighbours } from './neighbours';
import { type Lease, type SharedLease } from '../read-model/read-model.port';

const quiet = { info: () => undefined, warn: () => undefined };

class LeaseInMemory implements SharedLease {
  value: Lease = { holder: null, beat: 0 };
  /** What happens to the next write: it gets through unheard, or not at all. */
  fault: 'none' | 'unheard' | 'lost' = 'none';

  async read(): Promise<Lease> {
    return this.value;
  }

  async replace(seen: Lease, next: Lease): Promise<boolean> {
    const { fault } = this;
    this.fault = 'none';
    if (fault === 'lost') throw new Error('away');
    const fits = seen.holder === this.value.holder && seen.beat === this.value.beat;
    if (fits) this.value = next;
    if (fault === 'unheard') throw new Error('no answer');
    return fits;
  }
}

/** A clock of its own for each instance: nothing may depend on their telling the same time. */
class Instance {
  /** Whole: fractions lose their last digits where a number grows, and a wait would be shorter than it was. */
  time = Math.floor(Math.random() * 1e6);
  asleep = 0;
  readonly leadership: Leadership;

  constructor(private readonly lease: SharedLease) {
    this.leadership = new Leadership(lease, quiet, {
      steady: () => this.time,
      wall: () => this.time + this.asleep,
    });
  }

  get leads(): boolean {
    return this.leadership.leads();
  }

  look(): Promise<void> {
    return this.leadership.poll(this.lease).catch(() => undefined);
  }
}

describe('leading', () => {
  let lease: LeaseInMemory;
  let one: Instance;
  let two: Instance;

  beforeEach(() => {
    lease = new LeaseInMemory();
    [one, two] = [new Instance(lease), new Instance(lease)];
  });

  const pass = (milliseconds: number, ...who: readonly Instance[]): void =>
    who.forEach((instance) => (instance.time += milliseconds));

  it('is for the only one where the store needs no lease', async () => {
    const alone = new Leadership(undefined, quiet);
    expect(alone.leads()).toBe(true);
    await alone.start();
    expect(alone.leads()).toBe(true);
    await alone.stop();
  });

  it('is not for one that may not, which knows all the same whether somebody leads', async () => {
    let time = 0;
    const clocks = { steady: () => time, wall: () => time };
    const onlooker = new Leadership(lease, quiet, clocks, noNeighbours, false);
    await onlooker.poll(lease);
    time += TAKEOVER_AFTER_MS;
    await onlooker.poll(lease);
    expect([onlooker.leads(), onlooker.someoneLeads()]).toEqual([false, false]);
    await one.look();
    await onlooker.poll(lease);
    expect([onlooker.leads(), onlooker.someoneLeads()]).toEqual([false, true]);
    time += TAKEOVER_AFTER_MS;
    await onlooker.poll(lease);
    expect([onlooker.leads(), onlooker.someoneLeads(), lease.value.holder]).toEqual([
      false,
      false,
      one.leadership.name,
    ]);
  });

  it('is for the first who looks, and for as long as it shows life', async () => {
    expect(one.leads).toBe(false);
    await one.look();
    for (let second = 0; second < 30; second += 1) {
      await two.look();
      pass(1_000, one, two);
      await one.look();
      expect([one.leads, two.leads]).toEqual([true, false]);
    }
  });

  it('passes to another when it has been silent for so long after the last sign of life it saw, and not before', async () => {
    await one.look();
    await two.look();
    pass(TAKEOVER_AFTER_MS - 1, two);
    await two.look();
    expect(two.leads).toBe(false);
    pass(1, two);
    await two.look();
    expect(two.leads).toBe(true);
  });

  it('counts the silence anew from each sign of life', async () => {
    await one.look();
    await two.look();
    pass(TAKEOVER_AFTER_MS - 1, two);
    await one.look();
    await two.look();
    pass(TAKEOVER_AFTER_MS - 1, two);
    await two.look();
    expect(two.leads).toBe(false);
  });

  it('ends by the own clock alone, without a look', async () => {
    await one.look();
    pass(LEASE_VALID_MS - 1, one);
    expect(one.leads).toBe(true);
    pass(1, one);
    expect(one.leads).toBe(false);
  });

  it('ends also when the machine slept and its steady clock with it', async () => {
    await one.look();
    one.asleep = LEASE_VALID_MS;
    expect(one.leads).toBe(false);
  });

  it('is counted from before the sign of life was given: its way there may have taken long', async () => {
    const slow: SharedLease = {
      read: () => lease.read(),
      replace: (seen, next) => {
        pass(LEASE_VALID_MS - 1, one);
        return lease.replace(seen, next);
      },
    };
    await one.leadership.poll(slow);
    expect(one.leads).toBe(true);
    pass(1, one);
    expect(one.leads).toBe(false);
  });

  it('is not regained by one who wakes and finds another', async () => {
    await one.look();
    await two.look();
    pass(60_000, one, two);
    await two.look();
    expect([one.leads, two.leads]).toEqual([false, true]);
    await one.look();
    expect([one.leads, two.leads]).toEqual([false, true]);
    expect(lease.value.holder).toBe(two.leadership.name);
  });

  it('goes on after silence if nobody has taken over', async () => {
    await one.look();
    pass(60_000, one);
    await one.look();
    expect(one.leads).toBe(true);
  });

  it('survives a sign of life whose answer was lost', async () => {
    await one.look();
    lease.fault = 'unheard';
    pass(1_000, one);
    await one.look();
    pass(1_000, one);
    await one.look();
    pass(LEASE_VALID_MS - 1, one);
    expect(one.leads).toBe(true);
    expect(lease.value.holder).toBe(one.leadership.name);
  });

  it('is known to one whose first taking went unheard', async () => {
    lease.fault = 'unheard';
    await one.look();
    expect(one.leads).toBe(false);
    await one.look();
    expect(one.leads).toBe(true);
  });

  it('ends in time for one that cannot reach the store', async () => {
    await one.look();
    await two.look();
    for (let look = 1; look <= 5; look += 1) {
      pass(TAKEOVER_AFTER_MS / 5, one, two);
      lease.fault = 'lost';
      await one.look();
    }
    expect(one.leads).toBe(false);
    await two.look();
    expect(two.leads).toBe(true);
  });

  it('is given away at the stop, and taken at the next look', async () => {
    await one.look();
    await two.look();
    await one.leadership.stop();
    expect(one.leads).toBe(false);
    await two.look();
    expect(two.leads).toBe(true);
  });

  it('is given away by one who is stopped during its first look', async () => {
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    let began = (): void => undefined;
    const looking = new Promise<void>((resolve) => (began = resolve));
    const slow: SharedLease = {
      read: () => lease.read(),
      replace: async (seen, next) => {
        began();
        await held;
        return lease.replace(seen, next);
      },
    };
    const { leadership } = new Instance(slow);
    const started = leadership.start();
    await looking;
    const stopped = leadership.stop();
    goOn();
    await Promise.all([started, stopped]);
    expect([leadership.leads(), lease.value.holder]).toEqual([false, null]);
  });

  it('is left to be found silent by one that could not renew it: at a stop, it does not wait for the store', async () => {
    await one.look();
    pass(LEASE_VALID_MS, one);
    const writing = jest.spyOn(lease, 'replace');
    await one.leadership.stop();
    expect(writing).not.toHaveBeenCalled();
  });

  it('is not given away by one who lost it', async () => {
    await one.look();
    await two.look();
    pass(60_000, one, two);
    await two.look();
    await one.leadership.stop();
    expect(lease.value.holder).toBe(two.leadership.name);
  });

  describe('where a process is known to be dead', () => {
    const knowing = (dead: readonly string[]): Leadership =>
      new Leadership(lease, quiet, undefined, { ...noNeighbours, hasDied: async (name) => dead.includes(name) });

    it('passes to the one who knows, at once', async () => {
      await one.look();
      const restarted = knowing([one.leadership.name]);
      await restarted.poll(lease);
      expect(restarted.leads()).toBe(true);
      expect(lease.value.holder).toBe(restarted.name);
    });

    it('does not pass while the holder lives on the same folder', async () => {
      await one.look();
      const second = knowing([]);
      await second.poll(lease);
      expect([one.leads, second.leads()]).toEqual([true, false]);
    });
  });

  describe('is somebody known to do it', () => {
    it('by oneself, or by signs of life that came before our eyes', async () => {
      expect(one.leadership.someoneLeads()).toBe(false);
      await one.look();
      expect(one.leadership.someoneLeads()).toBe(true);
      // What is there may have been left by one that is dead.
      await two.look();
      expect(two.leadership.someoneLeads()).toBe(false);
      await one.look();
      await two.look();
      expect(two.leadership.someoneLeads()).toBe(true);
      pass(TAKEOVER_AFTER_MS, two);
      expect(two.leadership.someoneLeads()).toBe(false);
    });
  });
});
