import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { causedBy, type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { lateRefusal } from '../../kernel/payment-progress';
import { agentPayment } from './agent-payment';
import { type Report } from './status-report';
import { Reservations } from './reservations';
import { type PaymentId } from '../../kernel/aggregates';

export class ReportAgentPayment extends Command<void> {
  constructor(
    readonly paymentId: PaymentId,
    readonly report: Omit<Report, 'at'>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ReportAgentPayment)
export class ReportAgentPaymentHandler implements ICommandHandler<ReportAgentPayment> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly reservations: Reservations,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ paymentId, report, context }: ReportAgentPayment): Promise<void> {
    const command = { kind: 'report', ...report, at: timestamp(this.clock.now()) } as const;
    const { state, eventId } = await this.commands.run(agentPayment, paymentId, command, context);
    if (state.kind !== 'payment') return;
    await this.reservations.close(state, causedBy(context, eventId));
    // The report is recorded; the refusal says that it came too late.
    const refusal = lateRefusal(report, state);
    if (refusal !== undefined) throw refusal;
  }
}
