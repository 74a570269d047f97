import { z } from 'zod';
import { tool } from '../tool.ts';
import { requestId, text } from './fields.ts';
import { payment, STATUSES } from './payment.ts';

export const withdrawPayment = tool({
  name: 'withdraw_payment',
  title: 'Withdraw a payment',
  description:
    'Takes back a payment that nobody has signed yet, so that it can no longer be paid: an order that was cancelled, or a mistake. outcome is withdrawn, or what it has become meanwhile. ' +
    'Once the person or the wallet has signed, it cannot be taken back. Withdrawing it again changes nothing.',
  input: z.strictObject({
    request_id: requestId,
    reason: text(500).optional().describe('Why, in one sentence; the person and the merchant see it.'),
  }),
  output: z.object({
    ...payment,
    withdrawn: z.boolean(),
    outcome: z.enum(['withdrawn', ...STATUSES]),
    next: z.string(),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  async run({ request_id, reason }, { payments }) {
    const { shown } = await payments.withdraw(request_id, reason);
    const withdrawn = shown.status === 'failed' && shown.reason === 'withdrawn';
    const next = withdrawn
      ? 'Tell the person that nothing will be paid. A new order needs a new order_reference.'
      : `It could not be taken back: it is ${shown.status}. Tell the person what that means.`;
    return {
      structured: { ...shown, withdrawn, outcome: withdrawn ? ('withdrawn' as const) : shown.status, next },
    };
  },
});
