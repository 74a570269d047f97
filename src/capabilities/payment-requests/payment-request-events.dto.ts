import { dateTime, integer, type JsonSchema, object, oneOf, text } from '../../http/input/checks';
import { OptionalField } from '../../http/input/field.decorator';
import { wholeNumber } from '../../http/input/whole-number';
import { PAYMENT_REQUEST_STATUSES } from './payment-request.events';

const DEFAULT_LIMIT = 100;

const cursor = wholeNumber(0, Number.MAX_SAFE_INTEGER, 'The last cursor seen; 0 or absent for the beginning');

export class PollEventsInput {
  @OptionalField(cursor)
  since?: string;

  @OptionalField(wholeNumber(1, 200, `How many at most; ${DEFAULT_LIMIT} if absent`))
  limit?: string;

  @OptionalField(wholeNumber(0, 30, 'Seconds to hold an empty answer back; 0 if absent'))
  wait?: string;
}

export const pollOf = ({ since = '0', limit = String(DEFAULT_LIMIT), wait = '0' }: PollEventsInput) => ({
  since: Number(since),
  limit: Number(limit),
  waitMs: Number(wait) * 1000,
});

export const isCursor = (value: unknown): value is string => cursor.problems(value).length === 0;

const types = ['created', 'signed', 'broadcasted', 'confirmed', 'failed', 'expired', 'rejected'];

export const eventSchema: JsonSchema = object(
  {
    cursor: integer(1, Number.MAX_SAFE_INTEGER, '1, 2, 3 … within the connection'),
    event_id: text({ max: 160 }),
    type: oneOf(types.map((type) => `payment_request.${type}`)),
    request_id: text({ max: 160 }),
    transaction_id: text({ max: 160 }),
    status: oneOf(PAYMENT_REQUEST_STATUSES),
    previous_status: { problems: () => [], schema: { enum: [...PAYMENT_REQUEST_STATUSES, null] } },
    occurred_at: dateTime(),
    data: object(
      {
        transaction_hash: text({ max: 200 }),
        reason: text({ max: 500 }),
        ledger: integer(0, Number.MAX_SAFE_INTEGER),
      },
      ['transaction_hash', 'reason', 'ledger'],
    ),
  },
  ['transaction_id'],
).schema;
