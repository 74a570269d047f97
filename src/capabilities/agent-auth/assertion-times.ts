import { timestamp } from '../../kernel/clock';
import { refuse } from '../../kernel/errors';
import { type AssertionClaims, invalidAssertion } from './assertion-text';

const SKEW_SECONDS = 60;
const MAX_LIFETIME_SECONDS = 300;

/**
 * Two kinds of wrong time. An assertion whose exp has passed, by more than the skew, was good once: 401, and a freshly
 * signed one helps.
 */
export function refuseExpired({ exp }: AssertionClaims, now: Date): void {
  if (secondsOf(now) >= exp + SKEW_SECONDS)
    throw invalidAssertion('The assertion has expired. Sign a new one for each exchange.');
}

/**
 * One that claims to come from the future (iat or nbf ahead by more than the skew), or to last longer than any may, was
 * never good and the next one from the same clock will not be either: 403, with our time to set the clock by.
 */
export function refuseSkewed({ iat, nbf = iat, exp }: AssertionClaims, now: Date): void {
  const fromTheFuture = Math.max(iat, nbf) > secondsOf(now) + SKEW_SECONDS;
  if (fromTheFuture || exp - iat > MAX_LIFETIME_SECONDS) {
    throw refuse('clock_skew', { details: { server_time: timestamp(now) } });
  }
}

const secondsOf = (date: Date): number => date.getTime() / 1000;
