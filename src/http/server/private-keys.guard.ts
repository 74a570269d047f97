import { type CanActivate, type ExecutionContext } from '@nestjs/common';
import { refuseInput } from '../../kernel/errors';
import { notedIssues } from '../input/input-issues';
import { PRIVATE_KEY } from '../input/private-keys';
import { type SvcRequest } from './request-context';

/**
 * For routes that read no body or no query: no pipe lists its issues, but a private key is refused wherever it is sent.
 * Runs as the route's last guard; an interceptor would run at the same moment and cost more than a read.
 */
export class NoKeysIn implements CanActivate {
  constructor(private readonly part: 'body' | 'query') {}

  canActivate(execution: ExecutionContext): boolean {
    const input: unknown = execution.switchToHttp().getRequest<SvcRequest>()[this.part];
    const found = typeof input === 'object' && input !== null ? notedIssues(input) : [];
    const keys = found.filter(({ code }) => code === PRIVATE_KEY);
    if (keys.length > 0) throw refuseInput(keys);
    return true;
  }
}
