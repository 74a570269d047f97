import { setImmediate as nextTurn } from 'node:timers/promises';
import { endsWithin, pause } from '../../kernel/pause';
import { type Position } from './event-store.port';

/** No caller waits longer than this for an earlier lookup or an append. */
const MAX_WAIT_MS = 100;
/** Gap between shared lookups: in that time more callers may join, or an append may make the lookup unnecessary. */
const MIN_GAP_MS = 10;

/** The callers that share one lookup. */
class CallerBatch {
  readonly answer: Promise<Position>;
  /** Resolves to undefined if nothing was written. */
  append: Promise<Position | undefined> | undefined;
  isAnswered = false;
  callers = 0;
  settle!: (position: Position | Promise<Position>) => void;

  constructor() {
    this.answer = new Promise((resolve) => {
      this.settle = (position) => {
        this.isAnswered = true;
        resolve(position);
      };
    });
  }
}

/**
 * Where the log ends, looked up once for all callers that ask at about the same time (as Raft's ReadIndex does): each
 * gets the answer to a lookup that began after it asked. Callers that arrive during a lookup wait for the next one. An
 * append sent after they asked answers them too: its position is after everything acknowledged by then.
 */
export class SharedHeadLookup {
  private inFlight: Promise<unknown> | undefined;
  private next: CallerBatch | undefined;
  private appending = 0;
  private readonly listening: (() => void)[] = [];
  private notBefore = -Infinity;

  constructor(private readonly readHead: () => Promise<Position>) {}

  now(): Promise<Position> {
    if (this.next === undefined) {
      this.next = new CallerBatch();
      void this.serve(this.next, this.inFlight);
    }
    this.next.callers += 1;
    return this.next.answer;
  }

  /**
   * Reports an append that is being sent for the first time. A retry does not qualify: it may return the position of
   * the first attempt, from before the callers asked.
   */
  sent(append: Promise<Position | undefined>): void {
    const { next: batch } = this;
    this.appending += 1;
    const settled = append
      .catch(() => undefined)
      .then((position) => {
        this.appending -= 1;
        if (this.appending === 0) this.wakeListeners();
        if (position !== undefined && batch !== undefined) batch.settle(position);
        return position;
      });
    if (batch === undefined) return;
    batch.append = settled;
    this.wakeListeners();
    // Later callers ask after it was sent.
    this.next = undefined;
  }

  private nextSendOrIdle(): Promise<void> {
    return new Promise((resolve) => this.listening.push(resolve));
  }

  private wakeListeners(): void {
    for (const wake of this.listening.splice(0)) wake();
  }

  private async serve(batch: CallerBatch, before: Promise<unknown> | undefined): Promise<void> {
    // With no lookup in flight, this gathers the requests that have arrived by now: each is handled in a callback of its own.
    await (before === undefined ? nextTurn() : endsWithin(MAX_WAIT_MS, before));
    const tooSoonBy = this.notBefore - performance.now();
    if (tooSoonBy > 0 && batch.append === undefined) await pause(tooSoonBy);
    // While appends are in flight, more are likely to follow; otherwise waiting gains nothing.
    if (this.appending > 0 && batch.append === undefined) await endsWithin(MIN_GAP_MS, this.nextSendOrIdle());
    if (this.next === batch) this.next = undefined;
    await (batch.append === undefined ? undefined : endsWithin(MAX_WAIT_MS, batch.append));
    if (batch.isAnswered) return;
    if (batch.callers > 1) this.notBefore = performance.now() + MIN_GAP_MS;
    const lookup = this.readHead();
    const over: Promise<unknown> = lookup
      .catch(() => undefined)
      .finally(() => {
        if (this.inFlight === over) this.inFlight = undefined;
      });
    this.inFlight = over;
    batch.settle(lookup);
  }
}
