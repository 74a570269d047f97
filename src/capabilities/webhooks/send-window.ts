/** Documented in docs/operators.md: how many messages may be under way to one endpoint at once. */
export const WINDOW = { smallest: 2, first: 8, largest: 64 } as const;

export type Answered =
  /** Taken. */
  | 'well'
  /** It is overloaded or away: no answer in time, no connection, 429 or 5xx. */
  | 'badly'
  /** Refused for a reason that says nothing of its load, or nothing was sent. */
  | 'otherwise';

/** Of one sending under way. */
export type Ticket = Readonly<{ number: number }>;

/**
 * How many messages may be under way to one endpoint: TCP's slow start and congestion avoidance (RFC 5681), with a message in
 * the place of a segment. The window grows by one for each good answer up to the size at which it last went badly, and then
 * by one for each full window of good answers; a bad answer halves it, once for all that were under way together.
 */
export class SendWindow {
  private size: number = WINDOW.first;
  /** Below it the window grows fast. */
  private threshold: number = WINDOW.largest;
  private sent = 0;
  private underWay = 0;
  /** Sendings up to this number were under way when the window was last halved: they count no more. */
  private halvedAt = 0;
  /** Sendings up to this number were under way when the window was last full: a window that is not used teaches nothing. */
  private fullAt = 0;

  get limit(): number {
    return Math.floor(this.size);
  }

  get inFlight(): number {
    return this.underWay;
  }

  get hasRoom(): boolean {
    return this.underWay < this.limit;
  }

  begin(): Ticket {
    this.sent += 1;
    this.underWay += 1;
    if (!this.hasRoom) this.fullAt = this.sent;
    return { number: this.sent };
  }

  end({ number }: Ticket, answered: Answered): void {
    this.underWay -= 1;
    if (answered === 'well' && number <= this.fullAt) this.grow();
    if (answered === 'badly' && number > this.halvedAt) this.halve();
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
