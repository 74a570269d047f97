import { Injectable } from '../../platform/injection';
import { DeliveryLimits } from './delivery-limits';

const LIVE_WINDOW_MS = 1_000;

export type CapacityUser = Readonly<{ onCapacityFreed(): void }>;

/** Limits the messages in flight over all endpoints; failing endpoints never take more than half of the capacity. */
@Injectable()
export class SendingCapacity {
  private taken = 0;
  private takenByFailing = 0;
  private lastLiveAt = -Infinity;
  /** Senders that had something to send when there was no capacity. */
  private readonly waiting = new Set<CapacityUser>();

  constructor(private readonly limits: DeliveryLimits) {}

  /** Whether the sender may send; if not, it is notified when there is capacity again. */
  isAvailableFor(user: CapacityUser, failing: boolean): boolean {
    const { overall } = this.limits;
    const hasRoom = this.taken < overall && (!failing || this.takenByFailing < overall / 2);
    if (!hasRoom) this.waiting.add(user);
    return hasRoom;
  }

  /** Whether anything but a rewind was sent recently, to any endpoint. */
  get isLive(): boolean {
    return performance.now() - this.lastLiveAt < LIVE_WINDOW_MS;
  }

  /** Takes capacity, and returns a function that gives it back. */
  acquire(failing: boolean, live: boolean): () => void {
    const share = failing ? 1 : 0;
    if (live) this.lastLiveAt = performance.now();
    this.taken += 1;
    this.takenByFailing += share;
    return () => {
      this.taken -= 1;
      this.takenByFailing -= share;
      this.notifyWaiting();
    };
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
