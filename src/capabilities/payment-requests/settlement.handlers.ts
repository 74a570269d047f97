import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { CommandRunner } from '../../platform/event-store/run-command';
import { RecordRequestSettlement, RequestSettlementCheck } from '../payments/settlement-commands';
import { paymentRequest } from './payment-request';

@CommandHandler(RecordRequestSettlement)
export class RecordRequestSettlementHandler implements ICommandHandler<RecordRequestSettlement> {
  constructor(private readonly commands: CommandRunner) {}

  async execute({ paymentId, observation, context }: RecordRequestSettlement): Promise<void> {
    const command = { kind: 'observe-settlement', ...observation } as const;
    await this.commands.run(paymentRequest, paymentId, command, context);
  }
}

@CommandHandler(RequestSettlementCheck)
export class RequestSettlementCheckHandler implements ICommandHandler<RequestSettlementCheck> {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ paymentId, context }: RequestSettlementCheck): Promise<void> {
    const command = { kind: 'request-settlement-check', at: timestamp(this.clock.now()) } as const;
    await this.commands.run(paymentRequest, paymentId, command, context);
  }
}
