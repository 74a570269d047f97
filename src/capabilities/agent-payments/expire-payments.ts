import { Injectable, type OnModuleInit } from '@nestjs/common';
import { agentPayments } from '../../../projections/agent-payments.projection';
import { causedBy } from '../../platform/event-store/event-codec';
import { DueSweepers } from '../../platform/reacting/due-sweepers';
import { CommandRunner } from '../../platform/event-store/run-command';
import { agentPayment } from './agent-payment';
import { Reservations } from './reservations';

/** Records that payments have expired: within a second, and also for those that expired while the service was down. */
@Injectable()
export class ExpirePayments implements OnModuleInit {
  constructor(
    private readonly sweepers: DueSweepers,
    private readonly commands: CommandRunner,
    private readonly reservations: Reservations,
  ) {}

  onModuleInit(): void {
    this.sweepers.addExpiry('expire-agent-payments', agentPayments, async (paymentId, at, context) => {
      const { state, eventId } = await this.commands.run(agentPayment, paymentId, { kind: 'expire', at }, context);
      if (state.kind === 'payment') await this.reservations.close(state, causedBy(context, eventId));
    });
  }
}
