import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type RecordedEvent } from '../event-store/event-store.port';
import { parseStreamName } from '../event-store/stream-name';
import { Draining } from '../http/draining';
import { type ConnectionCaller } from '../http/guards/connection.guard';
import { Projector } from '../read-model/projector';

/**
 * `news`: look again, at the events and at whether the caller may still see them. `time`: the deadline has come.
 * `gone`: nobody waits any more. `over`: the service is stopping, or too many wait already.
 */
export type Ring = 'news' | 'time' | 'gone' | 'over';

export type Listening = Readonly<{ heard: Promise<Ring>; stop: () => void }>;

type Waiter = Readonly<{ parties: Parties; deadline: number; wake: (ring: Ring) => void }>;
type Parties = Pick<ConnectionCaller, 'connectionId' | 'agentId' | 'deviceId'>;

const SWEEP_MS = 200;
/** Each waiter is a few hundred bytes and a socket; beyond this many a caller is answered at once instead. */
const MOST_WAITERS = 20_000;

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

  constructor(
    private readonly projector: Projector,
    private readonly draining: Draining,
  ) {}

  onModuleInit(): void {
    this.projector.onApplied((events) => this.tell(events));
    this.draining.onBegin(() => this.wake('over', () => true));
  }

  get waiters(): number {
    return this.count;
  }

  /** Begins to listen at once: whoever looks for events after this call misses none. `stop` may be called at any time. */
  listen(parties: Parties, deadline: number): Listening {
    if (this.draining.begun || this.count >= MOST_WAITERS) return OVER;
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

  private tell(events: readonly RecordedEvent[]): void {
    if (this.count === 0) return;
    for (const { stream, data } of events) {
      const { connection_id, agent_id, device_id } = data as Readonly<Record<string, unknown>>;
      switch (parseStreamName(stream).category) {
        case 'payment_request':
        case 'connection':
          for (const waiter of [...(this.waiting.get(String(connection_id)) ?? [])]) waiter.wake('news');
          break;
        case 'agent':
          this.wake('news', ({ agentId }) => agentId === agent_id);
          break;
        case 'wallet_device':
          this.wake('news', ({ deviceId }) => deviceId === device_id);
          break;
        default:
      }
    }
  }

  private wake(ring: Ring, concerned: (parties: Parties) => boolean): void {
    for (const waiters of [...this.waiting.values()]) {
      for (const waiter of [...waiters]) if (concerned(waiter.parties)) waiter.wake(ring);
    }
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
