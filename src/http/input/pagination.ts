import { createHash } from 'node:crypto';
import { canonicalJson } from '../../kernel/canonical-json';
import { refuseInput } from '../../kernel/errors';
import { type PageCursor, type PageRequest } from '../../platform/read-model/read-model.port';
import { type Check, type JsonSchema, type Problem } from './checks';
import { OptionalField } from './field.decorator';
import { PAGE_BYTES } from './page-bytes';

/** Of lists and of feeds alike: the contract sets one page size. */
export const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

/** A query carries text; `5.0`, ` 5` and `0x5` are not page sizes. */
const pageSize: Check = {
  problems: (value) => {
    const valid = typeof value === 'string' && /^[1-9]\d{0,2}$/.test(value) && Number(value) <= MAX_LIMIT;
    return valid ? [] : [{ code: 'out_of_range', message: `must be a whole number from 1 to ${MAX_LIMIT}` }];
  },
  schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
};

const foreignCursor: Problem = {
  code: 'malformed',
  message: 'must be a next_cursor of this list, with the same filters',
};

const pageCursor: Check = {
  problems: (value) => {
    const valid = typeof value === 'string' && decode(value) !== undefined;
    return valid ? [] : [foreignCursor];
  },
  schema: {
    type: 'string',
    maxLength: 1000,
    description: 'The next_cursor of the previous page; the filters must be the same',
  },
};

/** The query of every list. */
export class PageInput {
  @OptionalField(pageSize)
  limit?: string;

  @OptionalField(pageCursor)
  cursor?: string;
}

/** One list among all: what it lists, and the values that select it, the caller's own included. */
export type ListMark = () => string;

/**
 * A few bytes are enough: it has to tell a mistake, not to withstand somebody who makes up cursors. Made on first use,
 * since most lists are one page long and neither come with a cursor nor get one.
 */
export function listMark(what: string, by: Readonly<Record<string, unknown>>): ListMark {
  let mark: string | undefined;
  return () =>
    (mark ??= createHash('sha256')
      .update(canonicalJson([what, by]))
      .digest()
      .subarray(0, 6)
      .toString('base64url'));
}

/** A cursor of another list names a place that means nothing in this one: entries would be missing without a word. */
export function pageOf({ limit, cursor }: PageInput, list: ListMark): PageRequest {
  const place = cursor === undefined ? undefined : decode(cursor);
  if (place?.list !== undefined && place.list !== list()) throw refuseInput([{ ...foreignCursor, field: 'cursor' }]);
  return {
    bytes: PAGE_BYTES,
    limit: limit === undefined ? DEFAULT_LIMIT : Number(limit),
    ...(place === undefined ? {} : { after: place.after }),
  };
}

/** Opaque to callers; it holds only the position where the page ended, and in which list. */
export const cursorOf = (next: PageCursor | null, list: ListMark): string | null =>
  next === null ? null : Buffer.from(JSON.stringify([next.sort, next.id, list()])).toString('base64url');

export const nextCursorSchema: JsonSchema = { type: ['string', 'null'], description: 'Null on the last page' };

/** Earlier versions did not write down the list: their cursors are taken by any. */
type Place = Readonly<{ after: PageCursor; list: string | undefined }>;

function decode(cursor: string): Place | undefined {
  if (!/^[\w-]{1,1000}$/.test(cursor)) return undefined;
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (!Array.isArray(parts) || parts.length < 2 || parts.length > 3) return undefined;
    const [sort, id, list] = parts as unknown[];
    const isSortable = sort === null || typeof sort === 'string' || typeof sort === 'number';
    const isMark = list === undefined || (typeof list === 'string' && /^[\w-]{8}$/.test(list));
    if (!isSortable || typeof id !== 'string' || id.length > 160 || !isMark) return undefined;
    return { after: { sort, id }, list };
  } catch {
    return undefined;
  }
}
