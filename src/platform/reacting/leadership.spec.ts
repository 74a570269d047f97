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

describe('leadership', () => {
  let lease: LeaseInMemory;
  let one: Instance;
  let two: Instance;

  beforeEach(() => {
    lease = new LeaseInMemory();
    [one, two] = [new Instance(lease), new Instance(lease)];
  });

  const pass = (milliseconds: number, ...who: readonly Instance[]): void =>
    who.forEach((instance) => (instance.time += milliseconds));

  it('belongs to the only instance where the store needs no lease', async () => {
    const alone = new Leadership(undefined, quiet);
    expect(alone.leads()).toBe(true);
    await alone.start();
    expect(alone.leads()).toBe(true);
    await alone.stop();
  });

  it('is never taken by an instance that may not lead, which still knows whether another leads', async () => {
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

  it('goes to the first instance that polls, for as long as it renews', async () => {
    expect(one.leads).toBe(false);
    await one.look();
    for (let second = 0; second < 30; second += 1) {
      await two.look();
      pass(1_000, one, two);
      await one.look();
      expect([one.leads, two.leads]).toEqual([true, false]);
    }
  });

  it('passes to another instance once it has seen no renewal for the timeout, and not before', async () => {
    await one.look();
    await two.look();
    pass(TAKEOVER_AFTER_MS - 1, two);
    await two.look();
    expect(two.leads).toBe(false);
    pass(1, two);
    await two.look();
    expect(two.leads).toBe(true);
  });

  it('restarts the timeout at each renewal', async () => {
    await one.look();
    await two.look();
    pass(TAKEOVER_AFTER_MS - 1, two);
    await one.look();
    await two.look();
    pass(TAKEOVER_AFTER_MS - 1, two);
    await two.look();
    expect(two.leads).toBe(false);
  });

  it('ends by the holder’s own clock alone, without a poll', async () => {
    await one.look();
    pass(LEASE_VALID_MS - 1, one);
    expect(one.leads).toBe(true);
    pass(1, one);
    expect(one.leads).toBe(false);
  });

  it('ends even if the machine slept and its monotonic clock stopped', async () => {
    await one.look();
    one.asleep = LEASE_VALID_MS;
    expect(one.leads).toBe(false);
  });

  it('is counted from before the renewal was sent, which may have taken long', async () => {
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

  it('is not regained by an instance that wakes up and finds another leader', async () => {
    await one.look();
    await two.look();
    pass(60_000, one, two);
    await two.look();
    expect([one.leads, two.leads]).toEqual([false, true]);
    await one.look();
    expect([one.leads, two.leads]).toEqual([false, true]);
    expect(lease.value.holder).toBe(two.leadership.name);
  });

  it('resumes after a stall if no other instance has taken over', async () => {
    await one.look();
    pass(60_000, one);
    await one.look();
    expect(one.leads).toBe(true);
  });

  it('survives a renewal whose response was lost', async () => {
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

  it('is recognised by an instance whose first takeover got no response', async () => {
    lease.fault = 'unheard';
    await one.look();
    expect(one.leads).toBe(false);
    await one.look();
    expect(one.leads).toBe(true);
  });

  it('ends in time for an instance that cannot reach the store', async () => {
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

  it('is released at a stop, and taken at the next poll', async () => {
    await one.look();
    await two.look();
    await one.leadership.stop();
    expect(one.leads).toBe(false);
    await two.look();
    expect(two.leads).toBe(true);
  });

  it('is released by an instance that is stopped during its first poll', async () => {
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

  it('is left to expire by an instance that could not renew it: at a stop, it does not wait for the store', async () => {
    await one.look();
    pass(LEASE_VALID_MS, one);
    const writing = jest.spyOn(lease, 'replace');
    await one.leadership.stop();
    expect(writing).not.toHaveBeenCalled();
  });

  it('is not released by an instance that lost it', async () => {
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

    it('passes at once to the instance that knows', async () => {
      await one.look();
      const restarted = knowing([one.leadership.name]);
      await restarted.poll(lease);
      expect(restarted.leads()).toBe(true);
      expect(lease.value.holder).toBe(restarted.name);
    });

    it('does not pass while the holder is alive on the same directory', async () => {
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
