import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { CommandRunner } from '../../platform/event-store/run-command';
import { RecordAgentPaymentSettlement, RequestAgentPaymentCheck } from '../payments/settlement-commands';
import { agentPayment } from './agent-payment';

@CommandHandler(RecordAgentPaymentSettlement)
export class RecordAgentPaymentSettlementHandler implements ICommandHandler<RecordAgentPaymentSettlement> {
  constructor(private readonly commands: CommandRunner) {}

  async execute({ paymentId, observation, context }: RecordAgentPaymentSettlement): Promise<void> {
    const command = { kind: 'observe-settlement', ...observation } as const;
    await this.commands.run(agentPayment, paymentId, command, context);
  }
}

@CommandHandler(RequestAgentPaymentCheck)
export class RequestAgentPaymentCheckHandler implements ICommandHandler<RequestAgentPaymentCheck> {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ paymentId, context }: RequestAgentPaymentCheck): Promise<void> {
    const command = { kind: 'request-settlement-check', at: timestamp(this.clock.now()) } as const;
    await this.commands.run(agentPayment, paymentId, command, context);
  }
}
