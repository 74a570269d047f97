const WORDS: Readonly<Record<string, string>> = {
  'payment.requests.create': 'Ask you for payments. Each one still waits for you.',
  'payment.requests.read': 'See the outcome of the payments it asked for.',
  'transaction_contexts.create': 'Describe what a payment is for.',
  'transaction_contexts.read': 'Read its own descriptions again.',
};

/** What an agent may do, in plain words. */
export const scopeInWords = (scope: string): string => WORDS[scope] ?? scope;
