import { type CanActivate, createParamDecorator, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { CommandRunner } from '../platform/event-store/run-command';
import { CLOCK, type Clock, timestamp } from '../kernel/clock';
import { hasRunOut } from '../kernel/credential-rules';
import { refuse, refuseInput } from '../kernel/errors';
import { subjectOf } from '../platform/secrets/bound-tokens';
import { tokenMatches } from '../platform/secrets/tokens';
import { type SvcRequest } from '../http/server/request-context';
import { bearerOf, comesAsBearer } from './bearer';
import { CsrfProofs } from './csrf-proofs';
import { ForgottenPeople } from './forgotten-people';
import { isMerchantActive } from './merchant-in-use';
import { SessionCookie } from './session-cookie';
import { type OpenSession, sessionInUse } from './session-in-use';
import { type SessionId } from '../kernel/aggregates';
import { type MerchantCaller } from '../http/server/callers';

export type SessionCredential = Readonly<{ token: string; byCookieAlone: boolean }>;

const READ_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Admits a merchant operator with an open session; changes also need the CSRF proof (not for bearer sessions). */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(
    private readonly commands: CommandRunner,
    private readonly cookie: SessionCookie,
    private readonly csrf: CsrfProofs,
    private readonly forgotten: ForgottenPeople,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<SvcRequest>();
    const { token, byCookieAlone } = sessionCredentialOf(request, this.cookie);
    const sessionId = subjectOf('session', 'ses', token) ?? 'ses_malformed';
    const { accountId, merchantId } = await this.openSession(sessionId, token);
    request.caller = {
      actor: { kind: 'merchant_account', id: accountId },
      merchant: { sessionId, accountId, merchantId },
    };
    // Only cookies are sent automatically. A caller that puts the token in a header has it; another site does not.
    if (byCookieAlone && !READ_METHODS.has(request.method)) {
      const given = request.headers['x-csrf-token'];
      if (!this.csrf.matches(typeof given === 'string' ? given : undefined, token)) throw refuse('csrf_failed');
    }
    return true;
  }

  private async openSession(sessionId: SessionId, token: string): Promise<OpenSession> {
    const { state: open, position } = await this.commands.fold(sessionInUse, sessionId);
    if (!tokenMatches(token, open?.tokenHash) || open === undefined) throw refuse('invalid_token');
    if (hasRunOut(open, timestamp(this.clock.now()))) throw refuse('token_expired');
    if (await this.forgotten.since(open.accountId, position)) throw refuse('invalid_token');
    return open;
  }
}

/** After SessionGuard: only merchants with a verified domain. */
@Injectable()
export class ActiveMerchantGuard implements CanActivate {
  constructor(private readonly commands: CommandRunner) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const { caller } = execution.switchToHttp().getRequest<SvcRequest>();
    if (caller?.merchant === undefined) throw new Error('ActiveMerchantGuard needs the session guard before it');
    const { state: isActive } = await this.commands.fold(isMerchantActive, caller.merchant.merchantId);
    if (!isActive) throw refuse('merchant_not_active');
    return true;
  }
}

/** The verified operator, account and merchant of the caller. */
export const Merchant = createParamDecorator((_: unknown, execution: ExecutionContext): MerchantCaller => {
  const { caller } = execution.switchToHttp().getRequest<SvcRequest>();
  if (caller?.merchant === undefined) throw new Error('Merchant needs the session guard');
  return caller.merchant;
});

/** The session token from the cookie or from `Authorization: Bearer`. Two different tokens are ambiguous. */
export function sessionCredentialOf(request: SvcRequest, cookie: SessionCookie): SessionCredential {
  const bearer = bearerOf(request);
  if (bearer === undefined && comesAsBearer(request)) throw refuse('invalid_token');
  const cookies = cookie.valuesIn(request.headers.cookie);
  const token = bearer ?? cookies[0];
  if (token === undefined) throw refuse('unauthenticated');
  if (cookies.some((value) => value !== token)) {
    const message = 'is one of two session credentials that differ; send one';
    throw refuseInput([{ code: 'conflict', field: bearer === undefined ? 'cookie' : 'authorization', message }]);
  }
  return { token, byCookieAlone: bearer === undefined };
}
