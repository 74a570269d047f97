import { type CanActivate, type ExecutionContext } from '@nestjs/common';
import { type Issue, refuseInput } from '../../kernel/errors';
import { identityClaims } from '../input/identity-claims';
import { noteIssues, notedIssues } from '../input/input-issues';
import { MAX_ISSUES } from '../input/issue-paths';
import { keysOf } from '../input/keys-of';
import { PRIVATE_KEY } from '../input/private-keys';
import { type SvcRequest } from './request-context';

type Part = 'body' | 'query';

/**
 * For routes that read no body or no query: no pipe lists its issues, but a claimed identity and a private key are
 * refused wherever they are sent. If the body is read, they are listed in the same response as its issues.
 * Runs as the route's last guard; an interceptor would run at the same moment and cost more than a read.
 */
export class UnreadInput implements CanActivate {
  constructor(private readonly unread: readonly Part[]) {}

  canActivate(execution: ExecutionContext): boolean {
    const request = execution.switchToHttp().getRequest<SvcRequest>();
    const issues = this.unread.flatMap((part) => issuesIn(request[part]));
    if (issues.length === 0) return true;
    const body: unknown = request.body;
    if (this.unread.includes('body') || !isObject(body)) throw refuseInput(issues.slice(0, MAX_ISSUES));
    noteIssues(body, [...notedIssues(body), ...issues]);
    return true;
  }
}

function issuesIn(input: unknown): readonly Issue[] {
  if (!isObject(input)) return [];
  return [...identityClaims(keysOf(input)), ...notedIssues(input).filter(({ code }) => code === PRIVATE_KEY)];
}

const isObject = (input: unknown): input is object => typeof input === 'object' && input !== null;
