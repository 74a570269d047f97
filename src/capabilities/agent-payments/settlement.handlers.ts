import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../platform/event-store/run-command';
import { RecordAgentPaymentSettlement } from '../payments/settlement-commands';
import { agentPayment } from './agent-payment';

@CommandHandler(RecordAgentPaymentSettlement)
export class RecordAgentPaymentSettlementHandler implements ICommandHandler<RecordAgentPaymentSettlement> {
  constructor(private readonly commands: CommandRunner) {}

  async execute({ paymentId, observation, context }: RecordAgentPaymentSettlement): Promise<void> {
    const command = { kind: 'observe-settlement', ...observation } as const;
    await this.commands.run(agentPayment, paymentId, command, context);
  }
}
