/** How many messages may be in flight to one endpoint at once; documented in docs/operators.md. */
export const WINDOW = { smallest: 2, first: 8, largest: 64 } as const;

export type Answered =
  /** Accepted. */
  | 'accepted'
  /** Overloaded or unreachable: no response in time, no connection, a redirect, 408, 429 or 5xx. */
  | 'overloaded'
  /** Refused for a reason unrelated to load, or nothing was sent. */
  | 'neutral';

/** Identifies one message in flight. */
export type Ticket = Readonly<{ number: number }>;

/**
 * How many messages may be in flight to one endpoint: TCP's slow start and congestion avoidance (RFC 5681), with
 * messages for segments. The window grows by one per good response up to the size at which it last failed, then by one
 * per full window of good responses; a bad response halves it, once for all that were in flight together.
 */
export class SendWindow {
  private size: number = WINDOW.first;
  /** Below this size, the window grows fast. */
  private threshold: number = WINDOW.largest;
  private sent = 0;
  private inFlightCount = 0;
  /** Messages up to this number were in flight when the window was last halved: they no longer count. */
  private halvedAt = 0;
  /** Messages up to this number had been sent when the window was last full: an unused window proves nothing. */
  private fullAt = 0;

  get limit(): number {
    return Math.floor(this.size);
  }

  get inFlight(): number {
    return this.inFlightCount;
  }

  get hasRoom(): boolean {
    return this.inFlightCount < this.limit;
  }

  begin(): Ticket {
    this.sent += 1;
    this.inFlightCount += 1;
    if (!this.hasRoom) this.fullAt = this.sent;
    return { number: this.sent };
  }

  end({ number }: Ticket, answered: Answered): void {
    this.inFlightCount -= 1;
    if (answered === 'accepted' && number <= this.fullAt) this.grow();
    if (answered === 'overloaded' && number > this.halvedAt) this.halve();
  }

  private grow(): void {
    const step = this.size < this.threshold ? 1 : 1 / this.size;
    this.size = Math.min(WINDOW.largest, this.size + step);
  }

  private halve(): void {
    this.halvedAt = this.sent;
    this.size = Math.max(WINDOW.smallest, this.size / 2);
    this.threshold = this.size;
  }
}
