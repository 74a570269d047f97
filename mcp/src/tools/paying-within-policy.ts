import { z } from 'zod';
import { type AgentPayment, type AgentPaymentsClient, SvcError } from '../../../sdk/src/index.ts';
import { tool } from '../tool.ts';
import { isSameAmount } from './asking.ts';
import { amount, orderReference, payeeId } from './fields.ts';
import { payeeNamed } from './payees.ts';

const PAGE = 200;
const MOST_PAGES = 5;

export const payWithinPolicy = tool({
  name: 'pay_within_policy',
  title: 'Pay within a policy',
  description:
    'Starts a payment under a policy that the person opted in to beforehand, so that they need not approve this one. It is still not paid when this succeeds: the wallet signs and reports. ' +
    'Anything beyond the policy is refused; then use request_payment with the same order_reference. Repeating with the same order_reference returns the same payment.',
  input: z.strictObject({
    payee_id: payeeId,
    amount,
    order_reference: orderReference,
    description: z.string().min(1).max(500).optional(),
  }),
  output: z.object({
    payment_id: z.string(),
    status: z.string(),
    is_final: z.boolean(),
    amount: z.string(),
    asset: z.string(),
    network: z.string(),
    policy_id: z.string().nullable(),
    repeated: z.boolean(),
    next: z.string(),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  async run({ payee_id, amount: wanted, order_reference, description }, { wallet }) {
    const { payments } = wallet;
    const agent = await wallet.connected();
    const [{ connection }, payee] = await Promise.all([agent.currentConnection(), payeeNamed(agent, payee_id)]);
    const intent = {
      network: payee.network,
      recipient_id: payee.recipient_id,
      amount: wanted,
      initiator: 'agent' as const,
      connection_id: connection.connection_id,
      ...(description ? { metadata: { description } } : {}),
    };
    try {
      const made = await payments.create(intent, { idempotencyKey: order_reference });
      return { structured: shown(made, false) };
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'IDEMPOTENCY_KEY_REUSED') throw error;
      // The same order in other words is still the same order.
      const there = await ofReference(payments, order_reference);
      if (there?.recipient_id !== payee_id || !isSameAmount(there.amount, wanted)) throw error;
      return { structured: shown(there, true) };
    }
  },
});

async function ofReference(payments: AgentPaymentsClient, reference: string): Promise<AgentPayment | undefined> {
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { agent_payments, next_cursor } = await payments.list({ limit: PAGE, ...(cursor ? { cursor } : {}) });
    const found = agent_payments.find(({ idempotency_key }) => idempotency_key === reference);
    if (found || next_cursor === null) return found;
    cursor = next_cursor;
  }
  return undefined;
}

const shown = ({ id, status, is_final, amount: paid, asset, network, policy_id }: AgentPayment, repeated: boolean) => ({
  payment_id: id,
  status,
  is_final,
  amount: paid,
  asset,
  network,
  policy_id: policy_id ?? null,
  repeated,
  next: 'The wallet signs and reports by itself. It is not paid yet; tell the person that it is on its way, not that it is done.',
});
