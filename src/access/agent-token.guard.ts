import { type CanActivate, createParamDecorator, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { CommandRunner } from '../platform/event-store/run-command';
import { CLOCK, type Clock } from '../kernel/clock';
import { refuse } from '../kernel/errors';
import { subjectOf } from '../platform/secrets/bound-tokens';
import { tokenMatches } from '../platform/secrets/tokens';
import { type SvcRequest } from '../http/server/request-context';
import { agentInUse } from './agent-in-use';
import { assertionInUse } from './assertion-in-use';
import { requiredBearer } from './bearer';
import { type AgentCaller } from '../http/server/callers';

/** Admits a registered agent that holds a short-lived agent token (Authorization: Bearer svc_at_…). */
@Injectable()
export class AgentTokenGuard implements CanActivate {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<SvcRequest>();
    const token = requiredBearer(request);
    const caller = await this.holderOf(token);
    request.caller = { actor: { kind: 'agent', id: caller.agentId }, agent: caller };
    return true;
  }

  /** Both are read from the log as it is now: an acknowledged revocation applies to the very next call. */
  private async holderOf(token: string): Promise<AgentCaller> {
    const assertionId = subjectOf('agent', 'ast', token) ?? 'ast_malformed';
    const { state: bought } = await this.commands.fold(assertionInUse, assertionId);
    if (!tokenMatches(token, bought?.token_hash) || bought === undefined) throw refuse('invalid_token');
    if (this.clock.now().getTime() >= Date.parse(bought.token_expires_at)) throw refuse('token_expired');

    const { agent_id: agentId, merchant_id: merchantId, credential_id: credentialId } = bought;
    const { state } = await this.commands.fold(agentInUse, agentId);
    const credential = state.credentials.get(credentialId);
    if (!credential || credential.activatedAt === null || credential.revokedAt !== null)
      throw refuse('credential_revoked');
    if (state.status !== 'active') throw refuse('agent_not_active');
    return { agentId, agentName: state.name, merchantId, credentialId, allowedScopes: state.allowedScopes };
  }
}

/** The verified agent of the caller. */
export const Agent = createParamDecorator((_: unknown, execution: ExecutionContext): AgentCaller => {
  const { caller } = execution.switchToHttp().getRequest<SvcRequest>();
  if (caller?.agent === undefined) throw new Error('Agent needs the agent token guard');
  return caller.agent;
});
