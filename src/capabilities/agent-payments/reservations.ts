import { Inject, Injectable } from '@nestjs/common';
import { causedBy, type CommandContext } from '../../platform/event-store/event-codec';
import { EVENT_STORE, type EventStore } from '../../platform/event-store/event-store.port';
import { CommandRunner } from '../../platform/event-store/run-command';
import { streamName } from '../../platform/event-store/stream-name';
import { type DataOf } from '../../events';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { newId } from '../../kernel/ids';
import { lookUp } from '../../kernel/persistent-map';
import { agentPayment, type AgentPaymentState, type KnownPayment, madeIn } from './agent-payment';
import { type AgentPaymentCreated } from '../../events/agent-payment.events';
import { policyBudget } from './policy-budget';
import { type PaymentId, type PolicyId, type ReservationId } from '../../kernel/aggregates';

export type Placed = Readonly<{ payment: KnownPayment; isNew: boolean }>;

type Held = Readonly<{ policyId: PolicyId; paymentId: PaymentId; reservationId: ReservationId }>;

/**
 * A payment under a policy spans two streams: the amount is reserved in the policy's, then the payment is created in
 * its own. Either step may be repeated by anyone at any time, so a crash in between only causes a short delay.
 */
@Injectable()
export class Reservations {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(EVENT_STORE) private readonly store: Pick<EventStore, 'readStream'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Throws a refusal if the policy does not permit it. */
  async place(policyId: PolicyId, draft: AgentPaymentCreated['data'], context: CommandContext): Promise<Placed> {
    const reservationId = newId('rsv');
    const command = { kind: 'reserve', policyId, reservationId, payment: draft } as const;
    const { state, events, eventId } = await this.commands.run(policyBudget, policyId, command, context);
    const held = state && lookUp(state.open, draft.payment_id);
    const cause = causedBy(context, events.length > 0 ? eventId : null);
    // Another call with the same key may already have reserved the amount; this call then completes the same payment.
    const isOthers = held && held.reservationId !== reservationId;
    const created = isOthers
      ? await this.reserved(policyId, held.version)
      : { ...draft, policy_id: policyId, reservation_id: reservationId };
    const payment = madeIn(await this.complete(created, cause));
    return { payment, isNew: payment.reservationId === reservationId };
  }

  /** The payment as the policy permitted it: since then the recipient may have another version. */
  private async reserved(policyId: PolicyId, version: number): Promise<AgentPaymentCreated['data']> {
    const [event] = await this.store.readStream(streamName('automation_policy', policyId), version - 1, 1);
    return (event?.data as DataOf<'AmountReserved'>).payment;
  }

  /** Those of the policies that already hold an amount for this payment. */
  async holdersAmong(policyIds: readonly PolicyId[], paymentId: PaymentId): Promise<readonly PolicyId[]> {
    const budgets = await Promise.all(policyIds.map((id) => this.commands.fold(policyBudget, id)));
    return policyIds.filter((_, at) => {
      const state = budgets[at]?.state;
      return state && lookUp(state.open, paymentId) !== undefined;
    });
  }

  /** Creates the payment an amount was reserved for, unless it exists. Releases an amount that was reserved in vain. */
  async complete(created: AgentPaymentCreated['data'], context: CommandContext): Promise<AgentPaymentState> {
    const { payment_id: paymentId, policy_id: policyId, reservation_id: reservationId } = created;
    const { state } = await this.commands.run(agentPayment, paymentId, { kind: 'create', created }, context);
    if (policyId === null || reservationId === null) return state;
    if (state.kind === 'payment' && state.reservationId === reservationId) await this.close(state, context);
    else await this.release({ policyId, paymentId, reservationId }, 'not_used', context);
    return state;
  }

  /** Withdraws a payment that nobody has signed; one that was reserved and not made yet is made first. */
  async withdraw(
    policyId: PolicyId,
    paymentId: PaymentId,
    reservedIn: number,
    at: string,
    context: CommandContext,
  ): Promise<void> {
    const made = await this.complete(await this.reserved(policyId, reservedIn), context);
    if (made.kind !== 'payment') return;
    const command = { kind: 'withdraw', by: 'service', reason: null, at } as const;
    const { state } = await this.commands.run(agentPayment, paymentId, command, context);
    if (state.kind === 'payment') await this.close(state, context);
  }

  /** Records in the policy's stream what has become of the amount: on its way, paid, released, or paid all the same. */
  async close(payment: KnownPayment, context: CommandContext): Promise<void> {
    const { status, policyId, paymentId, reservationId, amount, hasMovedLate } = payment;
    if (policyId === null || reservationId === null) return;
    const held = { policyId, paymentId, reservationId };
    if (status === 'failed' || status === 'rejected' || status === 'expired') await this.release(held, status, context);
    const at = this.now();
    if (status === 'broadcasted' || status === 'confirmed') {
      const kind = status === 'confirmed' ? 'settle' : 'broadcast';
      await this.commands.run(policyBudget, policyId, { kind, ...held, at }, context);
    }
    if (hasMovedLate)
      await this.commands.run(policyBudget, policyId, { kind: 'spend-late', ...held, amount, at }, context);
  }

  private async release(
    held: Held,
    reason: 'failed' | 'rejected' | 'expired' | 'not_used',
    context: CommandContext,
  ): Promise<void> {
    const command = { kind: 'release', ...held, reason, at: this.now() } as const;
    await this.commands.run(policyBudget, held.policyId, command, context);
  }

  private now(): string {
    return timestamp(this.clock.now());
  }
}
