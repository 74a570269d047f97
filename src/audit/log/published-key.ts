import { type Decider } from '../../kernel/decider';
import { type SigningKeyEndorsed, type SigningKeyEvent } from '../../events/signing-key.events';

export type PublishKey = Readonly<{
  id: string;
  publicKey: string;
  /** By the previous key, if this one follows it. */
  endorsement: Omit<SigningKeyEndorsed['data'], 'endorsed_at'> | null;
  at: string;
}>;

/** Whether a signing key is in the log; it is published once, together with the previous key's endorsement. */
export const publishedKey: Decider<boolean, PublishKey, SigningKeyEvent> = {
  category: 'signing_key',
  initial: false,

  decide({ id, publicKey, endorsement, at }, isPublished) {
    if (isPublished) return [];
    const about = { key_id: id, alg: 'Ed25519', public_key: publicKey, published_at: at } as const;
    const published = { type: 'SigningKeyPublished', data: about } as const;
    if (endorsement === null) return [published];
    return [published, { type: 'SigningKeyEndorsed', data: { ...endorsement, endorsed_at: at } }];
  },

  evolve: () => true,
};
