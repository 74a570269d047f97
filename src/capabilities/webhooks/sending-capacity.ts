import { Injectable } from '../../platform/injection';
import { DeliveryLimits } from './delivery-limits';

const LIVE_WINDOW_MS = 1_000;

export type CapacityUser = Readonly<{ onCapacityFreed(): void }>;

/**
 * Limits the messages in flight over all endpoints. Failing endpoints never take more than half of the capacity, and one
 * endpoint never more than is left for the others: a few slow receivers that accept everything could otherwise fill it.
 */
@Injectable()
export class SendingCapacity {
  private taken = 0;
  private takenByFailing = 0;
  private lastLiveAt = -Infinity;
  /** By sender. */
  private readonly inFlight = new WeakMap<CapacityUser, number>();
  /** Senders that had something to send when there was no capacity. */
  private readonly waiting = new Set<CapacityUser>();

  constructor(private readonly limits: DeliveryLimits) {}

  /** Whether the sender may send; if not, it is notified when there is capacity again. */
  isAvailableFor(user: CapacityUser, failing: boolean): boolean {
    const { overall } = this.limits;
    const own = this.inFlight.get(user) ?? 0;
    const hasRoom = own < overall - this.taken && (!failing || this.takenByFailing < overall / 2);
    if (!hasRoom) this.waiting.add(user);
    return hasRoom;
  }

  /** Whether anything but a rewind was sent recently, to any endpoint. */
  get isLive(): boolean {
    return performance.now() - this.lastLiveAt < LIVE_WINDOW_MS;
  }

  /** Takes capacity, and returns a function that gives it back. */
  acquire(user: CapacityUser, failing: boolean, live: boolean): () => void {
    const share = failing ? 1 : 0;
    if (live) this.lastLiveAt = performance.now();
    this.count(user, 1, share);
    return () => {
      this.count(user, -1, -share);
      this.notifyWaiting();
    };
  }

  private count(user: CapacityUser, change: number, failing: number): void {
    this.taken += change;
    this.takenByFailing += failing;
    this.inFlight.set(user, (this.inFlight.get(user) ?? 0) + change);
  }

  forget(user: CapacityUser): void {
    this.waiting.delete(user);
  }

  private notifyWaiting(): void {
    if (this.waiting.size === 0 || this.taken >= this.limits.overall) return;
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const user of waiting) user.onCapacityFreed();
  }
}
