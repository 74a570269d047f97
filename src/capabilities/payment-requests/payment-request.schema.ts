import { type Check, dateTime, integer, type JsonSchema, named, object, oneOf, text } from '../../http/input/checks';
import { networkNames } from '../../networks';
import {
  CONFIRMED_BY_WALLET,
  finality,
  MAYBE_REPORTED,
  payee,
  paymentOn,
  reported,
  contested,
  settlement,
} from '../payments/payment-schema';
import { PAYMENT_REQUEST_PROTOCOL, PAYMENT_REQUEST_STATUSES } from '../../events/payment-request.events';

const id = (example: string): Check => text({ max: 160, example });
const anything: Check = { problems: () => [], schema: { type: 'object', additionalProperties: true } };

/** A payment request as every caller sees it (svc.payment_request.v1). */
export const paymentRequestSchema: JsonSchema = named(
  'PaymentRequest',
  object(
    {
      protocol: { problems: () => [], schema: { type: 'string', const: PAYMENT_REQUEST_PROTOCOL } },
      request_id: id('pr_01JZ5Y0W3X0000000000000000'),
      connection_id: id('con_01JZ5Y0W3X0000000000000000'),
      transaction_id: id('order-1017'),
      created_at: dateTime(),
      expires_at: dateTime(),
      idempotency_key: text({ max: 256 }),
      status: oneOf(PAYMENT_REQUEST_STATUSES, CONFIRMED_BY_WALLET),
      source: { ...anything, schema: { ...anything.schema, description: 'The agent and merchant behind the request' } },
      payee,
      payment: paymentOn(networkNames),
      policy: object({ requires_user_approval: { problems: () => [], schema: { type: 'boolean', const: true } } }),
      display: anything,
      metadata: anything,
      recipient_id: id('rcp_01JZ5Y0W3X0000000000000000'),
      recipient_version_id: id('rcv_01JZ5Y0W3X0000000000000000'),
      ...reported,
      settlement,
      contested,
      version: integer(1, Number.MAX_SAFE_INTEGER, 'How many events this request has'),
      is_final: finality,
      updated_at: dateTime(),
    },
    ['transaction_id', 'idempotency_key', 'display', 'metadata', ...MAYBE_REPORTED],
  ).schema,
);

export const duplicatesSchema: JsonSchema = {
  type: 'array',
  description: 'Open or confirmed requests of the connection for the same recipient and amount, from the last 24 hours',
  items: named(
    'PossibleDuplicate',
    object({
      request_id: id('pr_01JZ5Y0W3X0000000000000000'),
      status: oneOf(PAYMENT_REQUEST_STATUSES),
      created_at: dateTime(),
    }).schema,
  ),
};

const newerRevision = integer(1, Number.MAX_SAFE_INTEGER, 'The newest revision, if it was added after the request');
export const newerRevisionSchema: JsonSchema = newerRevision.schema;

/** The context the person decides by; the routes of transaction contexts describe the rest of it. */
export const reviewedContextSchema: JsonSchema = named('ReviewedTransactionContext', {
  ...object(
    {
      transaction_id: text({ max: 160 }),
      revision: integer(1, Number.MAX_SAFE_INTEGER, 'The revision that was current when the request was made'),
      newer_revision: newerRevision,
      title: text({ max: 200 }),
    },
    ['newer_revision'],
  ).schema,
  additionalProperties: true,
});
