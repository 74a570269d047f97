import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { assertWithdrawn } from '../../kernel/payment-progress';
import { causedBy } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { WithdrawAgentPayment } from '../payments/withdrawals';
import { agentPayment } from './agent-payment';
import { Reservations } from './reservations';

@CommandHandler(WithdrawAgentPayment)
export class WithdrawAgentPaymentHandler implements ICommandHandler<WithdrawAgentPayment> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly reservations: Reservations,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ paymentId, by, reason, context }: WithdrawAgentPayment): Promise<void> {
    const command = { kind: 'withdraw', by, reason, at: timestamp(this.clock.now()) } as const;
    const { state, eventId } = await this.commands.run(agentPayment, paymentId, command, context);
    if (state.kind !== 'payment') return;
    // What was reserved for it is given back at once; after a crash in between, the reactor does it.
    await this.reservations.close(state, causedBy(context, eventId));
    if (by !== 'service') assertWithdrawn(state);
  }
}
