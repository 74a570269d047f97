import { Inject, Injectable } from '@nestjs/common';
import { type Response } from 'express';
import { CONFIG, type Config } from '../../platform/config';
import { statusOf } from '../../kernel/error-catalogue';
import { allowanceHeaders, type Refusal, refuseTooMany } from '../../kernel/errors';
import { Metrics } from '../operations/metrics';
import { callerAddresses } from '../../kernel/caller-address';
import { type RateLimitName, RateLimiter } from './rate-limits';
import { type SvcRequest } from './request-context';

const LIMIT = 'RateLimit-Limit';

/** Counts a call against its caller, and reports in the response how many calls are left. */
@Injectable()
export class CallCounter {
  private readonly addressOf: ReturnType<typeof callerAddresses>;

  constructor(
    private readonly limiter: RateLimiter,
    private readonly metrics: Metrics,
    @Inject(CONFIG) { trustProxy }: Config,
  ) {
    this.addressOf = callerAddresses(trustProxy);
  }

  /** Returns a refusal if the limit is exceeded. Counts by verified credential, or by address if there is none. */
  count(name: RateLimitName, request: SvcRequest, response: Response): Refusal | undefined {
    if (!this.limiter.enabled) return undefined;
    const key = request.caller?.actor.id ?? this.addressOf(request);
    const verdict = this.limiter.take(name, key);
    response.set(allowanceHeaders(verdict));
    if (verdict.allowed) return undefined;
    this.metrics.rateLimited.inc({ limit: name });
    return refuseTooMany(verdict);
  }

  /** The same for body bytes, counted per tenant. Most writes are small and cost one lookup. */
  countBytes(request: SvcRequest): Refusal | undefined {
    const { bodyBytes: bytes = 0, caller } = request;
    if (!this.limiter.enabled || bytes === 0 || caller === undefined) return undefined;
    const holder = caller.merchant ?? caller.agent ?? caller.connection ?? caller.apiKey;
    const tenant = holder?.merchantId ?? caller.actor.id;
    const verdict = this.limiter.take('bytes', tenant, bytes);
    if (verdict.allowed) return undefined;
    this.metrics.rateLimited.inc({ limit: 'bytes' });
    return refuseTooMany(verdict);
  }

  /**
   * For calls refused before they were counted, such as by a guard: otherwise guessing would cost nothing. A caller
   * with a valid credential is still served, since secrets cannot be guessed and a neighbour must not lock anybody out.
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
