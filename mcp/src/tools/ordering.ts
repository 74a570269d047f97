import { SvcError } from '../../../sdk/src/index.ts';
import { type PaymentsOfConnection } from '../payments-of-connection.ts';
import { type ToolContext } from '../tool.ts';
import { ToolError } from '../tool-errors.ts';
import { type Payment } from './payment.ts';

export type Order = Readonly<{ payee_id: string; amount: string; order_reference: string }>;
export type Made = Readonly<{ payment: Payment; repeated: boolean }>;

const POLL_INTERVAL_MS = 100;
const MAX_POLLS = 20;

/**
 * One order is one payment, whichever tool is used and in however many conversations. Existing payments are looked up
 * first, in both APIs; the service covers the gap between lookup and creation by refusing the second one.
 */
export async function madeOnce(
  context: ToolContext,
  order: Order,
  make: (allowDuplicate: boolean) => Promise<Made>,
  allowDuplicate: boolean,
): Promise<Made> {
  const earlier = await sameOrder(context.payments, order);
  if (earlier) return { payment: earlier, repeated: true };
  try {
    return await make(allowDuplicate);
  } catch (error) {
    const there = await awaitConcurrentPayment(context.payments, order, error);
    if (there) return { payment: there, repeated: true };
    if (!(error instanceof SvcError) || error.code !== 'possible_duplicate') throw error;
    const question = `A payment of ${order.amount} to the same payee was already made or requested in the last 24 hours. Is “${order.order_reference}” really a second order?`;
    if ((await context.confirm(question)) !== true) throw error;
    return make(true);
  }
}

/** The payment with this reference, if there is one and it matches; a different one is the caller's mistake. */
async function sameOrder(payments: PaymentsOfConnection, order: Order): Promise<Payment | undefined> {
  const found = await payments.find(order.order_reference);
  if (found === undefined) return undefined;
  const { request_id, status, amount, asset, payee } = found.shown;
  if (found.payeeId === order.payee_id && isSameAmount(amount, order.amount)) return found;
  throw new ToolError({
    code: 'IDEMPOTENCY_KEY_REUSED',
    message: `The order_reference “${order.order_reference}” already belongs to a payment of ${amount} ${asset} to ${payee}.`,
    what_to_do:
      'If you meant that payment, look at it with get_payment. If this is a new order, use a new order_reference. Ask the person if you are unsure.',
    safe_to_repeat: false,
    details: { request_id, status },
  });
}

/** Another call with the same reference may be in flight: it holds the place, and its payment will follow shortly. */
async function awaitConcurrentPayment(
  payments: PaymentsOfConnection,
  order: Order,
  error: unknown,
): Promise<Payment | undefined> {
  if (!(error instanceof SvcError) || !['IDEMPOTENCY_KEY_REUSED', 'possible_duplicate'].includes(error.code)) return;
  const { payment_id } = error.details;
  if (typeof payment_id === 'string' && !payments.seesAgentPayments) throw outOfSight(order, payment_id);
  for (let polls = 0; polls < MAX_POLLS; polls += 1) {
    const found = await sameOrder(payments, order);
    if (found) return found;
    if (error.code === 'possible_duplicate' && (await isOfAnother(payments, order, error))) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
  return;
}

/** Whether the conflicting payment belongs to another order; until it is created, it may belong to this one. */
async function isOfAnother(payments: PaymentsOfConnection, order: Order, { details }: SvcError): Promise<boolean> {
  const [first] = (details['duplicates'] ?? []) as readonly Readonly<{ request_id: string }>[];
  try {
    if (first === undefined) return true;
    return (await payments.read(first.request_id)).shown.order_reference !== order.order_reference;
  } catch (error) {
    return !(error instanceof SvcError) || error.code !== 'resource_not_found';
  }
}

const outOfSight = ({ order_reference }: Order, payment_id: string): ToolError =>
  new ToolError({
    code: 'IDEMPOTENCY_KEY_REUSED',
    message: `The order_reference “${order_reference}” already has a payment under a policy, ${payment_id}, which this server cannot read without an API key.`,
    what_to_do:
      'Do not ask for this order again: tell the person that it already has a payment. Use a new order_reference only for an order that is really new.',
    safe_to_repeat: true,
    details: { payment_id },
  });

/** "12.5" and "12.50" are the same amount. */
const isSameAmount = (one: string, other: string): boolean => plain(one) === plain(other);
const plain = (given: string): string => (given.includes('.') ? given.replace(/\.?0+$/, '') : given);
