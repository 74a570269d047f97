import { type Logger } from 'pino';

/** Something that runs until it is stopped, and can be started again after that. */
export type Part = Readonly<{ start(): void | Promise<void>; stop(): Promise<void> }>;

const LOOK_EVERY_MS = 100;
const AFTER_FAILURE_MS = 1_000;

/**
 * What only one instance does at a time: it begins when this instance begins to lead, and ends when it ceases to. Each part
 * also looks for itself, before each step, whether this instance still leads; so that ending may take its time.
 */
export class BackgroundWork {
  private running = false;
  private retiring = false;
  private changing: Promise<void> | undefined;
  private looking: NodeJS.Timeout | undefined;
  private notBefore = 0;

  constructor(
    private readonly leads: () => boolean,
    /** Speaks to the outside world, and is therefore the first to stop. */
    private readonly sending: Part,
    /** In the order in which they start. */
    private readonly others: readonly Part[],
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  async start(): Promise<void> {
    await this.adjust();
    this.looking = setInterval(() => void this.adjust(), LOOK_EVERY_MS).unref();
  }

  /** Sends nothing any more and begins nothing; the rest goes on until stop, for those who are still being answered. */
  async retire(): Promise<void> {
    this.retiring = true;
    clearInterval(this.looking);
    await this.changing;
    await this.sending.stop();
  }

  async stop(): Promise<void> {
    await this.retire();
    await this.end();
  }

  private adjust(): Promise<void> {
    this.changing ??= this.change().finally(() => (this.changing = undefined));
    return this.changing;
  }

  private async change(): Promise<void> {
    const wanted = this.leads() && !this.retiring;
    if (wanted === this.running || (wanted && performance.now() < this.notBefore)) return;
    if (wanted) await this.begin();
    else await this.end();
  }

  private async begin(): Promise<void> {
    try {
      this.running = true;
      for (const part of [this.sending, ...this.others]) await part.start();
    } catch (error) {
      this.log.warn({ err: error }, 'background work could not begin, trying again');
      this.notBefore = performance.now() + AFTER_FAILURE_MS;
      await this.end();
    }
  }

  private async end(): Promise<void> {
    await this.sending.stop();
    for (const part of [...this.others].reverse()) await part.stop();
    this.running = false;
  }
}
