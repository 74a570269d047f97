import { Refusal, refuse } from '../../kernel/errors';
import { type Threshold, THRESHOLDS } from '../../events/agent-payment.events';
import { type PolicyId } from '../../kernel/aggregates';

/** Why one policy, or the lack of any, refuses a payment that an agent wants to make alone. */
export type PolicyRefusal = Readonly<{
  policyId: PolicyId | null;
  triggered: readonly Threshold[];
  /** The version of the policy's stream this was decided at. */
  revision?: number | undefined;
}>;

const NO_POLICY: PolicyRefusal = { policyId: null, triggered: ['no_active_policy'] };

/** The policy's reasons, if the error is a policy refusal. */
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
 * If several policies all refuse, report the one that comes closest to permitting the payment: one currently in force
 * before one that is not, then the one with the fewest reasons, then the first one asked. Listing all reasons of all
 * policies would name limits that do not matter.
 */
export function nearestRefusal(refusals: readonly PolicyRefusal[]): PolicyRefusal {
  const [first = NO_POLICY, ...rest] = refusals;
  return rest.reduce((nearest, one) => (distance(one) < distance(nearest) ? one : nearest), first);
}

const distance = ({ triggered }: PolicyRefusal): number => {
  const isInForce = !triggered.includes('validity_window') && !triggered.includes('no_active_policy');
  return triggered.length + (isInForce ? 0 : THRESHOLDS.length);
};
