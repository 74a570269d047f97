import { Injectable } from '../../platform/injection';
import { DeliveryLimits } from './delivery-limits';

const LIVE_FOR_MS = 1_000;

export type Guest = Readonly<{ roomMade(): void }>;

/** Limits the messages in flight over all endpoints; failing endpoints never take more than half of the capacity. */
@Injectable()
export class SendingCapacity {
  private taken = 0;
  private takenByFailing = 0;
  private lastLiveAt = -Infinity;
  /** Senders that had something to send when there was no capacity. */
  private readonly waiting = new Set<Guest>();

  constructor(private readonly limits: DeliveryLimits) {}

  /** Whether the guest may send; if not, it is notified when there is capacity again. */
  isFor(guest: Guest, failing: boolean): boolean {
    const { overall } = this.limits;
    const hasRoom = this.taken < overall && (!failing || this.takenByFailing < overall / 2);
    if (!hasRoom) this.waiting.add(guest);
    return hasRoom;
  }

  /** Whether anything but a rewind was sent recently, to any endpoint. */
  get isLive(): boolean {
    return performance.now() - this.lastLiveAt < LIVE_FOR_MS;
  }

  /** Takes capacity, and returns a function that gives it back. */
  enter(failing: boolean, live: boolean): () => void {
    const share = failing ? 1 : 0;
    if (live) this.lastLiveAt = performance.now();
    this.taken += 1;
    this.takenByFailing += share;
    return () => {
      this.taken -= 1;
      this.takenByFailing -= share;
      this.tellWaiting();
    };
  }

  leave(guest: Guest): void {
    this.waiting.delete(guest);
  }

  private tellWaiting(): void {
    if (this.waiting.size === 0 || this.taken >= this.limits.overall) return;
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const guest of waiting) guest.roomMade();
  }
}
