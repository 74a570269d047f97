import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { type Observable } from 'rxjs';
import { refuseInput } from '../../kernel/errors';
import { notedIssues } from '../input/input-issues';
import { PRIVATE_KEY } from '../input/private-keys';
import { type SvcRequest } from './request-context';

/** For routes that read no body: nobody lists what is wrong with one, and a private key is refused wherever it is sent. */
@Injectable()
export class NoKeysInBody implements NestInterceptor {
  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    refuseKeysIn(execution.switchToHttp().getRequest<SvcRequest>().body);
    return next.handle();
  }
}

/** The same for routes that read no query. */
@Injectable()
export class NoKeysInQuery implements NestInterceptor {
  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    refuseKeysIn(execution.switchToHttp().getRequest<SvcRequest>().query);
    return next.handle();
  }
}

function refuseKeysIn(input: unknown): void {
  const found = typeof input === 'object' && input !== null ? notedIssues(input) : [];
  const keys = found.filter(({ code }) => code === PRIVATE_KEY);
  if (keys.length > 0) throw refuseInput(keys);
}
