import { Command } from '@nestjs/cqrs';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { type ConnectionId, type MerchantId, type PaymentId } from '../../kernel/aggregates';

/** A key that a connection's payment requests and agent payments have in common, and the agent payment that it would make. */
export type SharedKey = Readonly<{
  connectionId: ConnectionId;
  merchantId: MerchantId;
  key: string;
  paymentId: PaymentId;
}>;

/** Keeps payment requests from being made under the key; refused if one is there. */
export class TakeRequestKey extends Command<void> {
  constructor(
    readonly shared: SharedKey,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** Gives the agent payment up for good, unless it is made: answers whether nothing can be made under it any more. */
export class ForgoAgentPayment extends Command<boolean> {
  constructor(
    readonly shared: SharedKey,
    readonly context: CommandContext,
  ) {
    super();
  }
}
