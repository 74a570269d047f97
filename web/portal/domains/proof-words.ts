const WORDS: Readonly<Record<string, string>> = {
  record_not_found: 'No such record',
  record_mismatch: 'The record has a different value',
  dns_failed: 'The name could not be looked up',
  content_mismatch: 'The file has different content',
  content_too_long: 'The file has more than the expected content',
};

/** Something is there, but not what was asked for. */
const MISMATCHES: readonly string[] = ['record_mismatch', 'content_mismatch', 'content_too_long'];

export const proofTitle = (reason: string): string =>
  MISMATCHES.includes(reason) ? 'Does not match yet' : 'Not found yet';

export const proofWords = (reason: string): string =>
  (Object.hasOwn(WORDS, reason) ? WORDS[reason] : undefined) ?? reason.replaceAll('_', ' ');
