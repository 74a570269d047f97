/** The network's own codes in plain words. The code is shown too: that is what people can search for. */
const WORDS: Readonly<Record<string, string>> = {
  'tx_failed: op_underfunded': 'The account does not hold enough',
};

/** Why a payment was not made. Reasons written by people or programs are shown as written. */
export function reasonWords(reason: string): string {
  const words = Object.hasOwn(WORDS, reason) ? WORDS[reason] : undefined;
  return words === undefined ? reason : `${words} (${reason})`;
}
