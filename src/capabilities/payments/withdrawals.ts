import { Command } from '@nestjs/cqrs';
import { type Withdrawer } from '../../kernel/payment-progress';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { type PaymentId } from '../../kernel/aggregates';

/**
 * Takes back what nobody has signed yet. Of what has ended or was signed, the service withdraws nothing, and anybody
 * else is refused.
 */
class Withdraw<Id extends string> extends Command<void> {
  constructor(
    /** The id of the payment's stream. */
    readonly paymentId: Id,
    readonly by: Withdrawer,
    readonly reason: string | null,
    readonly context: CommandContext,
  ) {
    super();
  }
}

export class WithdrawPaymentRequest extends Withdraw<string> {}
export class WithdrawAgentPayment extends Withdraw<PaymentId> {}
