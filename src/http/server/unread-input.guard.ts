import { type CanActivate, type ExecutionContext } from '@nestjs/common';
import { refuseInput } from '../../kernel/errors';
import { identityClaims } from '../input/identity-claims';
import { notedIssues } from '../input/input-issues';
import { MAX_ISSUES } from '../input/issue-paths';
import { keysOf } from '../input/keys-of';
import { PRIVATE_KEY } from '../input/private-keys';
import { type SvcRequest } from './request-context';

/**
 * For routes that read no body or no query: no pipe lists its issues, but a claimed identity and a private key are
 * refused wherever they are sent.
 * Runs as the route's last guard; an interceptor would run at the same moment and cost more than a read.
 */
export class UnreadInput implements CanActivate {
  constructor(private readonly part: 'body' | 'query') {}

  canActivate(execution: ExecutionContext): boolean {
    const input: unknown = execution.switchToHttp().getRequest<SvcRequest>()[this.part];
    if (typeof input !== 'object' || input === null) return true;
    const keys = notedIssues(input).filter(({ code }) => code === PRIVATE_KEY);
    const issues = [...identityClaims(keysOf(input)), ...keys].slice(0, MAX_ISSUES);
    if (issues.length > 0) throw refuseInput(issues);
    return true;
  }
}
