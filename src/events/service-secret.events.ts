// These names and shapes are on disk and on the wire: add a new event, never edit an old one.

/** One stream for the log: which service secret it was begun with, by a fingerprint that tells nothing of the secret. */
export type ServiceSecretAdopted = Readonly<{
  type: 'ServiceSecretAdopted';
  data: Readonly<{ fingerprint: string; adopted_at: string }>;
}>;

/** Another secret took its place. What the ones before still open is sealed under the new one: `older_keys_sealed`. */
export type ServiceSecretRotated = Readonly<{
  type: 'ServiceSecretRotated';
  data: Readonly<{ number: number; fingerprint: string; older_keys_sealed: string; rotated_at: string }>;
}>;

export type ServiceSecretEvent = ServiceSecretAdopted | ServiceSecretRotated;
