import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { LOGGER } from '../logging/logger';

/** Reads ahead what would make the first caller wait. When the signal aborts, it may be left alone with closed stores. */
export type WarmUp = Readonly<{ name: string; run(signal: AbortSignal): Promise<void> }>;

/**
 * Where capabilities hand in what is worth having in memory, in onModuleInit. It is done once, beside the first calls;
 * nothing waits for it and nothing is wrong without it.
 */
@Injectable()
export class WarmUps {
  private readonly warmUps: WarmUp[] = [];
  private readonly stopping = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  add(warmUp: WarmUp): void {
    this.warmUps.push(warmUp);
  }

  start(): void {
    this.running = Promise.all(this.warmUps.map((warmUp) => this.runOne(warmUp)));
  }

  /** Also for those who want to know when it is over. */
  settled(): Promise<unknown> {
    return this.running;
  }

  /** Does not wait: a long read ends when it finds its store closed. */
  stop(): void {
    this.stopping.abort();
  }

  private async runOne({ name, run }: WarmUp): Promise<void> {
    try {
      await run(this.stopping.signal);
    } catch (error) {
      if (this.stopping.signal.aborted) return;
      this.logger.warn({ err: error, warm_up: name }, 'warm-up failed, the first callers will wait instead');
    }
  }
}
