import { z } from 'zod';
import { type PaymentRequest } from '../../../sdk/src/index.ts';

export const payeeId = z
  .string()
  .min(1)
  .max(160)
  .describe('payee_id from list_payees. Never an address, and never made up.');

export const amount = z
  .string()
  .regex(
    /^(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/,
    'must be a plain decimal such as "12.5": no sign, exponent, currency or separators',
  )
  .refine((text) => /[1-9]/.test(text), 'must be more than zero')
  .describe('Exact decimal as text, such as "12.5", in the asset of the payee. Never a number.');

export const orderReference = z
  .string()
  .min(1)
  .max(256)
  .regex(/^(?!\.{1,2}$)\S(?:.*\S)?$/u, 'must not begin or end with a space, nor be . or ..')
  .describe(
    'What makes this order this order: an order number, or a text you keep for the whole order. It is the idempotency key: the same ' +
      'order_reference is always the same payment, however often you call. Repeat with the same one; use another only for another order.',
  );

export const requestId = z
  .string()
  .min(1)
  .max(160)
  .describe('request_id of a payment, from request_payment or list_payments.');

export const STATUSES = ['pending', 'signed', 'broadcasted', 'confirmed', 'failed', 'expired', 'rejected'] as const;

/** A payment as tools show it. */
export const payment = {
  request_id: z.string(),
  status: z.enum(STATUSES),
  is_final: z.boolean(),
  meaning: z.string().describe('What the status means, for the person.'),
  payee: z.string(),
  amount: z.string(),
  asset: z.string(),
  network: z.string(),
  order_reference: z.string().nullable(),
  transaction_hash: z.string().nullable(),
  reason: z.string().nullable(),
  settlement: z
    .string()
    .nullable()
    .describe(
      'What the service saw on the network itself: matches, differs, not_found or pending; null if it did not look.',
    ),
  created_at: z.string(),
  expires_at: z.string(),
};

const MEANINGS: Readonly<Record<PaymentRequest['status'], string>> = {
  pending: 'Waiting for the person to approve it in their wallet. Nothing is paid.',
  signed: 'The person approved and signed. It is not on the network yet.',
  broadcasted: 'The wallet sent the transaction. It is not confirmed yet.',
  confirmed:
    'The wallet reports that the transaction is in a ledger. That is the wallet’s word; settlement says what the service saw itself.',
  failed: 'The wallet reports that it failed. Nothing more will happen to it.',
  expired: 'Nobody approved it in time. Nothing was paid under it.',
  rejected: 'The person said no. Nothing was paid. Do not ask again unless they want you to.',
};

export function shown(request: PaymentRequest): { [Name in keyof typeof payment]: z.output<(typeof payment)[Name]> } {
  const settlement = (request as { settlement?: { verdict: string } | null }).settlement;
  return {
    request_id: request.request_id,
    status: request.status,
    is_final: request.is_final,
    meaning: MEANINGS[request.status],
    payee: request.payee.name,
    amount: request.payment.amount,
    asset: request.payment.asset,
    network: request.payment.network,
    order_reference: request.idempotency_key ?? null,
    transaction_hash: request.transaction_hash ?? null,
    reason: request.reason ?? null,
    settlement: settlement?.verdict ?? null,
    created_at: request.created_at,
    expires_at: request.expires_at,
  };
}
