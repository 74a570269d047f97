import { pause } from '../../kernel/pause';
import { StoreUnavailable } from './event-store.port';

const TRY_EVERY_MS = 250;

/**
 * Whether an append would pass. Every append tells what became of it; after one that failed the store is tried until it
 * takes writes again, so that those who wait for that need not try with something of their own.
 */
export class Writability {
  private passing = true;
  private trying: Promise<void> | undefined;
  private readonly ending = new AbortController();

  /** @param attempt resolves when a write would pass, and leaves nothing behind */
  constructor(private readonly attempt: () => Promise<void>) {}

  get now(): boolean {
    return this.passing;
  }

  /** An append, told as it came out. Only the store's absence speaks against the store. */
  async watch<T>(append: Promise<T>): Promise<T> {
    try {
      const result = await append;
      this.passing = true;
      return result;
    } catch (error) {
      if (error instanceof StoreUnavailable) this.lost();
      throw error;
    }
  }

  /** Tries now; rejects as the attempt does. */
  check(): Promise<void> {
    return this.watch(this.attempt());
  }

  end(): void {
    this.ending.abort();
  }

  private lost(): void {
    this.passing = false;
    this.trying ??= this.untilPassing().finally(() => (this.trying = undefined));
  }

  private async untilPassing(): Promise<void> {
    const { signal } = this.ending;
    while (!this.passing && !signal.aborted) {
      await pause(TRY_EVERY_MS, signal);
      if (signal.aborted || this.now) return;
      await this.check().catch(() => undefined);
    }
  }
}
