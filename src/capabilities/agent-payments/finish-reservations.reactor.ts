import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { Reactors } from '../../platform/reacting/reactors';
import { CommandRunner } from '../../platform/event-store/run-command';
import { agentPayment } from './agent-payment';
import { type AgentPaymentEvent } from '../../events/agent-payment.events';
import { Reservations } from './reservations';
import { ignored, reactorTo } from '../../platform/reacting/reactor';

/** Completes what a call left half done when its process died: a payment not yet made, an amount not yet released. */
@Injectable()
export class FinishReservations implements OnModuleInit {
  constructor(
    private readonly reactors: Reactors,
    private readonly commands: CommandRunner,
    private readonly reservations: Reservations,
  ) {}

  onModuleInit(): void {
    const moved = (event: RecordedEvent & AgentPaymentEvent): Promise<void> => this.close(event);
    this.reactors.add(
      reactorTo<'agent_payment' | 'automation_policy'>('finish-reservations', {
        AgentPaymentCreated: ignored,
        AgentPaymentRefused: ignored,
        AgentPaymentForgone: ignored,
        AgentPaymentSigned: ignored,
        AgentPaymentBroadcasted: moved,
        AgentPaymentConfirmed: moved,
        AgentPaymentFailed: moved,
        AgentPaymentRejected: moved,
        AgentPaymentExpired: moved,
        AgentPaymentWithdrawn: moved,
        AgentPaymentLateReport: moved,
        AgentPaymentSettlementObserved: ignored,
        AgentPaymentSettlementCheckRequested: ignored,
        AutomationPolicyCreated: ignored,
        AutomationPolicyChanged: ignored,
        AutomationPolicyOptedIn: ignored,
        AutomationPolicyOptedOut: ignored,
        AutomationPolicyRevoked: ignored,
        AutomationPolicyReplaced: ignored,
        AutomationPolicyDeclined: ignored,
        AutomationPolicyOptInLapsed: ignored,
        AmountReserved: async (event) => {
          await this.reservations.complete(event.data.payment, contextAfter(event));
        },
        AmountReleased: ignored,
        AmountSettled: ignored,
        AmountBroadcasted: ignored,
        AmountSpentLate: ignored,
      }),
    );
  }

  private async close(event: RecordedEvent & AgentPaymentEvent): Promise<void> {
    const { state } = await this.commands.fold(agentPayment, event.data.payment_id);
    if (state.kind === 'payment') await this.reservations.close(state, contextAfter(event));
  }
}

const contextAfter = ({ metadata }: RecordedEvent): CommandContext => {
  const { request_id: requestId, actor, event_id: causationId } = metadata;
  return { requestId, actor, causationId };
};
