import { type Position } from '../event-store/event-store.port';
import { pause } from '../../kernel/pause';
import { type ReadModelStore } from '../read-model/read-model.port';

/** How long a leader trusts that the read model is unchanged; a takeover, which may reset it, takes longer. */
const UNCHANGED_FOR_MS = 1_000;
/** Without events, reads show what a reset has left for so long before they wait for the rebuild. */
const CHECK_INTERVAL_MS = 2_000;

/** Whether the read model is as this instance left it or further on: others may reset it, or restore an older one. */
export class ReadModelCheck {
  private checkedAt = -Infinity;

  constructor(
    private readonly model: ReadModelStore,
    private readonly fingerprint: string,
  ) {}

  /** How far it is now; undefined if others changed it. */
  async checkpoint(leftAt: Position): Promise<Position | undefined> {
    const { fingerprint, position } = await this.model.state();
    return fingerprint === this.fingerprint && position >= leftAt ? position : undefined;
  }

  /** For a leader, which asks before each batch: an answer is good for a while. */
  async isUnchanged(leftAt: Position): Promise<boolean> {
    const now = performance.now();
    if (now - this.checkedAt <= UNCHANGED_FOR_MS) return true;
    const isUnchanged = (await this.checkpoint(leftAt)) !== undefined;
    if (isUnchanged) this.checkedAt = now;
    return isUnchanged;
  }

  invalidate(): void {
    this.checkedAt = -Infinity;
  }

  /** Ends when others changed it, or on abort. Only batches would tell otherwise, and there may be none for hours. */
  async untilChanged(leftAt: () => Position, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(CHECK_INTERVAL_MS, signal);
      const expected = leftAt();
      // While the read store is unavailable, nothing is known.
      const found = signal.aborted ? expected : await this.checkpoint(expected).catch(() => expected);
      if (found === undefined) return;
    }
  }
}
