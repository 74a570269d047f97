import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { automationPolicies } from '../../../projections/automation-policies.projection';
import { CommandRunner } from '../../platform/event-store/run-command';
import { LOGGER } from '../../platform/logging/logger';
import { type PageCursor, READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { policyBudget } from './policy-budget';

const PAGE_SIZE = 100;

/**
 * After a start, reads the budgets of policies with a long history before an agent needs them. Runs once, alongside the
 * first calls; nothing waits for it and nothing breaks without it.
 */
@Injectable()
export class WarmBudgets {
  private readonly stopping = new AbortController();
  private reading: Promise<void> = Promise.resolve();

  constructor(
    private readonly commands: CommandRunner,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  start(): void {
    const { signal } = this.stopping;
    this.reading = this.read(signal).catch((error: unknown) => {
      if (signal.aborted) return;
      this.logger.warn({ err: error }, 'budgets could not be preloaded: the first callers will wait instead');
    });
  }

  /** For callers that need to know when it has finished. */
  settled(): Promise<void> {
    return this.reading;
  }

  /** Does not wait: a long read ends when it finds the store closed. */
  stop(): void {
    this.stopping.abort();
  }

  private async read(signal: AbortSignal): Promise<void> {
    for (let after: PageCursor | null | undefined; after !== null;) {
      const page = { limit: PAGE_SIZE, order: 'desc', after } as const;
      const { documents, next } = await this.readModel.find(automationPolicies, 'long', [true], page);
      for (const { id, status } of documents) {
        if (status === 'active') await this.commands.fold(policyBudget, id);
        if (signal.aborted) return;
      }
      after = next;
    }
  }
}
