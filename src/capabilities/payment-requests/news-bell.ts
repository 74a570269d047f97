import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { parseStreamName } from '../../platform/event-store/stream-name';
import { Draining } from '../../http/server/draining';
import { type ConnectionCaller } from '../../access/connection.guard';
import { room } from '../../http/server/room';
import { Projector } from '../../platform/projecting/projector';

/**
 * `news`: there are events to look for. `standing`: whether the caller may still see them may have changed. `time`: the deadline
 * has come. `gone`: nobody waits any more. `over`: the service is stopping, or too many wait already.
 */
export type Ring = 'news' | 'standing' | 'time' | 'gone' | 'over';

export type Listening = Readonly<{ heard: Promise<Ring>; stop: () => void }>;

type Waiter = Readonly<{ parties: Parties; deadline: number; wake: (ring: Ring) => void }>;
type Parties = Pick<ConnectionCaller, 'connectionId' | 'agentId' | 'deviceId'>;

const SWEEP_MS = 200;
/** Few enough that a caller who does not wait hardly notices a thousand who do. */
const WOKEN_AT_ONCE = 8;

const NOBODY: Parties = { connectionId: '', agentId: '', deviceId: '' };
const OVER: Listening = { heard: Promise.resolve('over'), stop: () => undefined };

/**
 * Wakes callers that wait for events of their connection. All of them hang on one hook of the projector and one timer, so
 * a thousand that wait cost no more than a thousand entries in a map.
 */
@Injectable()
export class NewsBell implements OnModuleInit {
  private readonly waiting = new Map<string, Set<Waiter>>();
  private count = 0;
  private sweep: NodeJS.Timeout | undefined;
  /** To be told, a few in each turn of the event loop. */
  private readonly concerned = new Map<Waiter, Ring>();
  private telling: NodeJS.Immediate | undefined;

  constructor(
    private readonly projector: Projector,
    private readonly draining: Draining,
  ) {}

  onModuleInit(): void {
    this.projector.onApplied((events) => this.tell(events));
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
  listen(parties: Parties, deadline: number): Listening {
    if (this.draining.begun || this.count >= room.waiters) return OVER;
    let wake: (ring: Ring) => void = () => undefined;
    const heard = new Promise<Ring>((resolve) => (wake = resolve));
    const waiter: Waiter = {
      parties,
      deadline,
      wake: (ring) => {
        this.remove(waiter);
        wake(ring);
      },
    };
    this.add(waiter);
    return { heard, stop: () => waiter.wake('gone') };
  }

  /** As listen, for one who waits for something else and wants to hear of the deadline and the end alone. */
  linger(deadline: number): Listening {
    return this.listen(NOBODY, deadline);
  }

  private tell(events: readonly RecordedEvent[]): void {
    if (this.count === 0) return;
    for (const { stream, data } of events) {
      const { connection_id, agent_id, device_id } = data as Readonly<Record<string, unknown>>;
      switch (parseStreamName(stream).category) {
        case 'payment_request':
          this.concern(this.waiting.get(String(connection_id)), 'news');
          break;
        case 'connection':
          this.concern(this.waiting.get(String(connection_id)), 'standing');
          break;
        case 'agent':
          this.concern(
            this.those(({ agentId }) => agentId === agent_id),
            'standing',
          );
          break;
        case 'wallet_device':
          this.concern(
            this.those(({ deviceId }) => deviceId === device_id),
            'standing',
          );
          break;
        default:
      }
    }
    if (this.concerned.size > 0) this.telling ??= setImmediate(() => this.tellSome());
  }

  /** Whoever has both to hear is told of the standing, which makes them look at the events too. */
  private concern(waiters: Iterable<Waiter> = [], ring: 'news' | 'standing'): void {
    for (const waiter of waiters) {
      if (ring === 'standing' || !this.concerned.has(waiter)) this.concerned.set(waiter, ring);
    }
  }

  private *those(by: (parties: Parties) => boolean): Iterable<Waiter> {
    for (const waiters of this.waiting.values()) for (const waiter of waiters) if (by(waiter.parties)) yield waiter;
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
    const { connectionId } = waiter.parties;
    const waiters = this.waiting.get(connectionId) ?? new Set();
    this.waiting.set(connectionId, waiters.add(waiter));
    this.count += 1;
    this.sweep ??= setInterval(() => this.wakeOverdue(), SWEEP_MS).unref();
  }

  private remove(waiter: Waiter): void {
    const { connectionId } = waiter.parties;
    this.concerned.delete(waiter);
    const waiters = this.waiting.get(connectionId);
    if (waiters?.delete(waiter) !== true) return;
    if (waiters.size === 0) this.waiting.delete(connectionId);
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
