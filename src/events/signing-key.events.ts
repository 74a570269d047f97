// These names and shapes are on disk and on the wire: add a new event, never edit an old one.

/** One stream per key, named by the key's id. What was signed under a key is checked under it for ever. */
export type SigningKeyPublished = Readonly<{
  type: 'SigningKeyPublished';
  data: Readonly<{ key_id: string; alg: 'Ed25519'; public_key: string; published_at: string }>;
}>;

/** The key before says that this one follows it: who trusts the one need not be told of the other. */
export type SigningKeyEndorsed = Readonly<{
  type: 'SigningKeyEndorsed';
  data: Readonly<{ key_id: string; public_key: string; by_key_id: string; signature: string; endorsed_at: string }>;
}>;

export type SigningKeyEvent = SigningKeyPublished | SigningKeyEndorsed;
