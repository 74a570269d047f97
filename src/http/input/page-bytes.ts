/** A page ends early when it has come to this, whatever `limit` says; `next_cursor` goes on. */
export const PAGE_BYTES = 512 * 1024;
