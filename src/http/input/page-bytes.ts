/** A page ends early at this size, whatever `limit` says; `next_cursor` continues from there. */
export const PAGE_BYTES = 512 * 1024;
