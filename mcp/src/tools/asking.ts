import { z } from 'zod';
import { type AgentClient, type PaymentRequest, SvcError } from '../../../sdk/src/index.ts';
import { tool, type ToolContext } from '../tool.ts';
import { ToolError } from '../tool-errors.ts';
import { amount, orderReference, payeeId, payment, shown } from './fields.ts';
import { payeeNamed } from './payees.ts';

type Order = Readonly<{
  payee_id: string;
  amount: string;
  order_reference: string;
  description?: string | undefined;
  transaction_id?: string | undefined;
}>;

type Made = Readonly<{ request: PaymentRequest; repeated: boolean }>;

export const requestPayment = tool({
  name: 'request_payment',
  title: 'Ask for a payment',
  description:
    'Asks the person to pay a payee. Success means "waiting for the person": it appears in their wallet, and nothing is paid until they approve and sign it there. Never tell anyone that it was paid ' +
    'because this call succeeded; use get_payment or wait_for_payment to learn what became of it. ' +
    'If you lose the answer, or are unsure whether you called it, call it again with the same order_reference: that returns the same payment and never makes a second one, even with another description.',
  input: z.strictObject({
    payee_id: payeeId,
    amount,
    order_reference: orderReference,
    description: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe('What it is for, in a sentence, for the person. It can name no address or payee.'),
    transaction_id: z
      .string()
      .min(1)
      .max(160)
      .optional()
      .describe('transaction_id from describe_transaction, to show its details beside the request.'),
    allow_duplicate: z
      .boolean()
      .optional()
      .describe(
        'Only after the person said that a second payment to the same payee over the same amount is really wanted.',
      ),
  }),
  output: z.object({
    ...payment,
    repeated: z
      .boolean()
      .describe('True if this order_reference had been used before: this is that payment as it is now.'),
    next: z.string(),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  async run({ allow_duplicate, ...order }, context) {
    const agent = await context.wallet.connected();
    const { request, repeated } = await made(agent, order, allow_duplicate === true, context);
    const next = request.is_final
      ? 'This payment is final. Tell the person what its status means.'
      : 'Waiting for the person: ask them to look into their wallet, then call wait_for_payment with this request_id. It is not paid yet.';
    return { structured: { ...shown(request), repeated, next } };
  },
});

async function made(agent: AgentClient, order: Order, allowDuplicate: boolean, context: ToolContext): Promise<Made> {
  const earlier = await sameOrder(agent, order);
  if (earlier) return { request: earlier, repeated: true };
  try {
    return await create(agent, order, allowDuplicate);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    // Another conversation was faster with the same reference, in other words.
    const there = error.code === 'IDEMPOTENCY_KEY_REUSED' ? await sameOrder(agent, order) : undefined;
    if (there) return { request: there, repeated: true };
    if (error.code !== 'possible_duplicate') throw error;
    const question = `A payment of ${order.amount} to the same payee was already asked for in the last 24 hours. Is “${order.order_reference}” really a second order?`;
    if ((await context.confirm(question)) !== true) throw error;
    return create(agent, order, true);
  }
}

/** The payment of this reference, if there is one and it means the same; another one under it is a mistake of the caller. */
async function sameOrder(agent: AgentClient, order: Order): Promise<PaymentRequest | undefined> {
  const found = await agent.findPaymentRequest(order.order_reference);
  if (found === undefined) return undefined;
  if (found.recipient_id === order.payee_id && isSameAmount(found.payment.amount, order.amount)) return found;
  throw new ToolError({
    code: 'IDEMPOTENCY_KEY_REUSED',
    message: `The order_reference “${order.order_reference}” already belongs to a payment of ${found.payment.amount} ${found.payment.asset} to ${found.payee.name}.`,
    what_to_do:
      'If you meant that payment, look at it with get_payment. If this is a new order, use a new order_reference. Ask the person if you are unsure.',
    safe_to_repeat: false,
    details: { request_id: found.request_id, status: found.status },
  });
}

async function create(agent: AgentClient, order: Order, allowDuplicate: boolean): Promise<Made> {
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
  return { request, repeated: replayed };
}

/** "12.5" and "12.50" are one amount. */
export const isSameAmount = (one: string, other: string): boolean => plain(one) === plain(other);
const plain = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
