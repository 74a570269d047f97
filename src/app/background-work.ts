import { type Logger } from 'pino';
import { roughInterval } from '../kernel/rough-pause';

/** Something that runs until it is stopped, and can be started again after that. */
export type Part = Readonly<{ start(): void | Promise<void>; stop(): Promise<void> }>;

const CHECK_INTERVAL_MS = 250;
const RETRY_DELAY_MS = 1_000;

/**
 * Work that one instance does at a time: it starts when this instance becomes the leader, and stops when it no longer
 * is. Sending divides itself among the instances and starts as soon as this instance may. Each part also checks before
 * each step whether it still may run, so stopping need not be immediate.
 */
export class BackgroundWork {
  private readonly sending: Group;
  private readonly leading: Group;
  private retiring = false;
  private changing: Promise<void> | undefined;
  private stopLooking = (): void => undefined;

  constructor(
    when: Readonly<{ leads: () => boolean; sends: () => boolean }>,
    /** Calls other servers, so it stops first. */
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
    this.stopLooking = roughInterval(() => void this.adjust(), CHECK_INTERVAL_MS);
  }

  /** Stops sending and starts nothing new; the rest runs until stop, for requests still in flight. */
  async retire(): Promise<void> {
    this.retiring = true;
    this.stopLooking();
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

/** Parts that start and stop together. */
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
      this.notBefore = performance.now() + RETRY_DELAY_MS;
      await this.end();
    }
  }
}
