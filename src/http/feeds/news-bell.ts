import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { Projector } from '../../platform/projecting/projector';
import { Draining } from '../server/draining';
import { type Capacity, capacity } from '../server/capacity';
import { type Feed } from './feed';

/**
 * `news`: there are events to look for. `standing`: whether the caller may still see them may have changed. `time`: the deadline
 * has come. `gone`: nobody waits any more. `room`: the place goes to one who came later. `over`: the service
 * is stopping.
 */
export type Ring = 'news' | 'standing' | 'time' | 'gone' | 'capacity' | 'over';

export type Listening = Readonly<{ heard: Promise<Ring>; stop: () => void }>;

/** What a waiter waits for, and on which streams it depends whether it may. */
type Subject = Pick<Feed, 'key' | 'standing'>;
type Waiter = Readonly<{ subject: Subject; deadline: number; wantsNews: boolean; wake: (ring: Ring) => void }>;

const SWEEP_MS = 200;
/** Few enough that a caller who does not wait hardly notices a thousand who do. */
const WOKEN_AT_ONCE = 8;

const OVER: Listening = { heard: Promise.resolve('over'), stop: () => undefined };

/**
 * Wakes callers that wait for events of a feed. All of them hang on one hook of the projector and one timer, so a thousand
 * that wait cost no more than a thousand entries in a map.
 *
 * There are so many places for each feed's readers, and so many in all. Who comes when they are taken gets one all the same: at the
 * cost of the same feed's oldest or, where all places are taken, of whoever holds most of them.
 */
@Injectable()
export class NewsBell implements OnModuleInit {
  private readonly waiting = new Map<string, Set<Waiter>>();
  /** The same waiters by the streams their standing depends on. */
  private readonly depending = new Map<string, Set<Waiter>>();
  private count = 0;
  private sweep: NodeJS.Timeout | undefined;
  /** To be told, a few in each turn of the event loop. */
  private readonly concerned = new Map<Waiter, Ring>();
  private telling: NodeJS.Immediate | undefined;

  constructor(
    private readonly projector: Projector,
    private readonly draining: Draining,
  ) {}

  /** How many may wait; another in tests. */
  capacity: Pick<Capacity, 'waiters' | 'waitersEach'> = capacity;

  onModuleInit(): void {
    this.projector.onApplied((events) => this.hear(events));
    this.draining.onBegin(() => this.wakeAll('over'));
  }

  get waiters(): number {
    return this.count;
  }

  /** Nobody is to be given more than was begun. */
  get isOver(): boolean {
    return this.draining.begun;
  }

  /** Begins to listen at once: whoever looks for events after this call misses none. `stop` may be called at any time. */
  listen(subject: Subject, deadline: number): Listening {
    return this.wait(subject, deadline, true);
  }

  /** As listen, for one who waits for something else and wants to hear of the deadline and the end alone. */
  listenUntil(subject: Subject, deadline: number): Listening {
    return this.wait(subject, deadline, false);
  }

  private wait(subject: Subject, deadline: number, wantsNews: boolean): Listening {
    if (this.draining.begun) return OVER;
    this.makeRoom(this.waiting.get(subject.key));
    let wake: (ring: Ring) => void = () => undefined;
    const heard = new Promise<Ring>((resolve) => (wake = resolve));
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
    return { heard, stop: () => waiter.wake('gone') };
  }

  private makeRoom(own: ReadonlySet<Waiter> = new Set()): void {
    if (own.size >= this.capacity.waitersEach) return endOldest(own);
    if (this.count >= this.capacity.waiters) endOldest(largest(this.waiting.values()));
  }

  /** There are new events in the feed, and reads show them. */
  news(key: string): void {
    this.concern(this.waiting.get(key), 'news');
  }

  private hear(events: readonly RecordedEvent[]): void {
    if (this.count === 0) return;
    for (const { stream } of events) this.concern(this.depending.get(stream), 'standing');
  }

  /** Whoever has both to hear is told of the standing, which makes them look at the events too. */
  private concern(waiters: Iterable<Waiter> = [], ring: 'news' | 'standing'): void {
    for (const waiter of waiters) {
      if (!waiter.wantsNews) continue;
      if (ring === 'standing' || !this.concerned.has(waiter)) this.concerned.set(waiter, ring);
    }
    if (this.concerned.size > 0) this.telling ??= setImmediate(() => this.tellSome());
  }

  private tellSome(): void {
    let left = WOKEN_AT_ONCE;
    for (const [waiter, ring] of this.concerned) {
      waiter.wake(ring);
      left -= 1;
      if (left === 0) break;
    }
    this.telling = this.concerned.size > 0 ? setImmediate(() => this.tellSome()) : undefined;
  }

  private wakeAll(ring: Ring): void {
    for (const waiters of [...this.waiting.values()]) for (const waiter of [...waiters]) waiter.wake(ring);
  }

  private add(waiter: Waiter): void {
    const { key, standing } = waiter.subject;
    join(this.waiting, key, waiter);
    for (const stream of standing) join(this.depending, stream, waiter);
    this.count += 1;
    this.sweep ??= setInterval(() => this.wakeOverdue(), SWEEP_MS).unref();
  }

  private remove(waiter: Waiter): void {
    const { key, standing } = waiter.subject;
    this.concerned.delete(waiter);
    if (!leave(this.waiting, key, waiter)) return;
    for (const stream of standing) leave(this.depending, stream, waiter);
    this.count -= 1;
    if (this.count > 0) return;
    clearInterval(this.sweep);
    this.sweep = undefined;
  }

  private wakeOverdue(): void {
    const now = Date.now();
    for (const waiters of [...this.waiting.values()]) {
      for (const waiter of [...waiters]) if (waiter.deadline <= now) waiter.wake('time');
    }
  }
}

function join(groups: Map<string, Set<Waiter>>, name: string, waiter: Waiter): void {
  groups.set(name, (groups.get(name) ?? new Set()).add(waiter));
}

/** False when it was not there any more. */
function leave(groups: Map<string, Set<Waiter>>, name: string, waiter: Waiter): boolean {
  const group = groups.get(name);
  const was = group?.delete(waiter) === true;
  if (group?.size === 0) groups.delete(name);
  return was;
}

const endOldest = ([oldest]: Iterable<Waiter>): void => oldest?.wake('capacity');

/** The first of them, where several are as large. */
function largest(sets: Iterable<ReadonlySet<Waiter>>): ReadonlySet<Waiter> {
  let found: ReadonlySet<Waiter> = new Set();
  for (const set of sets) if (set.size > found.size) found = set;
  return found;
}
