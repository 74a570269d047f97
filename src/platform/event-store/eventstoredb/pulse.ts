const LOOK_EVERY_MS = 200;

/** One request to a node, from when it was sent. */
export type Question = Readonly<{ heard(): void; end(): void }>;

/**
 * Whether a node still answers. Not every answer has to come soon: while many requests wait, some are answered. A node
 * that owes answers but has sent none at all for `patienceMs` is considered dead, long before its connection is.
 */
export class Pulse {
  /** Whether the node ever answered. */
  wasHeard = false;
  private readonly open = new Map<Question, number>();
  private heardAt = -Infinity;
  private lookedAt = 0;
  private looking: NodeJS.Timeout | undefined;

  constructor(
    private readonly patienceMs: number,
    private readonly onSilence: () => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  ask(): Question {
    const question: Question = {
      heard: () => {
        this.wasHeard = true;
        this.heardAt = this.now();
      },
      end: () => {
        this.open.delete(question);
        if (this.open.size === 0) this.stop();
      },
    };
    this.open.set(question, this.now());
    if (this.looking === undefined) {
      this.lookedAt = this.now();
      this.looking = setInterval(() => this.look(), LOOK_EVERY_MS).unref();
    }
    return question;
  }

  stop(): void {
    clearInterval(this.looking);
    this.looking = undefined;
  }

  look(): void {
    const now = this.now();
    const lateBy = now - this.lookedAt - LOOK_EVERY_MS;
    this.lookedAt = now;
    // This process was suspended: answers may be waiting unread.
    if (lateBy > LOOK_EVERY_MS) this.heardAt = now;
    const [oldest = now] = this.open.values();
    if (now - Math.max(oldest, this.heardAt) < this.patienceMs) return;
    this.stop();
    this.onSilence();
  }
}
