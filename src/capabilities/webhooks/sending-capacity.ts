import { Injectable } from '../../platform/injection';
import { DeliveryLimits } from './delivery-limits';

const LIVE_FOR_MS = 1_000;

export type Guest = Readonly<{ roomMade(): void }>;

/** So many messages are under way at once, to whomever; endpoints that fail never take more than half of the room. */
@Injectable()
export class SendingCapacity {
  private taken = 0;
  private takenByFailing = 0;
  private lastLiveAt = -Infinity;
  /** Who had something to send when there was no room. */
  private readonly waiting = new Set<Guest>();

  constructor(private readonly limits: DeliveryLimits) {}

  /** Whether the guest may send; if not, it is told when there is room again. */
  isFor(guest: Guest, failing: boolean): boolean {
    const { overall } = this.limits;
    const hasRoom = this.taken < overall && (!failing || this.takenByFailing < overall / 2);
    if (!hasRoom) this.waiting.add(guest);
    return hasRoom;
  }

  /** Whether anything but rewinds was sent just now, to whomever. */
  get isLive(): boolean {
    return performance.now() - this.lastLiveAt < LIVE_FOR_MS;
  }

  /** Takes a place, and gives what returns it. */
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
