import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { agentPayments } from '../../projections/agent-payments.projection';
import { DueSweepers } from '../event-store/due-sweepers';
import { CommandRunner } from '../event-store/run-command';
import { CLOCK, type Clock, timestamp } from '../kernel/clock';
import { newId } from '../kernel/ids';
import { agentPayment } from './agent-payment';
import { Reservations } from './reservations';

/** Records that payments ran out, within a second and also if nobody was there when they did. */
@Injectable()
export class ExpirePayments implements OnModuleInit {
  constructor(
    private readonly sweepers: DueSweepers,
    private readonly commands: CommandRunner,
    private readonly reservations: Reservations,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.sweepers.add({
      name: 'expire-agent-payments',
      collection: agentPayments,
      index: 'due',
      equals: [true],
      dueAt: ({ expires_at }) => expires_at,
      run: ({ id }) => this.expire(id),
    });
  }

  private async expire(paymentId: string): Promise<void> {
    const command = { kind: 'expire', at: timestamp(this.clock.now()) } as const;
    const context = { requestId: newId('req'), actor: { kind: 'service', id: 'expiry' } };
    const { state } = await this.commands.run(agentPayment, paymentId, command, context);
    if (state.kind === 'payment') await this.reservations.close(state, context);
  }
}
