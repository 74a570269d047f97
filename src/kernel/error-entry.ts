/** `retry` says what a client does next; `same_key` whether a repeat with the same idempotency key is safe. */
export type Entry = Readonly<{ status: number; meaning: string; recovery: string; retry: Retry; same_key: boolean }>;
export type Retry = 'no' | 'after_fixing' | 'after_refresh' | 'later' | 'start_again';

export const FIX = 'after_fixing';

/** `recovery` begins with what to do. */
export const entry = (
  status: number,
  meaning: string,
  recovery: string,
  retry: Retry = 'no',
  same_key = true,
): Entry => ({ status, meaning, recovery, retry, same_key });
