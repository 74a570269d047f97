/** In the order of a payment's life cycle. */
export const PAYMENT_STATUSES = [
  'pending',
  'signed',
  'broadcasted',
  'confirmed',
  'failed',
  'expired',
  'rejected',
] as const;
