import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type Response } from 'express';
import { refuse } from '../kernel/errors';
import { Metrics } from './metrics';
import { type RateLimitName, RateLimiter } from './rate-limits';
import { type SvcRequest } from './request-context';

const LIMIT = 'svc:rate-limit';
export const RateLimit = (name: RateLimitName) => SetMetadata(LIMIT, name);

@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limiter: RateLimiter,
    private readonly metrics: Metrics,
  ) {}

  canActivate(execution: ExecutionContext): boolean {
    if (!this.limiter.enabled) return true;
    const name = this.reflector.get<RateLimitName>(LIMIT, execution.getHandler());
    const http = execution.switchToHttp();
    const request = http.getRequest<SvcRequest>();
    const key = request.caller?.actor.id ?? request.socket.remoteAddress ?? 'unknown';
    const verdict = this.limiter.take(name, key);
    const headers = {
      'RateLimit-Limit': String(verdict.limit),
      'RateLimit-Remaining': String(verdict.remaining),
      'RateLimit-Reset': String(verdict.resetSeconds),
    };
    http.getResponse<Response>().set(headers);
    if (verdict.allowed) return true;
    this.metrics.rateLimited.inc({ limit: name });
    throw refuse('rate_limited', { headers: { ...headers, 'Retry-After': String(verdict.resetSeconds) } });
  }
}
