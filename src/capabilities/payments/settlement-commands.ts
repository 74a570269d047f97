import { Command } from '@nestjs/cqrs';
import { type Observation } from '../../kernel/settlement';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { type PaymentId } from '../../kernel/aggregates';

/** The finding of a lookup on the network, which the payment records if it is new. */
class RecordSettlement<Id extends string> extends Command<void> {
  constructor(
    readonly paymentId: Id,
    readonly observation: Observation,
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
