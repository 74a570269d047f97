import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { refuse } from '../../kernel/errors';
import { type SvcRequest } from '../request-context';

export type MerchantCaller = Readonly<{ sessionId: string; accountId: string; merchantId: string }>;

/** Lets a merchant operator through whose session is open; changes need the CSRF proof too (not for bearer sessions). */
@Injectable()
export class SessionGuard implements CanActivate {
  canActivate(_execution: ExecutionContext): boolean {
    throw refuse('unauthenticated');
  }
}

/** After SessionGuard: only merchants with a verified domain. */
@Injectable()
export class ActiveMerchantGuard implements CanActivate {
  canActivate(_execution: ExecutionContext): boolean {
    throw refuse('merchant_not_active');
  }
}

/** The verified operator, account and merchant of the caller. */
export const Merchant = createParamDecorator((_: unknown, execution: ExecutionContext): MerchantCaller => {
  const { caller } = execution.switchToHttp().getRequest<SvcRequest>();
  if (caller?.merchant === undefined) throw new Error('Merchant needs the session guard');
  return caller.merchant;
});
