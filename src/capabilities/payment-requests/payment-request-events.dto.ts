import { dateTime, integer, type JsonSchema, named, object, oneOf, text } from '../../http/input/checks';
import { contested, settlement } from '../payments/payment-schema';
import { PAYMENT_REQUEST_STATUSES } from '../../events/payment-request.events';

const types = [
  'created',
  'signed',
  'broadcasted',
  'confirmed',
  'failed',
  'expired',
  'rejected',
  'late_report',
  'settlement_observed',
];

export const eventSchema: JsonSchema = named(
  'PaymentRequestEvent',
  object(
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
          settlement,
          contested,
        },
        ['transaction_hash', 'reason', 'ledger', 'settlement', 'contested'],
      ),
    },
    ['transaction_id'],
  ).schema,
);
