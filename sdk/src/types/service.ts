/** One entry of the error catalogue. */
export type CataloguedError = Readonly<{
  code: string;
  status: number;
  meaning: string;
  recovery: string;
  retry: 'no' | 'after_fixing' | 'after_refresh' | 'later' | 'start_again';
  /** Whether repeating the call with the same idempotency key is safe. */
  same_key: boolean;
}>;
