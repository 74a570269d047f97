import { z } from 'zod';
import { tool } from '../tool.ts';
import { amount, description, orderReference, payeeId, transactionId } from './fields.ts';
import { madeOnce } from './ordering.ts';
import { payeeNamed } from './payees.ts';
import { ofRequest, payment, type Payment } from './payment.ts';

export const requestPayment = tool({
  name: 'request_payment',
  title: 'Ask for a payment',
  description:
    'Asks the person to pay a payee. Success means "waiting for the person": it appears in their wallet, and nothing is paid until they approve and sign it there. Never tell anyone that it was paid ' +
    'because this call succeeded; use get_payment or wait_for_payment to learn the outcome. ' +
    'If you lose the result, or are unsure whether you called it, call it again with the same order_reference: that returns the same payment and never creates a second one, even with another ' +
    'description, and even if the payment was made with pay_within_policy.',
  input: z.strictObject({
    payee_id: payeeId,
    amount,
    order_reference: orderReference,
    description,
    transaction_id: transactionId
      .optional()
      .describe('transaction_id from describe_transaction, to show its details next to the request.'),
    allow_duplicate: z
      .boolean()
      .optional()
      .describe(
        'Only after the person has said that they really want a second payment of the same amount to the same payee.',
      ),
  }),
  output: z.object({
    ...payment,
    repeated: z
      .boolean()
      .describe('True if this order_reference was used before: this is that payment, in its current state.'),
    next: z.string(),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  async run({ allow_duplicate, ...order }, context) {
    const agent = await context.wallet.connected();
    const make = async (allowDuplicate: boolean) => {
      const { recipient_id, recipient_version_id } = await payeeNamed(agent, order.payee_id);
      const { payment_request: request, replayed } = await agent.createPaymentRequest(
        {
          recipient_id,
          recipient_version_id,
          payment: { amount: order.amount },
          ...(order.transaction_id ? { transaction_id: order.transaction_id } : {}),
          ...(order.description ? { display: { description: order.description } } : {}),
          ...(allowDuplicate ? {} : { if_duplicate: 'refuse' }),
        },
        { idempotencyKey: order.order_reference },
      );
      return { payment: ofRequest(request), repeated: replayed };
    };
    const made = await madeOnce(context, order, make, allow_duplicate === true);
    return { structured: { ...made.payment.shown, repeated: made.repeated, next: nextOf(made.payment) } };
  },
});

const FINAL = 'This payment is final. Tell the person what its status means.';
const USED_UP =
  'This order_reference always returns this payment. If the person wants to try again, use a new order_reference.';
const ASK =
  'Waiting for the person: ask them to check their wallet, then call wait_for_payment with this request_id. It is not paid yet.';
/** A policy replaces the approval, not the signature, and some wallets sign nothing unattended. */
const UNSIGNED =
  'No approval is needed, but the wallet has to sign and may ask the person to sign: tell them to look there. It is not paid yet. wait_for_payment with this request_id returns the outcome.';
const SIGNED =
  'The wallet has signed it; nobody has to approve anything. It is not confirmed yet: wait_for_payment with this request_id returns the outcome.';

export function nextOf({ shown, waitsFor }: Payment): string {
  if (shown.is_final) return shown.status === 'confirmed' ? FINAL : `${FINAL} ${USED_UP}`;
  if (waitsFor === 'the person') return ASK;
  return shown.status === 'intent_created' ? UNSIGNED : SIGNED;
}
