import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { Projector } from '../../platform/projecting/projector';
import { Draining } from '../server/draining';
import { type Capacity, capacity } from '../server/capacity';
import { type Feed } from './feed';

/**
 * `news`: there may be new events. `standing`: the caller's permission to see them may have changed. `time`: the
 * deadline has passed. `gone`: nobody waits any more. `capacity`: a later caller takes the place. `over`: the service
 * is stopping.
 */
export type Ring = 'news' | 'standing' | 'time' | 'gone' | 'capacity' | 'over';

export type Listening = Readonly<{ ring: Promise<Ring>; stop: () => void }>;

/** The feed a waiter waits for, and the streams that decide whether it still may. */
type Subject = Pick<Feed, 'key' | 'standing'>;
/** Deadlines are on the monotonic clock: a wall clock that is set back must not hold answers back for an hour. */
type Waiter = Readonly<{ subject: Subject; deadline: number; wantsNews: boolean; wake: (ring: Ring) => void }>;

const SWEEP_INTERVAL_MS = 200;
/** Small, so that other callers hardly notice when a thousand waiters are woken. */
const WAKEUPS_PER_TURN = 8;

const OVER: Listening = { ring: Promise.resolve('over'), stop: () => undefined };

/**
 * Wakes callers that wait for events of a feed. They share one projector hook and one timer, so a thousand waiters cost
 * no more than a thousand map entries.
 *
 * Places are limited per feed and in total. A newcomer always gets one: it replaces the oldest waiter of the same feed
 * or, when all places are taken, the oldest waiter of the feed that holds the most.
 */
@Injectable()
export class NewsBell implements OnModuleInit {
  private readonly waiting = new Map<string, Set<Waiter>>();
  /** The same waiters by the streams their standing depends on. */
  private readonly depending = new Map<string, Set<Waiter>>();
  private count = 0;
  private sweep: NodeJS.Timeout | undefined;
  /** Waiters still to be woken, a few in each turn of the event loop. */
  private readonly toWake = new Map<Waiter, Ring>();
  private waking: NodeJS.Immediate | undefined;

  constructor(
    private readonly projector: Projector,
    private readonly draining: Draining,
  ) {}

  /** How many may wait; tests set their own. */
  capacity: Pick<Capacity, 'waiters' | 'waitersEach'> = capacity;

  onModuleInit(): void {
    this.projector.onApplied((events) => this.onEvents(events));
    this.draining.onBegin(() => this.wakeAll('over'));
  }

  get waiters(): number {
    return this.count;
  }

  /** The service is stopping: readers only get what has begun to be sent. */
  get isOver(): boolean {
    return this.draining.begun;
  }

  /** Listens from this call on: a lookup made after it misses no event. `stop` may be called at any time. */
  listen(subject: Subject, deadline: number): Listening {
    return this.wait(subject, deadline, true);
  }

  /** Like `listen`, but without news: for a waiter that only needs the deadline and the shutdown. */
  listenUntil(subject: Subject, deadline: number): Listening {
    return this.wait(subject, deadline, false);
  }

  private wait(subject: Subject, deadline: number, wantsNews: boolean): Listening {
    if (this.draining.begun) return OVER;
    this.makeRoom(this.waiting.get(subject.key));
    let wake: (ring: Ring) => void = () => undefined;
    const ring = new Promise<Ring>((resolve) => (wake = resolve));
    const waiter: Waiter = {
      subject,
      deadline,
      wantsNews,
      wake: (ring) => {
        this.remove(waiter);
        wake(ring);
      },
    };
    this.add(waiter);
    return { ring, stop: () => waiter.wake('gone') };
  }

  private makeRoom(own: ReadonlySet<Waiter> = new Set()): void {
    if (own.size >= this.capacity.waitersEach) return endOldest(own);
    if (this.count >= this.capacity.waiters) endOldest(largest(this.waiting.values()));
  }

  /** The feed has new events, and reads show them. */
  news(key: string): void {
    this.schedule(this.waiting.get(key), 'news');
  }

  /** Some feed has new events, but it is unknown which: every waiter checks. */
  newsForAll(): void {
    for (const waiters of this.waiting.values()) this.schedule(waiters, 'news');
  }

  private onEvents(events: readonly RecordedEvent[]): void {
    if (this.count === 0) return;
    for (const { stream } of events) this.schedule(this.depending.get(stream), 'standing');
  }

  /** A waiter due for both gets `standing`, which makes it check for events too. */
  private schedule(waiters: Iterable<Waiter> = [], ring: 'news' | 'standing'): void {
    for (const waiter of waiters) {
      if (!waiter.wantsNews) continue;
      if (ring === 'standing' || !this.toWake.has(waiter)) this.toWake.set(waiter, ring);
    }
    if (this.toWake.size > 0) this.waking ??= setImmediate(() => this.wakeSome());
  }

  private wakeSome(): void {
    let left = WAKEUPS_PER_TURN;
    for (const [waiter, ring] of this.toWake) {
      waiter.wake(ring);
      left -= 1;
      if (left === 0) break;
    }
    this.waking = this.toWake.size > 0 ? setImmediate(() => this.wakeSome()) : undefined;
  }

  private wakeAll(ring: Ring): void {
    for (const waiters of [...this.waiting.values()]) for (const waiter of [...waiters]) waiter.wake(ring);
  }

  private add(waiter: Waiter): void {
    const { key, standing } = waiter.subject;
    join(this.waiting, key, waiter);
    for (const stream of standing) join(this.depending, stream, waiter);
    this.count += 1;
    this.sweep ??= setInterval(() => this.wakeOverdue(), SWEEP_INTERVAL_MS).unref();
  }

  private remove(waiter: Waiter): void {
    const { key, standing } = waiter.subject;
    this.toWake.delete(waiter);
    if (!leave(this.waiting, key, waiter)) return;
    for (const stream of standing) leave(this.depending, stream, waiter);
    this.count -= 1;
    if (this.count > 0) return;
    clearInterval(this.sweep);
    this.sweep = undefined;
  }

  private wakeOverdue(): void {
    const now = performance.now();
    for (const waiters of [...this.waiting.values()]) {
      for (const waiter of [...waiters]) if (waiter.deadline <= now) waiter.wake('time');
    }
  }
}

function join(groups: Map<string, Set<Waiter>>, name: string, waiter: Waiter): void {
  groups.set(name, (groups.get(name) ?? new Set()).add(waiter));
}

/** False when it was no longer there. */
function leave(groups: Map<string, Set<Waiter>>, name: string, waiter: Waiter): boolean {
  const group = groups.get(name);
  const was = group?.delete(waiter) === true;
  if (group?.size === 0) groups.delete(name);
  return was;
}

const endOldest = ([oldest]: Iterable<Waiter>): void => oldest?.wake('capacity');

/** The first of several that are equally large. */
function largest(sets: Iterable<ReadonlySet<Waiter>>): ReadonlySet<Waiter> {
  let found: ReadonlySet<Waiter> = new Set();
  for (const set of sets) if (set.size > found.size) found = set;
  return found;
}
