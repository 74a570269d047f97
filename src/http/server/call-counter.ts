import { Injectable } from '@nestjs/common';
import { type Response } from 'express';
import { statusOf } from '../../kernel/error-catalogue';
import { type Refusal, refuse } from '../../kernel/errors';
import { Metrics } from '../operations/metrics';
import { type RateLimitName, RateLimiter } from './rate-limits';
import { type SvcRequest } from './request-context';

const LIMIT = 'RateLimit-Limit';

/** Counts a call against whoever made it, and tells them in the answer how many are left. */
@Injectable()
export class CallCounter {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly metrics: Metrics,
  ) {}

  /** The refusal, if it was one too many: by the verified credential, or by the address where there is none. */
  count(name: RateLimitName, request: SvcRequest, response: Response): Refusal | undefined {
    if (!this.limiter.enabled) return undefined;
    const key = request.caller?.actor.id ?? request.socket.remoteAddress ?? 'unknown';
    const verdict = this.limiter.take(name, key);
    const headers = {
      [LIMIT]: String(verdict.limit),
      'RateLimit-Remaining': String(verdict.remaining),
      'RateLimit-Reset': String(verdict.resetSeconds),
    };
    response.set(headers);
    if (verdict.allowed) return undefined;
    this.metrics.rateLimited.inc({ limit: name });
    return refuse('rate_limited', { headers: { ...headers, 'Retry-After': String(verdict.resetSeconds) } });
  }

  /**
   * For what was refused before it was counted, as by a guard: or guessing would cost nothing. Who turns out to hold a good
   * credential is served all the same, since secrets cannot be guessed and a neighbour must not shut anybody out.
   */
  countRefused(refusal: Refusal, request: SvcRequest, response: Response): Refusal {
    const status = statusOf(refusal.code);
    const isUncounted =
      (status === 401 || status === 403 || request.caller !== undefined) && !response.hasHeader(LIMIT);
    if (!isUncounted || status >= 500) return refusal;
    const name = request.caller === undefined ? 'anonymous' : 'credential';
    return this.count(name, request, response) ?? refusal;
  }
}
