import { Inject, Injectable } from '@nestjs/common';
import { type Response } from 'express';
import { type Logger } from 'pino';
import { endsWithin } from '../../kernel/pause';
import { LOGGER } from '../../platform/logging/logger';

const MAX_WAITING = 1_000;
const SETTLE_TIMEOUT_MS = 1_000;

/**
 * Work that must neither delay a response nor show in its duration: it starts when the response has left. Nobody waits
 * for it, so failures end in the log, and after a crash the caller has to ask again.
 */
@Injectable()
export class AfterAnswer {
  private readonly running = new Set<Promise<void>>();

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  run(response: Response, name: string, work: () => Promise<void>): void {
    if (response.closed) this.start(name, work);
    else response.once('close', () => this.start(name, work));
  }

  /** At shutdown: finishes pending work within SETTLE_TIMEOUT_MS. */
  async settle(): Promise<void> {
    await endsWithin(SETTLE_TIMEOUT_MS, Promise.all(this.running));
  }

  private start(name: string, work: () => Promise<void>): void {
    if (this.running.size >= MAX_WAITING) {
      this.logger.warn({ work: name }, 'too much work is queued: this was dropped');
      return;
    }
    const done = work()
      .catch((error: unknown) => this.logger.warn({ work: name, err: error }, 'work after an answer failed'))
      .finally(() => this.running.delete(done));
    this.running.add(done);
  }
}
