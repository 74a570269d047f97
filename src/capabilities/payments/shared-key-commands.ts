import { Command } from '@nestjs/cqrs';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { type ConnectionId, type MerchantId, type PaymentId } from '../../kernel/aggregates';

/** A key shared by a connection's payment requests and agent payments, and the agent payment it would make. */
export type SharedKey = Readonly<{
  connectionId: ConnectionId;
  merchantId: MerchantId;
  key: string;
  paymentId: PaymentId;
}>;

/** Prevents payment requests from being made under the key; refused if there is one. */
export class TakeRequestKey extends Command<void> {
  constructor(
    readonly shared: SharedKey,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** Permanently forgoes the agent payment unless it has been made; returns whether it can no longer be made. */
export class ForgoAgentPayment extends Command<boolean> {
  constructor(
    readonly shared: SharedKey,
    readonly context: CommandContext,
  ) {
    super();
  }
}
