const CHECK_INTERVAL_MS = 200;

/** One request to a node, from the moment it was sent. */
export type PendingRequest = Readonly<{ answered(): void; end(): void }>;

/**
 * Detects nodes that no longer answer. A single slow response is no sign of that: while many requests wait, some are
 * answered. A node with pending requests that has sent nothing at all for `timeoutMs` is considered dead, long before
 * its connection is.
 */
export class Pulse {
  /** Whether the node ever answered. */
  hasAnswered = false;
  private readonly open = new Map<PendingRequest, number>();
  private answeredAt = -Infinity;
  private checkedAt = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly timeoutMs: number,
    private readonly onSilence: () => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  ask(): PendingRequest {
    const request: PendingRequest = {
      answered: () => {
        this.hasAnswered = true;
        this.answeredAt = this.now();
      },
      end: () => {
        this.open.delete(request);
        if (this.open.size === 0) this.stop();
      },
    };
    this.open.set(request, this.now());
    if (this.timer === undefined) {
      this.checkedAt = this.now();
      this.timer = setInterval(() => this.check(), CHECK_INTERVAL_MS).unref();
    }
    return request;
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  check(): void {
    const now = this.now();
    const lateBy = now - this.checkedAt - CHECK_INTERVAL_MS;
    this.checkedAt = now;
    // This process was suspended: answers may be waiting unread.
    if (lateBy > CHECK_INTERVAL_MS) this.answeredAt = now;
    const [oldest = now] = this.open.values();
    if (now - Math.max(oldest, this.answeredAt) < this.timeoutMs) return;
    this.stop();
    this.onSilence();
  }
}
