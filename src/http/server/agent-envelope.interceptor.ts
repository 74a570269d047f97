import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { type SvcRequest } from './request-context';

/** Wraps the result of an agent-payment route as the `data` of its envelope; see envelope.ts for failures. */
@Injectable()
export class AgentEnvelope implements NestInterceptor {
  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  intercept(execution: ExecutionContext, next: CallHandler<unknown>): Observable<object> {
    const { requestId } = execution.switchToHttp().getRequest<SvcRequest>();
    return next
      .handle()
      .pipe(map((data) => ({ success: true, data, request_id: requestId, timestamp: timestamp(this.clock.now()) })));
  }
}
