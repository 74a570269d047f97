import { type Collection, type Document } from '../read-model/projection';
import { type Clock, timestamp } from '../../kernel/clock';
import { pause } from '../../kernel/pause';
import { roughPause } from '../../kernel/rough-pause';
import { type Position } from '../event-store/event-store.port';
import { type Page, type PageRequest, type ReadModel } from '../read-model/read-model.port';

/** Things that expire, as the read model lists them: an index in the order of their due times. */
export type DueSweep<D extends Document> = Readonly<{
  name: string;
  collection: Collection<D>;
  /** Sorted by `dueAt`; a finished thing must no longer be in the index. */
  index: string;
  equals: readonly (string | number | boolean)[];
  dueAt: (document: D) => string;
  /**
   * Runs the command that records it. Must tolerate being called late, twice, or too early by another clock. The signal
   * aborts at a stop, which waits for it.
   */
  run: (document: D, signal: AbortSignal) => Promise<void>;
}>;

export type SweepLog = Readonly<{ warn: (fields: object, message: string) => void }>;

/** Pause while something is due, because it failed and is retried. */
const RETRY_MS = 250;
/** Longest pause while nothing is due: something created meanwhile and due sooner waits at most about this long. */
const MAX_PAUSE_MS = 1_000;
/** Longest time between lookups, and so the longest delay if reads did not show what the log says. */
const MAX_LOOKUP_INTERVAL_MS = 15_000;
const PAGE_SIZE = 100;
const NEVER = '9999-12-31T23:59:59.999Z';

/** The result of a lookup: nothing is due before `until`, as long as reads show nothing new. */
type Quiet = Readonly<{ until: string; shown: Position; lookedAt: number }>;

/**
 * Expires things when their time is up, without a caller. Due times are in the read model, so a restart loses nothing
 * and no timers are needed; the command's own check of the clock and the expected version make it correct.
 */
export class DueSweeper<D extends Document> {
  private stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private quiet: Quiet | undefined;

  constructor(
    private readonly model: ReadModel,
    private readonly sweep: DueSweep<D>,
    private readonly clock: Clock,
    private readonly log: SweepLog,
    /** The log position up to which reads show everything. */
    private readonly shown: () => Position,
  ) {}

  /** Can be called again after a stop. */
  start(): void {
    this.stopping = new AbortController();
    this.quiet = undefined;
    this.running = this.repeat(this.stopping.signal);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async repeat(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const failures: unknown[] = [];
      if (!this.isQuiet()) await this.lookUpOnce(failures).catch((error: unknown) => failures.push(error));
      // One line per round: while a store is unavailable, everything due fails in the same way.
      if (failures.length > 0) {
        const fields = { err: failures[0], sweep: this.sweep.name, failures: failures.length };
        this.log.warn(fields, 'sweep failed, trying again');
      }
      const wait = this.untilNext();
      await (wait < MAX_PAUSE_MS ? pause(wait, signal) : roughPause(wait, signal));
    }
  }

  /** With a remote store every lookup costs both processes, so none is made before something can be due. */
  private isQuiet(): boolean {
    if (this.quiet === undefined) return false;
    const { until, shown, lookedAt } = this.quiet;
    return (
      shown === this.shown() &&
      timestamp(this.clock.now()) < until &&
      performance.now() - lookedAt < MAX_LOOKUP_INTERVAL_MS
    );
  }

  private untilNext(): number {
    if (this.quiet === undefined) return RETRY_MS;
    const left = Date.parse(this.quiet.until) - this.clock.now().getTime();
    return Math.min(Math.max(left, RETRY_MS), MAX_PAUSE_MS);
  }

  private async lookUpOnce(failures: unknown[]): Promise<void> {
    this.quiet = undefined;
    // Taken before the lookup: what becomes readable during it may be missing from it.
    const [shown, lookedAt] = [this.shown(), performance.now()];
    const until = await this.sweepOnce(failures);
    if (until !== undefined) this.quiet = { until, shown, lookedAt };
  }

  /** When the first thing is due, if none is due now. */
  private async sweepOnce(failures: unknown[]): Promise<string | undefined> {
    const now = timestamp(this.clock.now());
    // Most of the time nothing is due, and reading one document shows that.
    let page = await this.find({ limit: 1 });
    if (this.dueIn(page, now).length === 0) return page.documents.map(this.sweep.dueAt)[0] ?? NEVER;
    page = await this.find({ limit: PAGE_SIZE });
    for (;;) {
      const due = this.dueIn(page, now);
      await Promise.all(
        due.map((document) =>
          this.sweep.run(document, this.stopping.signal).catch((error: unknown) => failures.push(error)),
        ),
      );
      // What failed stays in the index: continuing behind it keeps it from blocking the rest.
      if (due.length < PAGE_SIZE || page.next === null || this.stopping.signal.aborted) return undefined;
      page = await this.find({ limit: PAGE_SIZE, after: page.next });
    }
  }

  private find(page: PageRequest): Promise<Page<D>> {
    const { collection, index, equals } = this.sweep;
    return this.model.find(collection, index, equals, { ...page, order: 'asc' });
  }

  private dueIn({ documents }: Page<D>, now: string): readonly D[] {
    return documents.filter((document) => this.sweep.dueAt(document) <= now);
  }
}
