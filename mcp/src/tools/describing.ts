import { z } from 'zod';
import { tool } from '../tool.ts';

export const describeTransaction = tool({
  name: 'describe_transaction',
  title: 'Describe a transaction',
  description:
    'Writes down what a payment is about, for the person to read beside the amount: a title, a summary and lines such as "Coffee: 2". Returns a transaction_id for request_payment. ' +
    'The same transaction_id again replaces what is shown. It pays nothing, and it can name no address or payee.',
  input: z.strictObject({
    title: z.string().min(1).max(200),
    summary: z.string().min(1).max(2_000).optional(),
    items: z
      .array(z.strictObject({ label: z.string().min(1).max(200), value: z.string().min(1).max(500) }))
      .max(50)
      .optional(),
    transaction_id: z
      .string()
      .min(1)
      .max(160)
      .optional()
      .describe('A name of your own for the order; one is made if left out.'),
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
