import { timestamp } from '../../kernel/clock';
import { refuse } from '../../kernel/errors';
import { type AssertionClaims, invalidAssertion } from './assertion-text';

const SKEW_SECONDS = 60;
const MAX_LIFETIME_SECONDS = 300;

/**
 * There are two kinds of wrong time. An assertion whose exp passed longer ago than the skew was valid once: 401, and a
 * freshly signed one helps.
 */
export function refuseExpired({ exp }: AssertionClaims, now: Date): void {
  if (secondsOf(now) >= exp + SKEW_SECONDS)
    throw invalidAssertion('The assertion has expired. Sign a new one for each exchange.');
}

/**
 * An assertion from the future (iat or nbf ahead by more than the skew) or with too long a lifetime was never valid,
 * nor will the next one from the same clock be: 403, with our time so that the caller can set its clock.
 */
export function refuseSkewed({ iat, nbf = iat, exp }: AssertionClaims, now: Date): void {
  const fromTheFuture = Math.max(iat, nbf) > secondsOf(now) + SKEW_SECONDS;
  if (fromTheFuture || exp - iat > MAX_LIFETIME_SECONDS) {
    throw refuse('clock_skew', { details: { server_time: timestamp(now) } });
  }
}

const secondsOf = (date: Date): number => date.getTime() / 1000;
