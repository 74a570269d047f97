// These names and shapes are on disk and on the wire: add a new event, never edit an old one.

/** One stream for the log: which service secret it was begun with, by a fingerprint that tells nothing of the secret. */
export type ServiceSecretAdopted = Readonly<{
  type: 'ServiceSecretAdopted';
  data: Readonly<{ fingerprint: string; adopted_at: string }>;
}>;

export type ServiceSecretEvent = ServiceSecretAdopted;
