/** The network's own codes, for people. The code stays beside it: it is what a search finds. */
const WORDS: Readonly<Record<string, string>> = {
  'tx_failed: op_underfunded': 'The account does not hold enough',
};

/** Why a payment was not made. What people or programs wrote is shown as they wrote it. */
export function reasonWords(reason: string): string {
  const words = Object.hasOwn(WORDS, reason) ? WORDS[reason] : undefined;
  return words === undefined ? reason : `${words} (${reason})`;
}
