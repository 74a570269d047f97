import { setMaxListeners } from 'node:events';

/** How many lookups may be in flight at once: a slow response must not hold up other payments. */
const MAX_IN_FLIGHT = 64;
/** One merchant's slow lookups leave room for those of the others. */
const MAX_OF_ONE_MERCHANT = 48;

type Waiting = {
  since: Date;
  merchantId: string;
  timer: NodeJS.Timeout | undefined;
  looked: boolean;
  isAskedAgain: boolean;
};

/** What one merchant has waiting: what was never looked up comes before what is looked up again. */
type Lane = { first: string[]; again: string[]; inFlight: number };

/**
 * What follows a lookup: another one after a pause, nothing (undefined), or, where the server wants to be left alone, a
 * pause for all lookups, after which this one is repeated.
 */
export type NextLook = Readonly<{ afterMs: number } | { serverPauseMs: number }> | undefined;

export type Lookup = (stream: string, since: Date, signal: AbortSignal) => Promise<NextLook>;

/**
 * Schedules the lookups at one server. Merchants take turns, so that nobody's reports, however many, hold up another's.
 * It holds nothing that could not be rebuilt from the read model.
 */
export class LookupQueue {
  private readonly waiting = new Map<string, Waiting>();
  /** In the order of their turns. */
  private readonly lanes = new Map<string, Lane>();
  private readonly inFlight = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();
  /** A server that had enough is asked one by one at first. */
  private atOnce = MAX_IN_FLIGHT;
  private serverPause: NodeJS.Timeout | undefined;

  constructor(private readonly look: Lookup) {
    // Every lookup in flight listens to it.
    setMaxListeners(0, this.stopping.signal);
  }

  get size(): number {
    return this.waiting.size;
  }

  /** Looks the payment up as soon as it is its merchant's turn, even if its next lookup was scheduled for later. */
  add(stream: string, since: Date, merchantId: string): void {
    if (this.stopping.signal.aborted) return;
    const known = this.waiting.get(stream);
    if (known === undefined) {
      const entry = { since, merchantId, timer: undefined, looked: false, isAskedAgain: false };
      this.waiting.set(stream, entry);
      this.enqueue(stream, entry);
    } else {
      known.since = since > known.since ? since : known.since;
      known.isAskedAgain = true;
      if (known.timer !== undefined) {
        clearTimeout(known.timer);
        known.timer = undefined;
        this.enqueue(stream, known);
      }
    }
    this.fill();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.serverPause);
    for (const { timer } of this.waiting.values()) clearTimeout(timer);
    this.waiting.clear();
    this.lanes.clear();
    await Promise.all(this.inFlight.values());
  }

  private enqueue(stream: string, { merchantId, looked }: Waiting): void {
    const lane = this.lanes.get(merchantId) ?? { first: [], again: [], inFlight: 0 };
    this.lanes.set(merchantId, lane);
    lane[looked ? 'again' : 'first'].push(stream);
  }

  private fill(): void {
    while (this.inFlight.size < this.atOnce && this.serverPause === undefined && !this.stopping.signal.aborted) {
      const turn = this.nextTurn();
      if (turn === undefined) return;
      const [next, lane] = turn;
      lane.inFlight += 1;
      const looking = this.lookAt(next).finally(() => {
        lane.inFlight -= 1;
        this.inFlight.delete(next);
        this.fill();
      });
      this.inFlight.set(next, looking);
    }
  }

  /** The next payment of the merchant whose turn it is; the merchant goes to the end of the row. */
  private nextTurn(): readonly [stream: string, lane: Lane] | undefined {
    for (const [merchantId, lane] of this.lanes) {
      const isEmpty = lane.first.length + lane.again.length === 0;
      if (isEmpty && lane.inFlight === 0) this.lanes.delete(merchantId);
      if (isEmpty || lane.inFlight >= MAX_OF_ONE_MERCHANT) continue;
      this.lanes.delete(merchantId);
      this.lanes.set(merchantId, lane);
      const stream = lane.first.shift() ?? lane.again.shift();
      if (stream !== undefined) return [stream, lane];
    }
    return undefined;
  }

  private async lookAt(stream: string): Promise<void> {
    const entry = this.waiting.get(stream);
    if (entry === undefined) return;
    const { since } = entry;
    entry.isAskedAgain = false;
    const next = await this.look(stream, since, this.stopping.signal);
    if (this.stopping.signal.aborted) return;
    if (next !== undefined && 'serverPauseMs' in next) {
      this.pauseServer(next.serverPauseMs);
      return this.enqueue(stream, entry);
    }
    this.atOnce = Math.min(this.atOnce + 1, MAX_IN_FLIGHT);
    entry.looked = true;
    // Another lookup was requested while this one was in flight, whatever its clock said.
    if (entry.isAskedAgain) this.enqueue(stream, entry);
    else if (next === undefined) this.waiting.delete(stream);
    else {
      entry.timer = setTimeout(() => {
        entry.timer = undefined;
        this.enqueue(stream, entry);
        this.fill();
      }, next.afterMs).unref();
    }
  }

  private pauseServer(pauseMs: number): void {
    this.atOnce = 1;
    clearTimeout(this.serverPause);
    this.serverPause = setTimeout(() => {
      this.serverPause = undefined;
      this.fill();
    }, pauseMs).unref();
  }
}
