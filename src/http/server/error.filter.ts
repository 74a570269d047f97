import { type ArgumentsHost, Catch, type ExceptionFilter, Inject, Injectable, NotFoundException } from '@nestjs/common';
import { type Response } from 'express';
import { type Logger } from 'pino';
import { CLOCK, type Clock } from '../../kernel/clock';
import { type Refusal, refuse } from '../../kernel/errors';
import { asRefusal } from './as-refusal';
import { CallCounter } from './call-counter';
import { errorAnswer } from './envelope';
import { LOGGER } from '../../platform/logging/logger';
import { type SvcRequest } from './request-context';
import { RouteTable } from './route-table';

/** Handles everything that is thrown: one envelope, and one log line for errors of our own. */
@Catch()
@Injectable()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly routes: RouteTable,
    private readonly calls: CallCounter,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<SvcRequest>(), http.getResponse<Response>());
  }

  answer(error: unknown, request: SvcRequest, response: Response): void {
    const refusal = this.refusalOf(error, request);
    if (refusal.code === 'internal_error' || refusal.code === 'store_unavailable') {
      this.logger.error({ request_id: request.requestId, err: refusal.cause ?? refusal }, refusal.code);
    }
    if (response.headersSent) {
      // The response had begun, as in a stream: all we can do is abort it so that the reader notices.
      response.destroy();
      return;
    }
    const counted = this.calls.countRefused(refusal, request, response);
    const { status, headers, body } = errorAnswer(counted, request.path, request.requestId, this.clock.now());
    response.status(status).set(headers).json(body);
  }

  private refusalOf(error: unknown, request: SvcRequest): Refusal {
    if (error instanceof NotFoundException) {
      const allowed = this.routes.methodsAt(request.path);
      if (allowed.length > 0) return refuse('method_not_allowed', { headers: { Allow: allowed.join(', ') } });
    }
    return asRefusal(error);
  }
}
