import { addSeconds, timestamp } from './clock';
import { type Issue } from './errors';

const DEFAULT_SECONDS = 15 * 60;
const MAX_SECONDS = 30 * 24 * 3600;

/** What is wrong with the expiry that a caller wants for its request, if anything. */
export function expiryIssues(expiresAt: string | undefined, now: Date): readonly Issue[] {
  if (expiresAt === undefined) return [];
  const field = 'expires_at';
  if (expiresAt <= timestamp(now)) return [{ code: 'in_the_past', field, message: 'must be in the future' }];
  if (expiresAt <= timestamp(addSeconds(now, MAX_SECONDS))) return [];
  return [{ code: 'too_far', field, message: 'must be at most 30 days away' }];
}

export const defaultExpiry = (now: Date): string => timestamp(addSeconds(now, DEFAULT_SECONDS));
