/** A personal key as stored: wrapped under the service secret, or only the note that it was destroyed. */
export type LivingKey = Readonly<{ keyId: string; wrapped: string }>;
export type KeptKey = LivingKey | Readonly<{ keyId: string | null; destroyedAt: string }>;

/**
 * Personal keys, one living key per owner. They are stored outside the log, which is permanent, and outside the
 * documents, which may be dropped and rebuilt: what is destroyed here is gone, and what is here survives every rebuild.
 */
export interface PersonalKeyStore {
  find(owner: string): Promise<KeptKey | undefined>;
  /** Stores the key unless the owner has a living one, and returns the living one. Durable when it resolves. */
  keep(owner: string, keyId: string, wrapped: string): Promise<KeptKey>;
  /** Destroys the owner's key and notes when; the note stays, even if there was no key. Durable when it resolves. */
  destroy(owner: string, at: string): Promise<void>;
  /** Owners of a living or unreadable key, in any order; one added or removed meanwhile may or may not be included. */
  owners(): AsyncIterable<string>;
  /**
   * Stores the same key, wrapped anew; false if it is no longer the one given, as when it was destroyed meanwhile. The
   * old wrapping is gone like a destroyed key, even where an earlier call was cut short. Durable when it resolves.
   */
  rewrap(owner: string, before: LivingKey, wrapped: string): Promise<boolean>;
  /** Where an operator finds what is stored for the owner. */
  placeOf(owner: string): string;
  close(): Promise<void>;
}

/** What is stored for an owner is neither a key nor a note of its destruction: damaged, or from elsewhere. */
export class UnreadableKey extends Error {}

export const PERSONAL_KEY_STORE = Symbol('PersonalKeyStore');

export const isLiving = (kept: KeptKey | undefined): kept is LivingKey => kept !== undefined && 'wrapped' in kept;
