/** A personal key as it is kept: wrapped under the service secret, or nothing but the note that it was destroyed. */
export type LivingKey = Readonly<{ keyId: string; wrapped: string }>;
export type KeptKey = LivingKey | Readonly<{ keyId: string | null; destroyedAt: string }>;

/**
 * Keys of persons, one living key each. They lie outside the log, which is for ever, and outside the documents, which may be
 * dropped and built anew: what is destroyed here is gone, and what is here survives every rebuild.
 */
export interface PersonalKeyStore {
  find(owner: string): Promise<KeptKey | undefined>;
  /** Keeps the key unless the owner has a living one, and answers with the living one. Durable when it answers. */
  keep(owner: string, keyId: string, wrapped: string): Promise<KeptKey>;
  /** Destroys the owner's key and notes when; the note alone stays, also where there was no key. Durable when it answers. */
  destroy(owner: string, at: string): Promise<void>;
  /** Those who have a living key, or one that cannot be read, in any order; who comes or goes meanwhile may be among them or not. */
  owners(): AsyncIterable<string>;
  /**
   * Keeps the same key wrapped otherwise; false where it is not the one given any more, as when it was destroyed meanwhile. What it was
   * wrapped as before is gone as a destroyed key is, also where that was cut short before. Durable when it answers.
   */
  rewrap(owner: string, before: LivingKey, wrapped: string): Promise<boolean>;
  /** Where an operator finds what is kept for the owner. */
  placeOf(owner: string): string;
  close(): Promise<void>;
}

/** What is kept for an owner is no key, nor the note of one: damaged, or put there by somebody else. */
export class UnreadableKey extends Error {}

export const PERSONAL_KEY_STORE = Symbol('PersonalKeyStore');

export const isLiving = (kept: KeptKey | undefined): kept is LivingKey => kept !== undefined && 'wrapped' in kept;
