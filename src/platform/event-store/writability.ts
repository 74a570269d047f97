import { pause } from '../../kernel/pause';
import { StoreUnavailable } from './event-store.port';

const PROBE_INTERVAL_MS = 250;

/**
 * Whether an append would succeed. Every append reports its outcome; after a failure the store is probed until it takes
 * writes again, so that waiting callers need not probe it with writes of their own.
 */
export class Writability {
  private passing = true;
  private trying: Promise<void> | undefined;
  private readonly ending = new AbortController();

  /** @param attempt resolves when a write would succeed, and leaves nothing behind */
  constructor(private readonly attempt: () => Promise<void>) {}

  get now(): boolean {
    return this.passing;
  }

  /** Records the outcome of an append. Only StoreUnavailable counts against the store. */
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

  /** Probes now; rejects as the attempt does. */
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
      await pause(PROBE_INTERVAL_MS, signal);
      if (signal.aborted || this.now) return;
      await this.check().catch(() => undefined);
    }
  }
}
