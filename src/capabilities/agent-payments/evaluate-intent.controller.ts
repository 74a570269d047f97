import { Body, Controller, Post, Req } from '@nestjs/common';
import { Tag } from '../../api/openapi/described';
import { ApiKey } from '../../access/api-key.guard';
import { type ApiKeyCaller } from '../../http/server/callers';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { type SvcRequest } from '../../http/server/request-context';
import { type Issue } from '../../kernel/errors';
import { EvaluateIntent } from './evaluate-intent';
import { EvaluateIntentInput, evaluationSchema } from './evaluate-intent.dto';
import { readSubmission } from './submission';

@Tag('Automation policies')
@Controller('v1/automation-policies')
export class EvaluateIntentController {
  constructor(private readonly intents: EvaluateIntent) {}

  @Post('evaluate')
  @Endpoint({
    summary: 'Ask whether an agent may make a payment alone, without making it',
    description:
      'The decision that `POST /v1/agent-payments` would make now for the same body. `remaining` is what was left of ' +
      'the cumulative limit before it. Nothing is reserved, so a payment made meanwhile may change the answer.',
    surface: 'agent',
    credential: 'apiKey',
    body: EvaluateIntentInput,
    readsBodyItself: true,
    answer: { data: evaluationSchema },
    errors: [
      'IDEMPOTENCY_KEY_MISMATCH',
      'IDEMPOTENCY_KEY_REUSED',
      'possible_duplicate',
      'recipient_version_not_active',
      'connection_paused',
      'connection_revoked',
      'credential_revoked',
      'agent_not_active',
      'insufficient_scope',
    ],
  })
  evaluate(@Body() body: Record<string, unknown>, @Req() { headers }: SvcRequest, @ApiKey() caller: ApiKeyCaller) {
    // Modify the body object itself: findings made while parsing it, such as a private key, are tied to that object.
    if (body['initiator'] === undefined) body['initiator'] = 'agent';
    const submission = readSubmission(body, headers);
    if (body['initiator'] !== 'human') return this.intents.evaluate(submission, caller);
    // Without an intent, no payment that a person has made under the key answers for it.
    const refused = { ...submission, issues: [...submission.issues, NOT_ALONE], intent: undefined };
    return this.intents.evaluate(refused, caller);
  }
}

const NOT_ALONE: Issue = {
  code: 'not_allowed',
  field: 'initiator',
  message: 'must be agent, or left out; a person needs no policy',
};
