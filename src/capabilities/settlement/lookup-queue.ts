import { setMaxListeners } from 'node:events';

/** How many lookups may be in flight at once: a slow response must not hold up other payments. */
const MAX_IN_FLIGHT = 64;

type Waiting = { since: Date; timer: NodeJS.Timeout | undefined };

/** One lookup; returns the delay before the next one, or undefined if no more is needed. */
export type Lookup = (stream: string, since: Date, signal: AbortSignal) => Promise<number | undefined>;

/** Schedules lookups of payments. It holds nothing that could not be rebuilt from the read model. */
export class LookupQueue {
  private readonly waiting = new Map<string, Waiting>();
  private readonly ready: string[] = [];
  private readonly inFlight = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(private readonly look: Lookup) {
    // Every lookup in flight listens to it.
    setMaxListeners(0, this.stopping.signal);
  }

  get size(): number {
    return this.waiting.size;
  }

  /** Looks the payment up as soon as there is capacity, even if its next lookup was scheduled for later. */
  add(stream: string, since: Date): void {
    const known = this.waiting.get(stream);
    if (known === undefined) {
      this.waiting.set(stream, { since, timer: undefined });
      this.ready.push(stream);
    } else {
      known.since = since > known.since ? since : known.since;
      if (known.timer !== undefined) {
        clearTimeout(known.timer);
        known.timer = undefined;
        this.ready.push(stream);
      }
    }
    this.fill();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    for (const { timer } of this.waiting.values()) clearTimeout(timer);
    this.waiting.clear();
    this.ready.length = 0;
    await Promise.all(this.inFlight.values());
  }

  private fill(): void {
    while (this.inFlight.size < MAX_IN_FLIGHT && !this.stopping.signal.aborted) {
      const next = this.ready.shift();
      if (next === undefined) return;
      const looking = this.lookAt(next).finally(() => {
        this.inFlight.delete(next);
        this.fill();
      });
      this.inFlight.set(next, looking);
    }
  }

  private async lookAt(stream: string): Promise<void> {
    const entry = this.waiting.get(stream);
    if (entry === undefined) return;
    const { since } = entry;
    const pause = await this.look(stream, since, this.stopping.signal);
    if (this.stopping.signal.aborted) return;
    // Another lookup was requested while this one was in flight.
    if (entry.since !== since) this.ready.push(stream);
    else if (pause === undefined) this.waiting.delete(stream);
    else {
      entry.timer = setTimeout(() => {
        entry.timer = undefined;
        this.ready.push(stream);
        this.fill();
      }, pause).unref();
    }
  }
}
