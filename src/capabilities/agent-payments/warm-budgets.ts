import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { automationPolicies } from '../../../projections/automation-policies.projection';
import { CommandRunner } from '../../platform/event-store/run-command';
import { WarmUps } from '../../platform/reacting/warm-ups';
import { type PageCursor, READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { policyBudget } from './policy-budget';

const PAGE = 100;

/** After a start, reads the budgets of policies with a long past, before an agent asks for them. */
@Injectable()
export class WarmBudgets implements OnModuleInit {
  constructor(
    private readonly warmUps: WarmUps,
    private readonly commands: CommandRunner,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  onModuleInit(): void {
    this.warmUps.add({ name: 'policy-budgets', run: (signal) => this.run(signal) });
  }

  private async run(signal: AbortSignal): Promise<void> {
    for (let after: PageCursor | null | undefined; after !== null;) {
      const page = { limit: PAGE, order: 'desc', after } as const;
      const { documents, next } = await this.readModel.find(automationPolicies, 'long', [true], page);
      for (const { id, status } of documents) {
        if (status === 'active') await this.commands.fold(policyBudget, id);
        if (signal.aborted) return;
      }
      after = next;
    }
  }
}
