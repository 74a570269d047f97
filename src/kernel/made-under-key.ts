import { refuse } from './errors';

/** Kept in the event that makes a thing whose caller gave an idempotency key (docs/adr/0030). */
export type MadeUnderKey = Readonly<{ idempotency_key: string; intent_digest: string }>;

/** What an event keeps of it; absent where the call carried no key, and in logs from before there were any. */
export type MaybeUnderKey = Partial<MadeUnderKey>;

/** The event's part about the key, for an event that is written or read. */
export const underKey = ({ idempotency_key, intent_digest }: MaybeUnderKey = {}): MaybeUnderKey =>
  idempotency_key === undefined || intent_digest === undefined ? {} : { idempotency_key, intent_digest };

/** What a repeat of the making adds: nothing, if it is the same intent. */
export function repeated(made: MaybeUnderKey, wanted: MaybeUnderKey | undefined): readonly [] {
  assertSameIntent(made, wanted);
  return [];
}

/** A key stands for one intent: what exists under it was made for this one, or the call is refused. */
export function assertSameIntent(made: MaybeUnderKey, wanted: MaybeUnderKey | undefined): void {
  if (wanted?.intent_digest !== made.intent_digest) throw refuse('IDEMPOTENCY_KEY_REUSED');
}
