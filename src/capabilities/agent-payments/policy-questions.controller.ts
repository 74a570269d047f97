import { Body, Controller, Inject, Param, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { automationPolicies } from '../../../projections/automation-policies.projection';
import { ApiKey, type ApiKeyCaller } from '../../access/api-key.guard';
import { type Owner, OwnerCaller, ownershipOf } from '../../access/project.guard';
import { normalTime } from '../../http/input/checks';
import { complete, readDraft } from '../../http/input/draft';
import { ownDocument } from '../../http/input/own-documents';
import { Endpoint } from '../../http/openapi/endpoint.decorator';
import { type SvcRequest } from '../../http/server/request-context';
import { type Issue } from '../../kernel/errors';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { termsIn } from '../automation-policies/automation-policies.dto';
import { termIssues } from '../automation-policies/policy-terms';
import { EvaluateIntent } from './evaluate-intent';
import { EvaluateIntentInput, evaluationSchema, SimulatePolicyInput, simulationSchema } from './policy-questions.dto';
import { PolicySimulations } from './simulate-policy';
import { readSubmission } from './submission';

const surface = 'agent';
const FROM_EVER = '';

/** Questions to policies; nothing is written by them. */
@ApiTags('Automation policies')
@Controller('v1/automation-policies')
export class PolicyQuestionsController {
  constructor(
    private readonly intents: EvaluateIntent,
    private readonly simulations: PolicySimulations,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  @Post('evaluate')
  @Endpoint({
    summary: 'Ask whether an agent may make a payment alone, without making it',
    description:
      'The decision that `POST /v1/agent-payments` would take at this moment on the same body. `remaining` is what was left of ' +
      'the cumulative limit before it. Nothing is reserved, so a payment made meanwhile may change the answer.',
    surface,
    credential: 'apiKey',
    body: EvaluateIntentInput,
    answer: { data: evaluationSchema },
    errors: [
      'IDEMPOTENCY_KEY_MISMATCH',
      'IDEMPOTENCY_KEY_REUSED',
      'recipient_version_not_active',
      'connection_paused',
      'connection_revoked',
      'credential_revoked',
      'agent_not_active',
      'insufficient_scope',
    ],
  })
  evaluate(@Body() body: Record<string, unknown>, @Req() { headers }: SvcRequest, @ApiKey() caller: ApiKeyCaller) {
    const submission = readSubmission({ initiator: 'agent', ...body }, headers);
    const isHuman = body['initiator'] === 'human';
    const issues = [...submission.issues, ...(isHuman ? [NOT_ALONE] : [])];
    return this.intents.evaluate({ ...submission, issues }, caller);
  }

  @Post(':id/simulate')
  @Endpoint({
    summary: 'Ask what other thresholds would have done',
    description:
      'Every agent intent that this policy judged, replayed from its first one as if these thresholds had always held; what is ' +
      'left out stays as it holds now. `from` and `to`, which both belong to it, only select what is reported. What was given ' +
      'back later gives back only what was permitted. While the policy was not agreed to, nothing is permitted.',
    surface,
    credential: 'adminOrDevice',
    body: SimulatePolicyInput,
    answer: { data: simulationSchema },
  })
  async simulate(@Param('id') policyId: string, @Body() body: Record<string, unknown>, @OwnerCaller() owner: Owner) {
    const policy = await ownDocument(this.readModel, automationPolicies, policyId, ownershipOf(owner));
    const draft = readDraft(SimulatePolicyInput, body);
    const { single_tx_limit, cumulative_limit, valid_from, valid_until, allowlist } = policy;
    const held = { single_tx_limit, cumulative_limit, valid_from, valid_until, allowlist };
    const terms = { ...held, ...termsIn(draft.sound) };
    const { from, to } = complete(draft, [
      ...termIssues(terms, policy.network, FROM_EVER),
      ...periodIssues(draft.sound),
    ]);
    return this.simulations.run(policyId, terms, { from: from && normalTime(from), to: to && normalTime(to) });
  }
}

const NOT_ALONE: Issue = {
  code: 'not_allowed',
  field: 'initiator',
  message: 'must be agent, or left out; a person needs no policy',
};

function periodIssues({ from, to }: Partial<SimulatePolicyInput>): readonly Issue[] {
  if (from === undefined || to === undefined || normalTime(from) <= normalTime(to)) return [];
  return [{ code: 'out_of_order', field: 'to', message: 'must not be earlier than from' }];
}
