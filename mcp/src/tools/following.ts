import { z } from 'zod';
import { type PaymentsOfConnection } from '../payments-of-connection.ts';
import { tool, type ToolContext } from '../tool.ts';
import { orderReference, requestId } from './fields.ts';
import { payment, type Payment, STATUSES } from './payment.ts';

/** Clients give a tool about a minute; this leaves time for the response. */
const DEFAULT_SECONDS = 45;
const MAX_SECONDS = 3_600;
const POLL_INTERVAL_MS = 2_000;

const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };

export const getPayment = tool({
  name: 'get_payment',
  title: 'Read a payment',
  description:
    'Reads one payment as it is now. pending means waiting for the person and not paid, intent_created waiting for the wallet under a policy; confirmed is the wallet’s claim that it is in a ledger; meaning explains the status in a sentence.',
  input: z.strictObject({ request_id: requestId }),
  output: z.object(payment),
  annotations: reads,
  async run({ request_id }, { payments }) {
    return { structured: (await payments.read(request_id)).shown };
  },
});

export const waitForPayment = tool({
  name: 'wait_for_payment',
  title: 'Wait for a payment',
  description:
    'Waits until the person has decided and the payment is final, at most 45 seconds unless timeout_seconds says otherwise. If it is not final by then the outcome is still_waiting, which is not an error: ' +
    'tell the person that you are waiting for them and call it again with the same request_id. It requests nothing and pays nothing.',
  input: z.strictObject({
    request_id: requestId,
    timeout_seconds: z.number().min(0).max(MAX_SECONDS).optional().describe('How long to wait; 45 if omitted.'),
  }),
  output: z.object({ ...payment, outcome: z.enum(['final', 'still_waiting']), next: z.string() }),
  annotations: reads,
  async run({ request_id, timeout_seconds = DEFAULT_SECONDS }, context) {
    const { shown, waitsFor } = await waited(request_id, timeout_seconds, context);
    return shown.is_final
      ? { structured: { ...shown, outcome: 'final' as const, next: 'Tell the person what the status means.' } }
      : {
          structured: {
            ...shown,
            outcome: 'still_waiting' as const,
            next: `Still waiting for ${waitsFor}. Call wait_for_payment again with request_id ${shown.request_id} to keep waiting; do not ask for the payment again.`,
          },
        };
  },
});

async function waited(id: string, seconds: number, context: ToolContext): Promise<Payment> {
  const started = performance.now();
  const elapsed = (): number => (performance.now() - started) / 1_000;
  for (;;) {
    const seen = await context.payments.read(id);
    const { status, is_final } = seen.shown;
    const message = is_final ? `It is ${status}.` : `It is ${status}; waiting for ${seen.waitsFor}.`;
    await context.progress({ progress: Math.min(elapsed(), seconds), total: seconds, message });
    const left = seconds - elapsed();
    if (is_final || left <= 0 || context.signal.aborted) return seen;
    await pause(Math.min(POLL_INTERVAL_MS, left * 1_000), context.signal);
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

/** Without an API key, a payment under a policy cannot be seen: that must not be mistaken for its absence. */
const notSeen = {
  not_looked_at: z
    .string()
    .optional()
    .describe('What this server cannot see, if anything: it may exist nevertheless. Tell the person.'),
};
const blindSpot = ({ seesAgentPayments }: PaymentsOfConnection) =>
  seesAgentPayments
    ? {}
    : { not_looked_at: 'payments made under a policy: this server has no API key (SVC_API_KEY), so one may exist' };

export const listPayments = tool({
  name: 'list_payments',
  title: 'List payments',
  description:
    'Lists the payments of this connection, requested or made under a policy, newest first. Use it to check what exists before asking again.',
  input: z.strictObject({
    status: z
      .enum(STATUSES)
      .optional()
      .describe(
        'Only payments with this status; all if omitted. pending waits for the person; intent_created is a payment under a policy that the wallet has not signed yet.',
      ),
    limit: z.number().int().min(1).max(200).optional().describe('The maximum number; 20 if omitted.'),
  }),
  output: z.object({ payments: z.array(z.object(payment)), more: z.boolean(), ...notSeen }),
  annotations: reads,
  async run({ status, limit = 20 }, context) {
    const { payments, more } = await context.payments.list(limit, status);
    return { structured: { payments: payments.map(({ shown }) => shown), more, ...blindSpot(context.payments) } };
  },
});

export const findPayment = tool({
  name: 'find_payment',
  title: 'Find a payment by its order reference',
  description:
    'Finds the payment of an order_reference, whichever tool made it, or returns found: false, which is not an error. Use it when a result was lost, before asking again.',
  input: z.strictObject({ order_reference: orderReference }),
  output: z.object({ found: z.boolean(), ...z.object(payment).partial().shape, ...notSeen }),
  annotations: reads,
  async run({ order_reference }, { payments }) {
    const found = await payments.find(order_reference);
    return { structured: found ? { found: true, ...found.shown } : { found: false, ...blindSpot(payments) } };
  },
});
