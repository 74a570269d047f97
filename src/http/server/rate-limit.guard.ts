import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type Response } from 'express';
import { CallCounter } from './call-counter';
import { type RateLimitName } from './rate-limits';
import { type SvcRequest } from './request-context';

const LIMIT = 'svc:rate-limit';
export const RateLimit = (name: RateLimitName) => SetMetadata(LIMIT, name);

@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly calls: CallCounter,
  ) {}

  canActivate(execution: ExecutionContext): boolean {
    const name = this.reflector.get<RateLimitName>(LIMIT, execution.getHandler());
    const http = execution.switchToHttp();
    const refusal = this.calls.count(name, http.getRequest<SvcRequest>(), http.getResponse<Response>());
    if (refusal !== undefined) throw refusal;
    return true;
  }
}
