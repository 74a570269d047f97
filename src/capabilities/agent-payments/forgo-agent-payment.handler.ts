import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { CommandRunner } from '../../platform/event-store/run-command';
import { ForgoAgentPayment } from '../payments/shared-key-commands';
import { agentPayment } from './agent-payment';

@CommandHandler(ForgoAgentPayment)
export class ForgoAgentPaymentHandler implements ICommandHandler<ForgoAgentPayment> {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ shared, context }: ForgoAgentPayment): Promise<boolean> {
    const { connectionId, merchantId, key, paymentId } = shared;
    const forgone = {
      payment_id: paymentId,
      merchant_id: merchantId,
      connection_id: connectionId,
      idempotency_key: key,
      forgone_at: timestamp(this.clock.now()),
    };
    const command = { kind: 'forgo', forgone } as const;
    // No read model shows it, so there is nothing to wait for.
    const { state } = await this.commands.run(agentPayment, paymentId, command, context, { untilReadable: false });
    return state.kind === 'forgone';
  }
}
