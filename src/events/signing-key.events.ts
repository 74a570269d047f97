// These names and shapes are on disk and on the wire: add a new event, never edit an old one.

/** One stream per key, named by the key's id. Signatures made with a key are verified with it forever. */
export type SigningKeyPublished = Readonly<{
  type: 'SigningKeyPublished';
  data: Readonly<{ key_id: string; alg: 'Ed25519'; public_key: string; published_at: string }>;
}>;

/** The previous key vouches for its successor: trusting the one is enough to trust the other. */
export type SigningKeyEndorsed = Readonly<{
  type: 'SigningKeyEndorsed';
  data: Readonly<{ key_id: string; public_key: string; by_key_id: string; signature: string; endorsed_at: string }>;
}>;

export type SigningKeyEvent = SigningKeyPublished | SigningKeyEndorsed;
