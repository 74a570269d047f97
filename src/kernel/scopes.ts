export const SCOPES = [
  'payment.requests.create',
  'payment.requests.read',
  'transaction_contexts.create',
  'transaction_contexts.read',
] as const;
export type Scope = (typeof SCOPES)[number];
