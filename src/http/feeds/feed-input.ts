import { integer, type JsonSchema } from '../input/checks';
import { OptionalField } from '../input/field.decorator';
import { DEFAULT_LIMIT } from '../input/pagination';
import { wholeNumber } from '../input/whole-number';

const cursor = wholeNumber(0, Number.MAX_SAFE_INTEGER, 'The last cursor seen; 0 or absent for the beginning');

/** The query of a list with a dense integer cursor. */
export class SinceInput {
  @OptionalField(cursor)
  since?: string;

  @OptionalField(wholeNumber(1, 200, `The maximum number of events; ${DEFAULT_LIMIT} if absent`))
  limit?: string;
}

/** The query of every feed. */
export class FeedInput extends SinceInput {
  @OptionalField(wholeNumber(0, 30, 'How many seconds an empty answer may be delayed; 0 if absent'))
  wait?: string;
}

export const pollOf = ({ since = '0', limit = String(DEFAULT_LIMIT), wait = '0' }: FeedInput) => ({
  since: Number(since),
  limit: Number(limit),
  waitMs: Number(wait) * 1000,
});

export const isCursor = (value: unknown): value is string => cursor.problems(value).length === 0;

export const EVENT_STREAM = 'text/event-stream';

/** The schema of a feed's response. */
export const feedAnswer = (event: JsonSchema): Readonly<Record<string, JsonSchema>> => ({
  events: { type: 'array', items: event },
  next_cursor: integer(0, Number.MAX_SAFE_INTEGER, 'The next `since`').schema,
  newest_cursor: integer(
    0,
    Number.MAX_SAFE_INTEGER,
    'The newest cursor of the feed; a `since` beyond it comes from another feed',
  ).schema,
  has_more: { type: 'boolean' },
});
