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

class RequestCheck<Id extends string> extends Command<void> {
  constructor(
    readonly paymentId: Id,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** Looks a reported transaction up again. */
export class RequestSettlementCheck extends RequestCheck<string> {}
export class RequestAgentPaymentCheck extends RequestCheck<PaymentId> {}
