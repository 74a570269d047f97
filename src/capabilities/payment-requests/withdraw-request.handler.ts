import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { assertWithdrawn } from '../../kernel/payment-progress';
import { CommandRunner } from '../../platform/event-store/run-command';
import { WithdrawPaymentRequest } from '../payments/withdrawals';
import { paymentRequest } from './payment-request';

@CommandHandler(WithdrawPaymentRequest)
export class WithdrawPaymentRequestHandler implements ICommandHandler<WithdrawPaymentRequest> {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ paymentId, by, reason, context }: WithdrawPaymentRequest): Promise<void> {
    const command = { kind: 'withdraw', by, reason, at: timestamp(this.clock.now()) } as const;
    const untilReadable = by !== 'service';
    const { state } = await this.commands.run(paymentRequest, paymentId, command, context, { untilReadable });
    if (by !== 'service' && state.kind === 'request') assertWithdrawn(state);
  }
}
