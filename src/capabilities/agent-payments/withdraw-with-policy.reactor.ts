import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { CommandRunner } from '../../platform/event-store/run-command';
import { ignored, reactorTo } from '../../platform/reacting/reactor';
import { Reactors } from '../../platform/reacting/reactors';
import { type AutomationPolicyEvent } from '../../events/automation-policy.events';
import { type PaymentId } from '../../kernel/aggregates';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { entriesOf } from '../../kernel/persistent-map';
import { policyBudget } from './policy-budget';
import { Reservations } from './reservations';

/**
 * A policy that has ended withdraws what is pending under it, also what was reserved and not made yet; what is signed
 * stays with it. Runs again after a crash in between: what is withdrawn already stays as it is.
 */
@Injectable()
export class WithdrawWithPolicy implements OnModuleInit {
  constructor(
    private readonly reactors: Reactors,
    private readonly commands: CommandRunner,
    private readonly reservations: Reservations,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    const ended = (event: RecordedEvent & AutomationPolicyEvent): Promise<void> => this.withdrawAll(event);
    this.reactors.add(
      reactorTo<'automation_policy'>('withdraw-with-policy', {
        AutomationPolicyCreated: ignored,
        AutomationPolicyChanged: ignored,
        AutomationPolicyOptedIn: ignored,
        AutomationPolicyOptedOut: ended,
        AutomationPolicyRevoked: ended,
        AutomationPolicyReplaced: ended,
        AutomationPolicyDeclined: ignored,
        AutomationPolicyOptInLapsed: ignored,
        AmountReserved: ignored,
        AmountReleased: ignored,
        AmountSettled: ignored,
        AmountBroadcasted: ignored,
        AmountSpentLate: ignored,
      }),
    );
  }

  private async withdrawAll({ data, metadata, version }: RecordedEvent & AutomationPolicyEvent): Promise<void> {
    const { request_id: requestId, actor, event_id: causationId } = metadata;
    const context: CommandContext = { requestId, actor, causationId };
    const { policy_id: policyId } = data;
    const { state } = await this.commands.fold(policyBudget, policyId);
    if (state === null) return;
    // Whoever opted in again meanwhile has not agreed to less for what was reserved since.
    const before = entriesOf(state.open).filter(([, held]) => held.version < version && !held.broadcasted);
    for (const [paymentId, held] of before) {
      await this.reservations.withdraw(policyId, paymentId as PaymentId, held.version, this.now(), context);
    }
  }

  private now(): string {
    return timestamp(this.clock.now());
  }
}
