import { z } from 'zod';
import { type AgentClient, type PaymentRequest } from '../../../sdk/src/index.ts';
import { tool, type ToolContext } from '../tool.ts';
import { orderReference, payment, requestId, shown, STATUSES } from './fields.ts';

/** Clients give a tool about a minute; this leaves room for the answer. */
const DEFAULT_SECONDS = 45;
const LONGEST_SECONDS = 3_600;
const LOOK_EVERY_MS = 2_000;

const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };

export const getPayment = tool({
  name: 'get_payment',
  title: 'Read a payment',
  description:
    'Reads one payment as it is now. pending means waiting for the person and not paid; confirmed is the wallet’s word that it is in a ledger; meaning says it in a sentence.',
  input: z.strictObject({ request_id: requestId }),
  output: z.object(payment),
  annotations: reads,
  async run({ request_id }, { wallet }) {
    return { structured: shown(await (await wallet.connected()).readPaymentRequest(request_id)) };
  },
});

export const waitForPayment = tool({
  name: 'wait_for_payment',
  title: 'Wait for a payment',
  description:
    'Waits until the person has decided and the payment is final, at most 45 seconds unless timeout_seconds says otherwise. If it is not final by then the outcome is still_waiting, which is no error: ' +
    'tell the person that you are waiting for them and call it again with the same request_id. It asks for nothing and pays nothing.',
  input: z.strictObject({
    request_id: requestId,
    timeout_seconds: z.number().min(0).max(LONGEST_SECONDS).optional().describe('How long to wait; 45 if left out.'),
  }),
  output: z.object({ ...payment, outcome: z.enum(['final', 'still_waiting']), next: z.string() }),
  annotations: reads,
  async run({ request_id, timeout_seconds = DEFAULT_SECONDS }, context) {
    const agent = await context.wallet.connected();
    const request = await waited(agent, request_id, timeout_seconds, context);
    return request.is_final
      ? { structured: { ...shown(request), outcome: 'final' as const, next: 'Tell the person what the status means.' } }
      : {
          structured: {
            ...shown(request),
            outcome: 'still_waiting' as const,
            next: `Still waiting for the person. Call wait_for_payment again with request_id ${request.request_id} to go on waiting; do not ask for the payment again.`,
          },
        };
  },
});

async function waited(agent: AgentClient, id: string, seconds: number, context: ToolContext): Promise<PaymentRequest> {
  const started = Date.now();
  const elapsed = (): number => (Date.now() - started) / 1_000;
  for (;;) {
    const request = await agent.readPaymentRequest(id);
    const message = request.is_final ? `It is ${request.status}.` : `It is ${request.status}; waiting for the person.`;
    await context.progress({ progress: Math.min(elapsed(), seconds), total: seconds, message });
    const left = seconds - elapsed();
    if (request.is_final || left <= 0 || context.signal.aborted) return request;
    await pause(Math.min(LOOK_EVERY_MS, left * 1_000), context.signal);
  }
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end, { once: true });
  });

export const listPayments = tool({
  name: 'list_payments',
  title: 'List payments',
  description:
    'Lists the payments asked for over this connection, newest first. Use it to check what exists before asking again.',
  input: z.strictObject({
    status: z.enum(STATUSES).optional(),
    limit: z.number().int().min(1).max(200).optional().describe('At most so many; 20 if left out.'),
  }),
  output: z.object({ payments: z.array(z.object(payment)), more: z.boolean() }),
  annotations: reads,
  async run({ status, limit = 20 }, { wallet }) {
    const agent = await wallet.connected();
    const { payment_requests, next_cursor } = await agent.listPaymentRequests({ limit, ...(status ? { status } : {}) });
    return { structured: { payments: payment_requests.map(shown), more: next_cursor !== null } };
  },
});

export const findPayment = tool({
  name: 'find_payment',
  title: 'Find a payment by its order reference',
  description:
    'Finds the payment of an order_reference, or says found: false, which is no error. Use it when an answer was lost, before asking again.',
  input: z.strictObject({ order_reference: orderReference }),
  output: z.object({ found: z.boolean(), ...z.object(payment).partial().shape }),
  annotations: reads,
  async run({ order_reference }, { wallet }) {
    const request = await (await wallet.connected()).findPaymentRequest(order_reference);
    return { structured: request ? { found: true, ...shown(request) } : { found: false } };
  },
});
