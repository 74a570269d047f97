// These names and shapes are on disk and on the wire: add a new event, never edit an old one.

/** One stream per log: the service secret it started with, as a fingerprint that reveals nothing about the secret. */
export type ServiceSecretAdopted = Readonly<{
  type: 'ServiceSecretAdopted';
  data: Readonly<{ fingerprint: string; adopted_at: string }>;
}>;

/** A new secret replaced the previous one. Older keys that are still needed are sealed with it: `older_keys_sealed`. */
export type ServiceSecretRotated = Readonly<{
  type: 'ServiceSecretRotated';
  data: Readonly<{ number: number; fingerprint: string; older_keys_sealed: string; rotated_at: string }>;
}>;

export type ServiceSecretEvent = ServiceSecretAdopted | ServiceSecretRotated;
