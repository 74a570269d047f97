import { type Collection, type Document } from '../read-model/projection';
import { type Clock, timestamp } from '../../kernel/clock';
import { pause } from '../../kernel/pause';
import { type Position } from '../event-store/event-store.port';
import { type Page, type PageRequest, type ReadModel } from '../read-model/read-model.port';

/** Things that run out, as the read model lists them: an index in the order of the moment at which each is due. */
export type DueSweep<D extends Document> = Readonly<{
  name: string;
  collection: Collection<D>;
  /** Its sort field holds `dueAt`; a thing that is done with must have left it. */
  index: string;
  equals: readonly (string | number | boolean)[];
  dueAt: (document: D) => string;
  /** Runs the command that records it. It may be late, twice, or too early by another clock, and must not mind. */
  run: (document: D) => Promise<void>;
}>;

export type SweepLog = Readonly<{ warn: (fields: object, message: string) => void }>;

/** While something is due: what fails is tried again. */
const AGAIN_MS = 250;
/** While nothing is: what is made meanwhile, and due before it is looked for again, waits this long at most. */
const LONGEST_MS = 1_000;
/** Whatever is known about it: the longest that a thing is late if what reads showed was not what the log says. */
const LOOK_ANYWAY_MS = 15_000;
const PAGE = 100;
const NEVER = '9999-12-31T23:59:59.999Z';

/** What a look has shown: nothing is due before then, as long as reads show no more than they did. */
type Quiet = Readonly<{ until: string; shown: Position; lookedAt: number }>;

/**
 * Makes time pass for things nobody touches. What is due stands in the read model, so nothing is forgotten over a restart
 * and no timer has to be kept; the command's own check of the clock and the expected version make it right.
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
    /** Up to which position of the log reads show everything. */
    private readonly shown: () => Position,
  ) {}

  /** Also after a stop. */
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
      if (!this.isQuiet()) await this.lookOnce(failures).catch((error: unknown) => failures.push(error));
      // One line a round: while a store is away, everything due fails in the same way.
      if (failures.length > 0) {
        const fields = { err: failures[0], sweep: this.sweep.name, failures: failures.length };
        this.log.warn(fields, 'sweep failed, trying again');
      }
      await pause(this.untilNext(), signal);
    }
  }

  /** Where the store is another process, every look costs both of them: so none is made before something can be due. */
  private isQuiet(): boolean {
    if (this.quiet === undefined) return false;
    const { until, shown, lookedAt } = this.quiet;
    return (
      shown === this.shown() && timestamp(this.clock.now()) < until && performance.now() - lookedAt < LOOK_ANYWAY_MS
    );
  }

  private untilNext(): number {
    if (this.quiet === undefined) return AGAIN_MS;
    const left = Date.parse(this.quiet.until) - this.clock.now().getTime();
    return Math.min(Math.max(left, AGAIN_MS), LONGEST_MS);
  }

  private async lookOnce(failures: unknown[]): Promise<void> {
    this.quiet = undefined;
    // Before the look: what is shown while it is under way may not be in it.
    const [shown, lookedAt] = [this.shown(), performance.now()];
    const until = await this.sweepOnce(failures);
    if (until !== undefined) this.quiet = { until, shown, lookedAt };
  }

  /** When the first is due, if none is now. */
  private async sweepOnce(failures: unknown[]): Promise<string | undefined> {
    const now = timestamp(this.clock.now());
    // Most of the time nothing is due, and looking at one document shows it.
    let page = await this.find({ limit: 1 });
    if (this.dueIn(page, now).length === 0) return page.documents.map(this.sweep.dueAt)[0] ?? NEVER;
    page = await this.find({ limit: PAGE });
    for (;;) {
      const due = this.dueIn(page, now);
      await Promise.all(
        due.map((document) => this.sweep.run(document).catch((error: unknown) => failures.push(error))),
      );
      // What could not be done stays in the index: going on behind it keeps it from blocking the rest.
      if (due.length < PAGE || page.next === null || this.stopping.signal.aborted) return undefined;
      page = await this.find({ limit: PAGE, after: page.next });
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
