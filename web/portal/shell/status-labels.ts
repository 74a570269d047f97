import { type Tone } from '../../ui/Status.tsx';

type Word = readonly [string, Tone];

export const PAYMENT: Readonly<Record<string, Word>> = {
  pending: ['Pending', 'warn'],
  intent_created: ['Created', 'warn'],
  signed: ['Signed', 'busy'],
  broadcasted: ['Broadcasted', 'busy'],
  confirmed: ['Confirmed', 'good'],
  failed: ['Failed', 'bad'],
  expired: ['Expired', 'calm'],
  rejected: ['Rejected', 'bad'],
};

export const WORDS: Readonly<Record<string, Word>> = {
  ...PAYMENT,
  active: ['Active', 'good'],
  verified: ['Verified', 'good'],
  created: ['Created', 'calm'],
  superseded: ['Superseded', 'calm'],
  retired: ['Retired', 'bad'],
  suspended: ['Suspended', 'warn'],
  revoked: ['Revoked', 'bad'],
  paused: ['Paused', 'warn'],
  disabled: ['Disabled', 'bad'],
  succeeded: ['Delivered', 'good'],
  cancelled: ['Cancelled', 'calm'],
  awaiting_opt_in: ['Awaiting opt-in', 'warn'],
  opted_out: ['Opted out', 'calm'],
  declined: ['Declined', 'bad'],
  replaced: ['Replaced', 'calm'],
};

export const SCOPE_WORDS: Readonly<Record<string, string>> = {
  'payment.requests.create': 'Ask for payments',
  'payment.requests.read': 'See the outcome of its payments',
  'transaction_contexts.create': 'Describe what a payment is for',
  'transaction_contexts.read': 'Read its own descriptions',
};

/** What the scopes allow, as one sentence: “Ask for payments, see the outcome of its payments”. */
export function scopesInWords(scopes: readonly string[]): string {
  const words = scopes.map((scope) => SCOPE_WORDS[scope] ?? scope);
  return words.map((one, at) => (at === 0 ? one : one.charAt(0).toLowerCase() + one.slice(1))).join(', ');
}

/** `payment_request.confirmed` in words. */
export const eventWords = (type: string): string => {
  const words = type.replaceAll('_', ' ').replaceAll('.', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};
