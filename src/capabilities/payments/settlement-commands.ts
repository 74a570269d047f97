import { Command } from '@nestjs/cqrs';
import { type Settlement } from '../../kernel/settlement';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { type PaymentId } from '../../kernel/aggregates';

/** What a look at the network found, for the payment to record if it is new. */
class RecordSettlement<Id extends string> extends Command<void> {
  constructor(
    readonly paymentId: Id,
    readonly transactionHash: string,
    readonly settlement: Settlement,
    readonly context: CommandContext,
  ) {
    super();
  }
}

export class RecordRequestSettlement extends RecordSettlement<string> {}
export class RecordAgentPaymentSettlement extends RecordSettlement<PaymentId> {}

export class RequestSettlementCheck extends Command<void> {
  constructor(
    readonly requestId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}
