import { type CanActivate, type ExecutionContext } from '@nestjs/common';
import { type Issue, refuseInput } from '../../kernel/errors';
import { identityClaims } from '../input/identity-claims';
import { noteIssues, notedIssues } from '../input/input-issues';
import { MAX_ISSUES } from '../input/issue-paths';
import { keysOf } from '../input/keys-of';
import { PRIVATE_KEY } from '../input/private-keys';
import { type SvcRequest } from './request-context';

type Part = 'body' | 'query';
const PARTS: readonly Part[] = ['body', 'query'];

/**
 * For what no pipe lists the issues of: a body or query that the route does not read, where a claimed identity and a
 * private key are refused all the same, and what `more` finds elsewhere in the request. They are listed in the same
 * response as the issues of what is read.
 * Runs as the route's last guard; an interceptor would run at the same moment and cost more than a read.
 */
export class UnreadInput implements CanActivate {
  private readonly read: Part | undefined;

  constructor(
    private readonly unread: readonly Part[],
    private readonly more: (request: SvcRequest) => readonly Issue[] = () => [],
  ) {
    this.read = PARTS.find((part) => !unread.includes(part));
  }

  canActivate(execution: ExecutionContext): boolean {
    const request = execution.switchToHttp().getRequest<SvcRequest>();
    const issues = [...this.more(request), ...this.unread.flatMap((part) => issuesIn(request[part]))];
    if (issues.length === 0) return true;
    const read: unknown = this.read && request[this.read];
    if (this.read === undefined || !isObject(read)) throw refuseInput(issues.slice(0, MAX_ISSUES));
    noteIssues(read, [...notedIssues(read), ...issues]);
    return true;
  }
}

function issuesIn(input: unknown): readonly Issue[] {
  if (!isObject(input)) return [];
  return [...identityClaims(keysOf(input)), ...notedIssues(input).filter(({ code }) => code === PRIVATE_KEY)];
}

const isObject = (input: unknown): input is object => typeof input === 'object' && input !== null;
