import { z } from 'zod';
import { tool } from '../tool.ts';
import { nextOf } from './asking.ts';
import { amount, description, orderReference, payeeId } from './fields.ts';
import { madeOnce } from './ordering.ts';
import { payeeNamed } from './payees.ts';
import { ofAgentPayment, payment } from './payment.ts';

export const payWithinPolicy = tool({
  name: 'pay_within_policy',
  title: 'Pay within a policy',
  description:
    'Starts a payment under a policy that the person opted in to beforehand, so that they do not have to approve this one. Success does not mean paid: the wallet still signs and reports. ' +
    'Anything beyond the policy is refused; then use request_payment with the same order_reference. Repeating with the same order_reference returns the same payment, ' +
    'even if it was requested with request_payment. A second payment of the same amount to the same payee within 24 hours is refused, because no person would review it.',
  input: z.strictObject({ payee_id: payeeId, amount, order_reference: orderReference, description }),
  output: z.object({
    payment_id: z.string().describe('The same as request_id.'),
    ...payment,
    policy_id: z.string().nullable().describe('The policy it was made under; null if the person is asked.'),
    repeated: z
      .boolean()
      .describe('True if this order_reference was used before: this is that payment, in its current state.'),
    next: z.string(),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  async run(order, context) {
    const { wallet } = context;
    const payments = wallet.paymentsTo('pay');
    const agent = await wallet.connected();
    const make = async (allowDuplicate: boolean) => {
      const [connection_id, payee] = await Promise.all([wallet.connectionId(), payeeNamed(agent, order.payee_id)]);
      const intent = {
        network: payee.network,
        recipient_id: payee.recipient_id,
        amount: order.amount,
        initiator: 'agent' as const,
        connection_id,
        // The same key a payment request for this order would have: the service makes one of the two, never both.
        idempotency_scope: 'connection' as const,
        ...(allowDuplicate ? {} : { if_duplicate: 'refuse' as const }),
        ...(order.description ? { metadata: { description: order.description } } : {}),
      };
      const made = await payments.create(intent, { idempotencyKey: order.order_reference });
      return { payment: ofAgentPayment(made), repeated: false };
    };
    const { payment: made, repeated } = await madeOnce(context, order, make, false);
    const { shown, policyId: policy_id } = made;
    return { structured: { payment_id: shown.request_id, ...shown, policy_id, repeated, next: nextOf(made) } };
  },
});
