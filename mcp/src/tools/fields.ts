import { z } from 'zod';

// Not accepted in any text: control characters and direction overrides. Some texts allow line breaks and tabs.
const UNREADABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const LAYOUT = /[\t\n\r\u2028\u2029]/;

const READABLE = 'must not contain control characters, half characters (lone surrogates) or direction overrides';
const ONE_LINE = 'must be on one line, without line breaks or tabs';

/** Readable text, on one line by default. Checked here, so that a model learns which argument to fix. */
export function text(max: number, { lines = false } = {}): z.ZodString {
  const readable = z
    .string()
    .min(1)
    .max(max)
    .refine((given) => !UNREADABLE.test(given) && !/\p{Surrogate}/u.test(given), READABLE);
  return lines ? readable : readable.refine((given) => !LAYOUT.test(given), ONE_LINE);
}

export const payeeId = text(160).describe('payee_id from list_payees. Never an address, and never made up.');

export const amount = z
  .string()
  .regex(
    /^(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/,
    'must be a plain decimal such as "12.5": no sign, exponent, currency or separators',
  )
  .refine((given) => /[1-9]/.test(given), 'must be more than zero')
  .describe('Exact decimal as text, such as "12.5", in the asset of the payee. Never a number.');

export const orderReference = text(256)
  .refine((given) => given.trim() === given, 'must not begin or end with a space')
  .refine((given) => given !== '.' && given !== '..', 'must not be . or ..')
  .describe(
    'Identifies this order: an order number, or any text that you keep for the whole order. It is the idempotency key: the same ' +
      'order_reference is always the same payment, however often you call and with either tool. Reuse it when you repeat a call; use another only for another order.',
  );

export const description = text(500)
  .optional()
  .describe('What it is for, in one sentence for the person. It cannot name an address or a payee.');

/** Path segments that the service uses for something other than a payment. */
const RESERVED_SEGMENTS = ['.', '..', 'events', 'by-key'];

export const requestId = z
  .string()
  .min(1)
  .max(160)
  .refine(
    (given) => /^[A-Za-z0-9._:-]*$/.test(given) && !RESERVED_SEGMENTS.includes(given),
    'must be the id of a payment; use a request_id that request_payment, pay_within_policy, find_payment or list_payments returned',
  )
  .describe(
    'request_id of a payment (pr_… or ap_…), from request_payment, pay_within_policy, find_payment or list_payments.',
  );

export const transactionId = text(160).refine((given) => given !== '.' && given !== '..', 'must not be . or ..');
