import { pause } from '../../kernel/pause';
import { type AppendResult, type EventStore, LOG_START, type Position, type RecordedEvent } from './event-store.port';
import { type FoldCaches, NO_RUN, type Run } from './fold-cache';
import { SharedHeadLookup } from './shared-head-lookup';

type Waiter = Readonly<{ position: Position; settle: (reached: boolean) => void }>;

/** Tracks the events of one stream that pass from before it is read or written until the resulting fold is cached. */
export type Watch = { readonly stream: string; readonly run: Run; highest: number };

/** An event arrives moments after it was acknowledged. If it takes longer, callers read the stream instead. */
const CATCH_UP_TIMEOUT_MS = 200;
const RESUBSCRIBE_DELAY_MS = 250;

/**
 * Follows the log and keeps every cached fold current, so that a mere check needs no read of the stream. One lookup of
 * the head, answered by the leader, says how far the follower must have come: whatever was acknowledged before that
 * lookup, on any instance, is in the folds by then. While the follower lags or is cut off, callers read streams.
 */
export class LogFollower {
  private readonly headLookup: SharedHeadLookup;
  private readonly stopping = new AbortController();
  private readonly watches = new Map<string, Set<Watch>>();
  private begun = false;
  private run: Run = NO_RUN;
  private runs: Run = NO_RUN;
  private reached: Position = LOG_START;
  /** A caller has timed out waiting for this; until it is reached, nobody else waits. */
  private missed: Position = LOG_START;
  private waiters = new Set<Waiter>();

  constructor(
    private readonly store: EventStore,
    private readonly caches: FoldCaches,
  ) {
    this.headLookup = new SharedHeadLookup(() => this.store.head());
  }

  stop(): void {
    this.stopping.abort();
    this.lose();
  }

  /** The run in which folds are kept current now; NO_RUN while they are not. */
  get current(): Run {
    if (!this.begun) this.begin();
    return this.run;
  }

  /** A position at or after everything that was acknowledged before the call; undefined while not following. */
  async moment(): Promise<Position | undefined> {
    return this.current === NO_RUN ? undefined : this.headLookup.now();
  }

  /** An append sent at this moment reveals the end of the log as well as a lookup does. */
  sent(append: Promise<AppendResult>): void {
    this.headLookup.sent(append.then((result) => (result.kind === 'appended' ? result.position : undefined)));
  }

  /** Whether everything up to the position has arrived. */
  async hasPassed(position: Position): Promise<boolean> {
    if (this.current === NO_RUN) return false;
    if (this.reached >= position) return true;
    if (this.reached < this.missed) return false;
    return new Promise((resolve) => {
      const waiter: Waiter = {
        position,
        settle: (reached) => {
          clearTimeout(timer);
          this.waiters.delete(waiter);
          resolve(reached);
        },
      };
      const timer = setTimeout(() => {
        if (position > this.missed) this.missed = position;
        waiter.settle(false);
      }, CATCH_UP_TIMEOUT_MS);
      this.waiters.add(waiter);
    });
  }

  /** Call before a stream is read or written. */
  watch(stream: string): Watch {
    const watch: Watch = { stream, run: this.current, highest: 0 };
    const others = this.watches.get(stream);
    if (others === undefined) this.watches.set(stream, new Set([watch]));
    else others.add(watch);
    return watch;
  }

  /**
   * The run in which the stream is current at this version: it has what arrived before the watch began, and nothing
   * newer has arrived since. NO_RUN where that is not certain.
   */
  end(watch: Watch, version: number): Run {
    const others = this.watches.get(watch.stream);
    others?.delete(watch);
    if (others?.size === 0) this.watches.delete(watch.stream);
    return watch.run === this.run && watch.highest <= version ? this.run : NO_RUN;
  }

  private begin(): void {
    this.begun = true;
    void this.follow();
  }

  private async follow(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        const from = await this.store.head();
        this.reached = from;
        this.missed = LOG_START;
        const onCaughtUp = (isCertain: boolean): void => (isCertain ? this.beginRun() : this.lose());
        const options = { signal, onCaughtUp, onLost: () => this.lose(), onPassed: (at: Position) => this.advance(at) };
        for await (const event of this.store.subscribe(from, options)) this.pass(event);
      } catch {
        // The store is unavailable: its callers get the error, and following resumes when it is back.
      }
      this.lose();
      await pause(RESUBSCRIBE_DELAY_MS, signal);
    }
  }

  private pass(event: RecordedEvent): void {
    for (const watch of this.watches.get(event.stream) ?? []) watch.highest = event.version;
    this.caches.pass(event, this.run);
    this.advance(event.position);
  }

  private advance(position: Position): void {
    this.reached = position;
    for (const waiter of this.waiters) if (waiter.position <= position) waiter.settle(true);
  }

  /** A new run after every gap: folds from an earlier run are not trusted again. */
  private beginRun(): void {
    if (this.run === NO_RUN && !this.stopping.signal.aborted) this.run = this.runs += 1;
  }

  private lose(): void {
    this.run = NO_RUN;
    for (const waiter of this.waiters) waiter.settle(false);
  }
}
