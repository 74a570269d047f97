import { Inject, Injectable } from '@nestjs/common';
import { automationPolicies, type AutomationPolicyDocument } from '../../../projections/automation-policies.projection';
import { type PageCursor, READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { QUOTAS } from '../../http/server/quota.guard';
import { type AgentPaymentCreated } from '../../events/agent-payment.events';
import { type PolicyId } from '../../kernel/aggregates';
import { isWithin } from '../../kernel/validity-window';

const PAGE_SIZE = 100;
/** No more can be proposed. A log from before that limit may hold more; then only the oldest are considered. */
const MAX_POLICIES = QUOTAS.policiesOfConnection;

/** Which policies a payment may be made under if the caller names none. */
@Injectable()
export class PolicyChooser {
  constructor(@Inject(READ_MODEL) private readonly readModel: ReadModel) {}

  /**
   * The active policies for this connection, network and asset, oldest first, capped at MAX_POLICIES. Those not valid
   * right now come last: a policy that ended years ago must not cost every payment a read of its stream.
   */
  async inForceFor({
    connection_id,
    facts,
    created_at: at,
  }: AgentPaymentCreated['data']): Promise<readonly PolicyId[]> {
    const equals = [connection_id, facts.network, facts.asset, 'active'];
    const isValid = (policy: AutomationPolicyDocument): boolean => isWithin(policy, at);
    const found: AutomationPolicyDocument[] = [];
    for (let after: PageCursor | null | undefined; after !== null && found.filter(isValid).length < MAX_POLICIES;) {
      const { documents, next } = await this.readModel.find(automationPolicies, 'in_force', equals, {
        limit: PAGE_SIZE,
        after,
      });
      found.push(...documents);
      after = next;
    }
    const inOrder = [...found.filter(isValid), ...found.filter((policy) => !isValid(policy))];
    return inOrder.slice(0, MAX_POLICIES).map(({ id }) => id);
  }
}
