import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { connectInvitation } from '../capabilities/connect/connect-invitation';
import { CommandRunner } from '../platform/event-store/run-command';
import { refuse } from '../kernel/errors';
import { subjectOf } from '../platform/secrets/bound-tokens';
import { hashToken, tokenMatches } from '../platform/secrets/tokens';
import { type SvcRequest } from '../http/server/request-context';
import { bearerOf, comesAsBearer } from './bearer';

/** Compared against when there is no such claim, so that both answers take the same way. */
const NOBODY = hashToken('no such claim');

export type ClaimCaller = Readonly<{ invitationId: string }>;

/** Lets the agent through that claimed a Connect Key: it holds the claim token (Authorization: Bearer svc_cl_…). */
@Injectable()
export class ClaimGuard implements CanActivate {
  constructor(private readonly commands: CommandRunner) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<SvcRequest>();
    const token = bearerOf(request);
    if (token === undefined) throw refuse(comesAsBearer(request) ? 'invalid_token' : 'unauthenticated');
    const invitationId = subjectOf('claim', 'inv', token);
    if (invitationId === undefined) throw refuse('invalid_token');
    const { state } = await this.commands.fold(connectInvitation, invitationId);
    const claim = state.status === 'unknown' ? null : state.claim;
    if (!tokenMatches(token, claim?.claim_token_hash ?? NOBODY) || claim === null) throw refuse('invalid_token');
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
