import { type CanActivate, createParamDecorator, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { CommandRunner } from '../platform/event-store/run-command';
import { CLOCK, type Clock } from '../kernel/clock';
import { refuse } from '../kernel/errors';
import { subjectOf } from '../platform/secrets/bound-tokens';
import { tokenMatches } from '../platform/secrets/tokens';
import { type SvcRequest } from '../http/server/request-context';
import { agentInUse, objectionToAsker } from './agent-in-use';
import { requiredBearer } from './bearer';
import { claimInUse } from './claim-in-use';
import { type ClaimCaller } from '../http/server/callers';

/**
 * Admits the agent that claimed a Connect Key: it holds the claim token (Authorization: Bearer svc_cl_…) and could
 * still claim the key. A pending request ends with its credential.
 */
@Injectable()
export class ClaimGuard implements CanActivate {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<SvcRequest>();
    const token = requiredBearer(request);
    const invitationId = subjectOf('claim', 'inv', token);
    if (invitationId === undefined) throw refuse('invalid_token');
    const { state: claim } = await this.commands.fold(claimInUse, invitationId);
    if (!tokenMatches(token, claim?.claim_token_hash) || claim === undefined) throw refuse('invalid_token');
    const asking = { credentialId: claim.credential_id, askedAt: claim.claimed_at };
    const { state: agent } = await this.commands.fold(agentInUse, claim.agent_id);
    const objection = objectionToAsker(agent, asking, this.clock.now());
    if (objection !== undefined) throw refuse(objection);
    request.caller = { actor: { kind: 'agent', id: claim.agent_id }, claim: { invitationId } };
    return true;
  }
}

/** The verified claim of the caller. */
export const Claimant = createParamDecorator((_: unknown, execution: ExecutionContext): ClaimCaller => {
  const { caller } = execution.switchToHttp().getRequest<SvcRequest>();
  if (caller?.claim === undefined) throw new Error('Claimant needs the claim guard');
  return caller.claim;
});
