import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type AmountReserved } from '../../events/automation-policy.events';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { Reactors } from '../../platform/reacting/reactors';
import { CommandRunner } from '../../platform/event-store/run-command';
import { agentPayment } from './agent-payment';
import { type AgentPaymentEvent } from '../../events/agent-payment.events';
import { Reservations } from './reservations';
import { type PaymentId } from '../../kernel/aggregates';

const ENDINGS: readonly AgentPaymentEvent['type'][] = [
  'AgentPaymentConfirmed',
  'AgentPaymentFailed',
  'AgentPaymentRejected',
  'AgentPaymentExpired',
];

const isReserved = (event: RecordedEvent): event is RecordedEvent & AmountReserved => event.type === 'AmountReserved';

/** Finishes what a call left half-way when its process died: a payment not yet made, an amount not yet given back. */
@Injectable()
export class FinishReservations implements OnModuleInit {
  constructor(
    private readonly reactors: Reactors,
    private readonly commands: CommandRunner,
    private readonly reservations: Reservations,
  ) {}

  onModuleInit(): void {
    const types = ['AmountReserved', ...ENDINGS];
    this.reactors.add({ name: 'finish-reservations', types, react: (event) => this.react(event) });
  }

  private async react(event: RecordedEvent): Promise<void> {
    const { request_id: requestId, actor, event_id: causationId } = event.metadata;
    const context: CommandContext = { requestId, actor, causationId };
    if (isReserved(event)) await this.reservations.complete(event.data.payment, context);
    else {
      const { payment_id: paymentId } = event.data as { payment_id: PaymentId };
      const { state } = await this.commands.fold(agentPayment, paymentId);
      if (state.kind === 'payment') await this.reservations.close(state, context);
    }
  }
}
