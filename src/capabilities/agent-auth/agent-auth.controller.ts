import { Body, Controller, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Tag } from '../../api/openapi/described';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { Context } from '../../http/server/request-context';
import { ExchangeAssertionInput, tokenAnswer } from './agent-auth.dto';
import { ExchangeAssertion } from './agent-auth.handlers';

@Tag('Agent auth')
@Controller('v1/agent-auth')
export class AgentAuthController {
  constructor(private readonly commands: CommandBus) {}

  @Post('token')
  @Endpoint({
    summary: 'Exchange a signed assertion for a short agent token',
    description:
      'The assertion is a compact JWS: header {alg: "EdDSA", typ: "agent-assertion+jwt", kid} and nothing else; claims ' +
      'aud (this address), iat, exp (at most 5 minutes after iat) and jti (1 to 128 characters, used once). iss and sub ' +
      'may be present and are then the agent’s id; send one of them if your kid is a common name, because without it ' +
      'only the 32 newest keys of that kid are tried.\n\n' +
      'Clocks may differ by 60 seconds. An assertion whose exp has passed is 401 invalid_assertion: sign a new one. One ' +
      'whose iat (or nbf) is in the future, or whose exp is more than 5 minutes after its iat, is 403 clock_skew with ' +
      'details.server_time: set the clock first. A key we do not know and a signature that does not verify get the same ' +
      'answer. The token never outlives its credential.',
    credential: 'none',
    body: ExchangeAssertionInput,
    answer: tokenAnswer,
    errors: [
      'invalid_assertion',
      'clock_skew',
      'assertion_replayed',
      'credential_revoked',
      'credential_not_valid',
      'agent_not_active',
    ],
  })
  async exchange(@Body() { assertion }: ExchangeAssertionInput, @Context() { requestId }: CommandContext) {
    const { token, expiresIn, expiresAt } = await this.commands.execute(new ExchangeAssertion(assertion, requestId));
    return { ok: true, agent_token: token, token_type: 'Bearer', expires_in: expiresIn, expires_at: expiresAt };
  }
}
