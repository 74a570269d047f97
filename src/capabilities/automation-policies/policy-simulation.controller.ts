import { Body, Controller, Inject, Param, Post } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Tag } from '../../api/openapi/described';
import { automationPolicies } from '../../../projections/automation-policies.projection';
import { type Owner, OwnerCaller, ownershipOf } from '../../access/project.guard';
import { normalTime } from '../../http/input/checks';
import { complete, readDraft } from '../../http/input/draft';
import { isOwned } from '../../http/input/own-documents';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { type Issue, refuse } from '../../kernel/errors';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { SimulatePolicy } from '../payments/simulate-policy.query';
import { termsIn } from './automation-policies.dto';
import { SimulatePolicyInput, simulationSchema } from './policy-simulation.dto';
import { PolicyPayees } from './policy-payees';
import { termIssues } from './policy-terms';
import { type PolicyId } from '../../kernel/aggregates';

/** In a simulation, the validity window may lie in the past. */
const NO_LOWER_BOUND = '';

@Tag('Automation policies')
@Controller('v1/automation-policies')
export class PolicySimulationController {
  constructor(
    private readonly queries: QueryBus,
    private readonly payees: PolicyPayees,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  @Post(':id/simulate')
  @Endpoint({
    summary: 'Simulate other thresholds on past intents',
    description:
      'Every agent intent that this policy judged, replayed from its first one as if these thresholds had always applied; what is ' +
      'omitted keeps its current value. `from` and `to`, both inclusive, only select what is reported. What was given ' +
      'back later gives back only what was permitted. While the policy was not agreed to, nothing is permitted.',
    surface: 'agent',
    credential: 'adminOrDevice',
    body: SimulatePolicyInput,
    readsBodyItself: true,
    answer: { data: simulationSchema },
  })
  async simulate(@Param('id') policyId: PolicyId, @Body() body: Record<string, unknown>, @OwnerCaller() owner: Owner) {
    const draft = readDraft(SimulatePolicyInput, body);
    const named = draft.entriesOf('allowlist');
    await this.payees.refuseMainNetworks(named, owner);
    const policy = await this.readModel.get(automationPolicies, policyId);
    if (policy === undefined || !isOwned(policy, ownershipOf(owner))) {
      // As everywhere, problems with the body itself are reported before a missing policy.
      complete(draft, periodIssues(draft.sound));
      throw refuse('resource_not_found');
    }
    const { single_tx_limit, cumulative_limit, valid_from, valid_until, allowlist } = policy;
    const held = { single_tx_limit, cumulative_limit, valid_from, valid_until, allowlist };
    const terms = { ...held, ...termsIn(draft.sound) };
    const { from, to } = complete(draft, [
      ...termIssues(terms, policy.network, NO_LOWER_BOUND),
      ...periodIssues(draft.sound),
      ...(await this.payees.issuesIn(named, policy.merchant_id)),
    ]);
    const period = { from: from && normalTime(from), to: to && normalTime(to) };
    return this.queries.execute(new SimulatePolicy(policyId, terms, period));
  }
}

function periodIssues({ from, to }: Partial<SimulatePolicyInput>): readonly Issue[] {
  if (from === undefined || to === undefined || normalTime(from) <= normalTime(to)) return [];
  return [{ code: 'out_of_order', field: 'to', message: 'must not be earlier than from' }];
}
