import { pause } from '../../kernel/pause';

/** The most outcomes in one event. */
const MAX_BATCH_SIZE = 250;
/** How long to wait for more of them before writing the first. */
const BATCH_DELAY_MS = 5;
/** The same if the last append carried several: more will follow, and each append is synced to disk and projected. */
const BUSY_BATCH_DELAY_MS = 20;

type Waiting<T> = Readonly<{ item: T; done: (recorded: boolean) => void }>;

/** Batches outcomes, so that many share one append: those that arrive while one is in flight go with the next. */
export class OutcomeRecorder<T> {
  private waiting: Waiting<T>[] = [];
  private running: Promise<void> | undefined;
  private lastSize = 0;

  constructor(
    /** False if nothing was recorded. */
    private readonly write: (items: readonly T[]) => Promise<boolean>,
    private readonly batchDelayMs = BATCH_DELAY_MS,
  ) {}

  /** How many outcomes are not yet known to be recorded. */
  unrecorded = 0;

  /** True once it is in the log. */
  add(item: T): Promise<boolean> {
    this.unrecorded += 1;
    return new Promise((done) => {
      this.waiting.push({ item, done });
      this.running ??= this.run();
    });
  }

  /** Resolves when everything added is recorded, or given up. */
  async settled(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
      if (this.waiting.length < MAX_BATCH_SIZE)
        await pause(this.lastSize > 1 ? Math.max(BUSY_BATCH_DELAY_MS, this.batchDelayMs) : this.batchDelayMs);
      const batch = this.waiting.splice(0, MAX_BATCH_SIZE);
      this.lastSize = batch.length;
      const recorded = await this.write(batch.map(({ item }) => item)).catch(() => false);
      this.unrecorded -= batch.length;
      // Reset this before notifying the callers, which may add the next outcome.
      if (this.waiting.length === 0) this.running = undefined;
      for (const { done } of batch) done(recorded);
      if (this.running === undefined) return;
    }
  }
}
