/** Every reactor of the service, so that a command that runs none of them can list what was set aside for each. */
export const REACTOR_NAMES = [
  'domain-names',
  'finish-policy-slots',
  'finish-reservations',
  'open-invited-connections',
  'open-organizations',
  'open-paired-connections',
  'payee-notices',
  'revoke-with-credential',
  'revoke-with-device',
  'settlement',
  'webhook-notices',
  'webhook-requeue',
  'withdraw-pending',
  'withdraw-with-policy',
] as const;
export type ReactorName = (typeof REACTOR_NAMES)[number];
