import { Injectable } from '@nestjs/common';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { agentPayment } from './agent-payment';
import { type AgentPaymentCreated } from '../../events/agent-payment.events';
import { asHitlRefusal, nearestRefusal, type PolicyRefusal, policyRefusalIn } from './nearest-refusal';
import { PolicyChooser } from './policy-chooser';
import { verdictsOn } from './policy-verdicts';
import { type Placed, Reservations } from './reservations';
import { type PolicyId } from '../../kernel/aggregates';

type Draft = AgentPaymentCreated['data'];

/** Payments an agent makes alone: under the policy it names, or under the oldest one that permits it. */
@Injectable()
export class OnePaymentAtATime {
  constructor(
    private readonly commands: CommandRunner,
    private readonly policies: PolicyChooser,
    private readonly reservations: Reservations,
  ) {}

  async place(draft: Draft, policyId: PolicyId | undefined, context: CommandContext): Promise<Placed> {
    const candidates = policyId === undefined ? await this.candidatesFor(draft) : [policyId];
    const refusals: PolicyRefusal[] = [];
    // A named policy, or a single candidate, is asked directly.
    const verdicts = candidates.length < 2 ? [] : await verdictsOn(draft, candidates, this.commands);
    for (const [at, candidate] of candidates.entries()) {
      const refused = verdicts[at]?.refusal;
      if (refused !== undefined) {
        refusals.push(refused);
        continue;
      }
      // The budget may lack the amount because a call with the same key took it; do not take it again elsewhere.
      if (refusals.length > 0 && (await this.isMade(draft))) break;
      try {
        return await this.reservations.place(candidate, draft, context);
      } catch (error) {
        const refusal = policyRefusalIn(error);
        if (refusal === undefined) throw error;
        refusals.push(refusal);
      }
    }
    return this.refuseUnlessMade(draft, nearestRefusal(refusals), context);
  }

  /** Policies where an earlier call with the same key reserved the amount come first: that decision is kept. */
  private async candidatesFor(draft: Draft): Promise<readonly PolicyId[]> {
    const inForce = await this.policies.inForceFor(draft);
    if (draft.idempotency_key === null || inForce.length < 2) return inForce;
    const holders = await this.reservations.holdersAmong(inForce, draft.payment_id);
    return [...new Set([...holders, ...inForce])];
  }

  private async isMade({ payment_id, idempotency_key }: Draft): Promise<boolean> {
    if (idempotency_key === null) return false;
    return (await this.commands.fold(agentPayment, payment_id)).state.kind === 'payment';
  }

  /** A single append decides between the two, so that no refusal is recorded or returned alongside a payment. */
  private async refuseUnlessMade(draft: Draft, refusal: PolicyRefusal, context: CommandContext): Promise<Placed> {
    const { payment_id, merchant_id, api_key_id, connection_id, recipient_id, amount, intent_digest } = draft;
    const refused = {
      ...{ payment_id, merchant_id, api_key_id, connection_id, policy_id: refusal.policyId, recipient_id },
      network: draft.facts.network,
      asset: draft.facts.asset,
      amount,
      intent_digest,
      triggered_thresholds: refusal.triggered,
      refused_at: draft.created_at,
      idempotency_key: draft.idempotency_key,
      ...(refusal.revision === undefined ? {} : { policy_revision: refusal.revision }),
    };
    const { state } = await this.commands.run(agentPayment, payment_id, { kind: 'refuse', refused }, context);
    if (state.kind !== 'payment') throw asHitlRefusal(refusal);
    return { payment: state, isNew: false };
  }
}
