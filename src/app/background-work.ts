import { type Logger } from 'pino';

/** Something that runs until it is stopped, and can be started again after that. */
export type Part = Readonly<{ start(): void | Promise<void>; stop(): Promise<void> }>;

const LOOK_EVERY_MS = 100;
const AFTER_FAILURE_MS = 1_000;

/**
 * What one instance does at a time: it begins when this instance begins to lead, and ends when it ceases to. Sending is shared out
 * among instances by itself and begins when this instance may. Each part also looks for itself, before each step, whether that is
 * still so; so that ending may take its time.
 */
export class BackgroundWork {
  private readonly sending: Group;
  private readonly leading: Group;
  private retiring = false;
  private changing: Promise<void> | undefined;
  private looking: NodeJS.Timeout | undefined;

  constructor(
    when: Readonly<{ leads: () => boolean; sends: () => boolean }>,
    /** Speaks to the outside world, and is therefore the first to stop. */
    sending: Part,
    /** In the order in which they start. */
    others: readonly Part[],
    log: Pick<Logger, 'warn'>,
  ) {
    this.sending = new Group(when.sends, [sending], log);
    this.leading = new Group(when.leads, others, log);
  }

  async start(): Promise<void> {
    await this.adjust();
    this.looking = setInterval(() => void this.adjust(), LOOK_EVERY_MS).unref();
  }

  /** Sends nothing any more and begins nothing; the rest goes on until stop, for those who are still being answered. */
  async retire(): Promise<void> {
    this.retiring = true;
    clearInterval(this.looking);
    await this.changing;
    await this.sending.end();
  }

  async stop(): Promise<void> {
    await this.retire();
    await this.leading.end();
  }

  private adjust(): Promise<void> {
    this.changing ??= this.change().finally(() => (this.changing = undefined));
    return this.changing;
  }

  private async change(): Promise<void> {
    for (const group of [this.sending, this.leading]) if (!this.retiring) await group.adjust();
  }
}

/** Parts that begin and end together. */
class Group {
  private running = false;
  private notBefore = 0;

  constructor(
    private readonly isWanted: () => boolean,
    private readonly parts: readonly Part[],
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  async adjust(): Promise<void> {
    const wanted = this.isWanted();
    if (wanted === this.running || (wanted && performance.now() < this.notBefore)) return;
    if (wanted) await this.begin();
    else await this.end();
  }

  async end(): Promise<void> {
    for (const part of [...this.parts].reverse()) await part.stop();
    this.running = false;
  }

  private async begin(): Promise<void> {
    try {
      this.running = true;
      for (const part of this.parts) await part.start();
    } catch (error) {
      this.log.warn({ err: error }, 'background work could not begin, trying again');
      this.notBefore = performance.now() + AFTER_FAILURE_MS;
      await this.end();
    }
  }
}
