import { z } from 'zod';
import { type AgentPayment, PAYMENT_STATUSES, type PaymentRequest } from '../../../sdk/src/index.ts';

/** As both ways to pay name them; for a payment under a policy, `intent_created` corresponds to `pending`. */
export const STATUSES = ['intent_created', ...PAYMENT_STATUSES] as const;
export type Status = (typeof STATUSES)[number];

/** A payment as tools show it, whichever tool made it. */
export const payment = {
  request_id: z.string().describe('pr_… if the person was asked, ap_… if it was made under a policy.'),
  status: z.enum(STATUSES),
  is_final: z.boolean(),
  meaning: z.string().describe('What the status means, for the person.'),
  payee: z.string(),
  amount: z.string(),
  asset: z.string(),
  network: z.string(),
  order_reference: z.string().nullable(),
  transaction_hash: z.string().nullable(),
  reason: z.string().nullable(),
  settlement: z
    .string()
    .nullable()
    .describe(
      'What the service itself found on the network: matches, differs, not_found or pending; null if it did not look.',
    ),
  created_at: z.string(),
  expires_at: z.string(),
};

type Shown = { [Name in keyof typeof payment]: z.output<(typeof payment)[Name]> };

/** A payment with what tools compare and follow it by. */
export type Payment = Readonly<{
  shown: Shown;
  payeeId: string;
  /** The policy it was made under without the person; null otherwise. */
  policyId: string | null;
  /** Who has to act next. */
  waitsFor: 'the person' | 'the wallet';
}>;

const MEANINGS: Readonly<Record<Status, string>> = {
  pending: 'Waiting for the person to approve it in their wallet. Nothing is paid.',
  intent_created:
    'Made under a policy that the person agreed to: it needs no approval. Their wallet has to sign it, and may ask the person to sign; nothing is paid yet.',
  signed: 'The person approved and signed. It is not on the network yet.',
  broadcasted: 'The wallet sent the transaction. It is not confirmed yet.',
  confirmed:
    'The wallet reports that the transaction is in a ledger. This is the wallet’s claim; settlement shows what the service found on the network.',
  failed: 'The wallet reports that it failed. Nothing more will happen to it.',
  expired: 'It expired before the person approved it. Nothing was paid.',
  rejected: 'The person said no. Nothing was paid. Do not ask again unless they want you to.',
};
const MEANINGS_UNDER_POLICY: Partial<typeof MEANINGS> = {
  signed: 'The wallet signed it under the policy. It is not on the network yet.',
  expired: 'It expired before the wallet signed it. Nothing was paid.',
  rejected: 'The person or their wallet said no. Nothing was paid. Do not ask again unless they want you to.',
};

export function ofRequest(request: PaymentRequest): Payment {
  const { payment: facts } = request;
  return {
    shown: {
      request_id: request.request_id,
      meaning: MEANINGS[request.status],
      payee: request.payee.name,
      ...common(request),
      amount: facts.amount,
      asset: facts.asset,
      network: facts.network,
    },
    payeeId: request.recipient_id,
    policyId: null,
    waitsFor: request.status === 'pending' ? 'the person' : 'the wallet',
  };
}

export function ofAgentPayment(made: AgentPayment): Payment {
  const { status, initiator, policy_id: policyId = null } = made;
  const alone = initiator === 'agent';
  const human = status === 'intent_created' ? MEANINGS.pending : MEANINGS[status];
  return {
    shown: {
      request_id: made.id,
      meaning: alone ? (MEANINGS_UNDER_POLICY[status] ?? MEANINGS[status]) : human,
      payee: made.payee.name,
      ...common(made),
      amount: made.amount,
      asset: made.asset,
      network: made.network,
    },
    payeeId: made.recipient_id,
    policyId,
    waitsFor: status === 'intent_created' && !alone ? 'the person' : 'the wallet',
  };
}

function common<S extends Status>(from: {
  readonly status: S;
  readonly is_final: boolean;
  readonly idempotency_key?: string;
  readonly transaction_hash?: string;
  readonly reason?: string;
  readonly settlement?: Readonly<{ verdict: string }> | null;
  readonly created_at: string;
  readonly expires_at: string;
}) {
  return {
    status: from.status,
    is_final: from.is_final,
    order_reference: from.idempotency_key ?? null,
    transaction_hash: from.transaction_hash ?? null,
    reason: from.reason ?? null,
    settlement: from.settlement?.verdict ?? null,
    created_at: from.created_at,
    expires_at: from.expires_at,
  };
}
