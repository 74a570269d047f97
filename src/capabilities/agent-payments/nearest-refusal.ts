import { Refusal, refuse } from '../../kernel/errors';
import { type Threshold, THRESHOLDS } from '../../events/agent-payment.events';
import { type PolicyId } from '../../kernel/aggregates';

/** What one policy, or the lack of any, has against a payment that an agent wants to make alone. */
export type PolicyRefusal = Readonly<{
  policyId: PolicyId | null;
  triggered: readonly Threshold[];
  /** The version of the policy's stream that said so. */
  revision?: number | undefined;
}>;

const NO_POLICY: PolicyRefusal = { policyId: null, triggered: ['no_active_policy'] };

/** The policy's reasons, if that is why it was thrown. */
export function policyRefusalIn(error: unknown): PolicyRefusal | undefined {
  if (!(error instanceof Refusal) || error.code !== 'HC_NC_5_HITL_REQUIRED') return undefined;
  const { policy_id, triggered_thresholds, policy_revision } = error.details as Readonly<{
    policy_id: PolicyId;
    triggered_thresholds: readonly Threshold[];
    policy_revision?: number;
  }>;
  return { policyId: policy_id, triggered: triggered_thresholds, revision: policy_revision };
}

export const asHitlRefusal = ({ policyId, triggered }: PolicyRefusal): Refusal =>
  refuse('HC_NC_5_HITL_REQUIRED', {
    details: { triggered_thresholds: triggered, ...(policyId === null ? {} : { policy_id: policyId }) },
  });

/**
 * Of several policies that all refuse, the one that comes nearest to permitting it is told: one that is in force now before
 * one that is not, then the one with the fewest reasons, then the first asked. All reasons of all of them together would
 * name limits that do not matter.
 */
export function nearestRefusal(refusals: readonly PolicyRefusal[]): PolicyRefusal {
  const [first = NO_POLICY, ...rest] = refusals;
  return rest.reduce((nearest, one) => (distance(one) < distance(nearest) ? one : nearest), first);
}

const distance = ({ triggered }: PolicyRefusal): number => {
  const isInForce = !triggered.includes('validity_window') && !triggered.includes('no_active_policy');
  return triggered.length + (isInForce ? 0 : THRESHOLDS.length);
};
