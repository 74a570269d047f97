import { type PageCursor, type PageRequest } from '../../platform/read-model/read-model.port';
import { type Check, type JsonSchema } from './checks';
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

const pageCursor: Check = {
  problems: (value) => {
    const valid = typeof value === 'string' && decode(value) !== undefined;
    return valid ? [] : [{ code: 'malformed', message: 'must be a next_cursor of this list' }];
  },
  schema: { type: 'string', maxLength: 1000, description: 'The next_cursor of the previous page' },
};

/** The query of every list. */
export class PageInput {
  @OptionalField(pageSize)
  limit?: string;

  @OptionalField(pageCursor)
  cursor?: string;
}

export const pageOf = ({ limit, cursor }: PageInput): PageRequest => ({
  bytes: PAGE_BYTES,
  limit: limit === undefined ? DEFAULT_LIMIT : Number(limit),
  ...(cursor === undefined ? {} : { after: decode(cursor) }),
});

/** Opaque to callers; it holds only the position where the page ended. */
export const cursorOf = (next: PageCursor | null): string | null =>
  next === null ? null : Buffer.from(JSON.stringify([next.sort, next.id])).toString('base64url');

export const nextCursorSchema: JsonSchema = { type: ['string', 'null'], description: 'Null on the last page' };

function decode(cursor: string): PageCursor | undefined {
  if (!/^[\w-]{1,1000}$/.test(cursor)) return undefined;
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (!Array.isArray(parts) || parts.length !== 2) return undefined;
    const [sort, id] = parts as unknown[];
    const sortable = sort === null || typeof sort === 'string' || typeof sort === 'number';
    return sortable && typeof id === 'string' && id.length <= 160 ? { sort, id } : undefined;
  } catch {
    return undefined;
  }
}
