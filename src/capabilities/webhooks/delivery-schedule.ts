import { createHash } from 'node:crypto';
import { type DeliveryId } from '../../kernel/aggregates';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Seconds between attempts; after the last one, the delivery has failed. */
export const RETRY_AFTER_SECONDS = [
  5,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

const JITTER = 0.2;
/** A receiver may ask for a delay, but not for an endless one. */
const MAX_RETRY_AFTER_SECONDS = 24 * HOUR;

/**
 * When the next attempt is due after this many in the round, or null if there is none. Jitter keeps deliveries that
 * failed together from being retried together; it derives from the ids, so that it is reproducible.
 */
export function nextAttemptAt(
  deliveryId: DeliveryId,
  attemptsThisRound: number,
  from: Date,
  wishedSeconds: number | null,
): Date | null {
  const delay = RETRY_AFTER_SECONDS[attemptsThisRound - 1];
  if (delay === undefined) return null;
  const scheduled = delay * (1 + JITTER * (2 * fraction(`${deliveryId}:${attemptsThisRound}`) - 1));
  const wished = Math.min(wishedSeconds ?? 0, MAX_RETRY_AFTER_SECONDS);
  return new Date(from.getTime() + Math.round(Math.max(scheduled, wished) * 1000));
}

/** From 0 to 1; the same text always gives the same value. */
const fraction = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE(0) / 0xffffffff;
