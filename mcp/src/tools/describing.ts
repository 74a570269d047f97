import { z } from 'zod';
import { tool } from '../tool.ts';
import { text, transactionId } from './fields.ts';

export const describeTransaction = tool({
  name: 'describe_transaction',
  title: 'Describe a transaction',
  description:
    'Records what a payment is about, for the person to read next to the amount: a title, a summary and lines such as "Coffee: 2". Returns a transaction_id for request_payment. ' +
    'Call it before request_payment: a payment shows the description that existed when it was requested. Calling it again with the same transaction_id affects only payments requested after that. It pays nothing, and it cannot name an address or a payee.',
  input: z.strictObject({
    title: text(200).describe('What it is about in a few words, such as "Two coffees". The person reads it first.'),
    summary: text(2_000, { lines: true })
      .optional()
      .describe('More about it, in a few sentences for the person. It cannot name an address or a payee.'),
    items: z
      .array(
        z.strictObject({
          label: text(200).describe('What the line is, such as "Flat white".'),
          value: text(500).describe('How many, how much or which, such as "2".'),
        }),
      )
      .max(50)
      .optional()
      .describe('Lines of the order, at most 50, shown in this order.'),
    transaction_id: transactionId.optional().describe('Your own name for the order; one is generated if omitted.'),
  }),
  output: z.object({ transaction_id: z.string(), revision: z.number().int() }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  async run({ title, summary, items, transaction_id }, { wallet }) {
    const context = await (
      await wallet.connected()
    ).describeTransaction({
      title,
      ...(summary ? { summary } : {}),
      ...(items ? { items } : {}),
      ...(transaction_id ? { transaction_id } : {}),
    });
    return { structured: { transaction_id: context.transaction_id, revision: context.revision } };
  },
});
