import { Inject, Injectable } from '@nestjs/common';
import { automationPolicies, type AutomationPolicyDocument } from '../../../projections/automation-policies.projection';
import { type PageCursor, READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { QUOTAS } from '../../http/server/quota.guard';
import { type AgentPaymentCreated } from '../../events/agent-payment.events';
import { type PolicyId } from '../../kernel/aggregates';
import { isWithin } from '../../kernel/validity-window';

const PAGE = 100;
/** No more can be proposed; a log from before that limit may hold more, and then only the oldest are asked. */
const MOST_ASKED = QUOTAS.policiesOfConnection;

/** Which policies a payment may be made under if the caller names none. */
@Injectable()
export class PolicyChooser {
  constructor(@Inject(READ_MODEL) private readonly readModel: ReadModel) {}

  /**
   * The active policies for this connection, network and asset, oldest first, capped at MOST_ASKED. Those not valid
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
    for (let after: PageCursor | null | undefined; after !== null && found.filter(isValid).length < MOST_ASKED;) {
      const { documents, next } = await this.readModel.find(automationPolicies, 'in_force', equals, {
        limit: PAGE,
        after,
      });
      found.push(...documents);
      after = next;
    }
    const inOrder = [...found.filter(isValid), ...found.filter((policy) => !isValid(policy))];
    return inOrder.slice(0, MOST_ASKED).map(({ id }) => id);
  }
}
