import { Injectable, type OnModuleInit } from '@nestjs/common';
import { paymentRequests } from '../../../projections/payment-requests.projection';
import { DueSweepers } from '../../platform/reacting/due-sweepers';
import { CommandRunner } from '../../platform/event-store/run-command';
import { paymentRequest } from './payment-request';

/** Records that requests have expired: within a second, and also for those that expired while the service was down. */
@Injectable()
export class ExpireRequests implements OnModuleInit {
  constructor(
    private readonly sweepers: DueSweepers,
    private readonly commands: CommandRunner,
  ) {}

  onModuleInit(): void {
    this.sweepers.addExpiry('expire-payment-requests', paymentRequests, (requestId, at, context) =>
      this.commands.run(paymentRequest, requestId, { kind: 'expire', at }, context),
    );
  }
}
