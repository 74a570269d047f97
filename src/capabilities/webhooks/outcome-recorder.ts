import { pause } from '../../kernel/pause';

/** At most so many in one event. */
const MOST_AT_ONCE = 250;
/** So long is waited for more of them before the first is written, where nobody waits for it. */
const GATHER_MS = 5;
/** And so long where the last append carried several: there are many to come, and each append is synced to disk, projected and told of. */
const GATHER_BUSY_MS = 20;

type Waiting<T> = Readonly<{ item: T; done: (recorded: boolean) => void }>;

/** Gathers what is to be recorded, so that many share one append: whatever comes while one is under way goes with the next. */
export class OutcomeRecorder<T> {
  private waiting: Waiting<T>[] = [];
  private running: Promise<void> | undefined;
  private lastSize = 0;

  constructor(
    /** False when nothing was recorded. */
    private readonly write: (items: readonly T[]) => Promise<boolean>,
    private readonly gatherMs = GATHER_MS,
  ) {}

  /** Sent, and not yet known to be recorded. */
  unrecorded = 0;

  /** True when it is in the log. */
  add(item: T): Promise<boolean> {
    this.unrecorded += 1;
    return new Promise((done) => {
      this.waiting.push({ item, done });
      this.running ??= this.run();
    });
  }

  /** Resolves when all that was added is recorded, or given up. */
  async settled(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
      if (this.waiting.length < MOST_AT_ONCE)
        await pause(this.lastSize > 1 ? Math.max(GATHER_BUSY_MS, this.gatherMs) : this.gatherMs);
      const batch = this.waiting.splice(0, MOST_AT_ONCE);
      this.lastSize = batch.length;
      const recorded = await this.write(batch.map(({ item }) => item)).catch(() => false);
      this.unrecorded -= batch.length;
      // Before anybody hears of it, who may add the next.
      if (this.waiting.length === 0) this.running = undefined;
      for (const { done } of batch) done(recorded);
      if (this.running === undefined) return;
    }
  }
}
