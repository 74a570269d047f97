import { type AgentPaymentCreated } from '../../events/agent-payment.events';
import { type PolicyId } from '../../kernel/aggregates';
import { type CommandRunner } from '../../platform/event-store/run-command';
import { type PolicyRefusal, policyRefusalIn } from './nearest-refusal';
import { policyBudget } from './policy-budget';

/** `refusal` is undefined if the policy would permit the payment. */
type PolicyDecision = Readonly<{ policyId: PolicyId; refusal: PolicyRefusal | undefined }>;

/**
 * How each policy would currently decide on a payment, in the given order. They are read in parallel: sequentially, a
 * payment that a hundred policies refuse would wait for a hundred reads of the store.
 */
export async function verdictsOn(
  draft: AgentPaymentCreated['data'],
  policyIds: readonly PolicyId[],
  commands: CommandRunner,
): Promise<readonly PolicyDecision[]> {
  const budgets = await Promise.all(policyIds.map((id) => commands.fold(policyBudget, id)));
  return budgets.map(({ state }, at) => {
    const policyId = policyIds[at] as PolicyId;
    try {
      policyBudget.decide({ kind: 'reserve', policyId, reservationId: 'rsv_none', payment: draft }, state);
      return { policyId, refusal: undefined };
    } catch (error) {
      const refusal = policyRefusalIn(error);
      if (refusal === undefined) throw error;
      return { policyId, refusal };
    }
  });
}
