import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { refuse } from '../../kernel/errors';
import { type SvcRequest } from '../request-context';

export type AgentCaller = Readonly<{
  agentId: string;
  agentName: string;
  merchantId: string;
  credentialId: string;
  allowedScopes: readonly string[];
}>;

/** Lets a registered agent through that holds a short agent token (Authorization: Bearer svc_at_…). */
@Injectable()
export class AgentTokenGuard implements CanActivate {
  canActivate(_execution: ExecutionContext): boolean {
    throw refuse('unauthenticated');
  }
}

/** The verified agent of the caller. */
export const Agent = createParamDecorator((_: unknown, execution: ExecutionContext): AgentCaller => {
  const { caller } = execution.switchToHttp().getRequest<SvcRequest>();
  if (caller?.agent === undefined) throw new Error('Agent needs the agent token guard');
  return caller.agent;
});
