import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { idFor } from '../../kernel/aggregates';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { CommandRunner } from '../../platform/event-store/run-command';
import { TakeRequestKey } from '../payments/shared-key-commands';
import { paymentRequest } from './payment-request';

@CommandHandler(TakeRequestKey)
export class TakeRequestKeyHandler implements ICommandHandler<TakeRequestKey> {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ shared, context }: TakeRequestKey): Promise<void> {
    const { connectionId, merchantId, key, paymentId } = shared;
    const taken = {
      connection_id: connectionId,
      merchant_id: merchantId,
      idempotency_key: key,
      payment_id: paymentId,
      taken_at: timestamp(this.clock.now()),
    };
    const keyed = idFor.requestOfKey(connectionId, key);
    // No read model shows it, so there is nothing to wait for.
    await this.commands.run(paymentRequest, keyed, { kind: 'take-key', taken }, context, { untilReadable: false });
  }
}
