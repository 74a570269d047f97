import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { paymentRequests } from '../../projections/payment-requests.projection';
import { DueSweepers } from '../event-store/due-sweepers';
import { CommandRunner } from '../event-store/run-command';
import { CLOCK, type Clock, timestamp } from '../kernel/clock';
import { newId } from '../kernel/ids';
import { paymentRequest } from './payment-request';

/** Records that requests ran out, within a second and also if nobody was there when they did. */
@Injectable()
export class ExpireRequests implements OnModuleInit {
  constructor(
    private readonly sweepers: DueSweepers,
    private readonly commands: CommandRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.sweepers.add({
      name: 'expire-payment-requests',
      collection: paymentRequests,
      index: 'due',
      equals: [true],
      dueAt: ({ expires_at }) => expires_at,
      run: ({ id }) => this.expire(id),
    });
  }

  private async expire(requestId: string): Promise<void> {
    const command = { kind: 'expire', at: timestamp(this.clock.now()) } as const;
    const context = { requestId: newId('req'), actor: { kind: 'service', id: 'expiry' } };
    await this.commands.run(paymentRequest, requestId, command, context);
  }
}
