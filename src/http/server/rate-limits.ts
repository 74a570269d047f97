import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/config';
import { CLOCK, type Clock } from '../../kernel/clock';
import { FixedWindows } from '../../kernel/fixed-windows';

/** Calls per minute: by address for anonymous callers and refused credentials, by credential for the rest. */
export const rateLimits = {
  anonymous: 300,
  credential: 3_000,
  /** Each may send a mail to a stranger. */
  registration: 30,
  /** Each makes us call somebody else's server. */
  domain_proof: 30,
  /** Each is a guess at a code that people can type. */
  pairing_code: 30,
  /** Body bytes, for a merchant with all of its agents, or for a wallet: the log keeps their content forever. */
  bytes: 64 * 1024 * 1024,
} as const satisfies Record<string, number>;

export type RateLimitName = keyof typeof rateLimits;

export type RateDecision = Readonly<{ allowed: boolean; limit: number; remaining: number; resetSeconds: number }>;

const WINDOW_MS = 60_000;
const MAX_KEYS = 100_000;

/** In memory: each instance counts for itself, which only makes the limit wider. */
@Injectable()
export class RateLimiter {
  private readonly windows = new FixedWindows(WINDOW_MS, MAX_KEYS);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  get enabled(): boolean {
    return this.config.rateLimits;
  }

  take(name: RateLimitName, key: string, cost = 1): RateDecision {
    const now = this.clock.now().getTime();
    const limit = rateLimits[name];
    const { began, used } = this.windows.use(`${name}:${key}`, now, cost);
    return {
      allowed: used <= limit,
      limit,
      remaining: Math.max(0, limit - used),
      resetSeconds: Math.ceil((began + WINDOW_MS - now) / 1000),
    };
  }
}
