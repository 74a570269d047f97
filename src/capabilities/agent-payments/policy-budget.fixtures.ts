import { type AutomationPolicyEvent, type PolicyTerms } from '../../events/automation-policy.events';
import {
  connectionId,
  createdAt,
  deviceId,
  merchantId,
  payment,
  paymentId,
  policyId,
  recipientId,
  reservationId,
} from './agent-payment.fixtures';
import { type PolicyBudgetCommand } from './policy-budget';
import { type ReservationId } from '../../kernel/aggregates';

export const terms: PolicyTerms = {
  single_tx_limit: '3',
  cumulative_limit: '5',
  valid_from: '2029-01-01T00:00:00.000Z',
  valid_until: '2031-01-01T00:00:00.000Z',
  allowlist: [recipientId],
};

type Payment = typeof payment;
type Of<Kind extends PolicyBudgetCommand['kind']> = Extract<PolicyBudgetCommand, { kind: Kind }>;

/** Like the caller's draft, which does not know its reservation yet. */
export const reserve = (changes: Partial<Payment> = {}, id: ReservationId = reservationId): Of<'reserve'> => ({
  kind: 'reserve',
  policyId,
  reservationId: id,
  payment: { ...payment, policy_id: null, reservation_id: null, ...changes },
});
const named = { policyId, paymentId, reservationId, at: createdAt } as const;
export const release: Of<'release'> = { kind: 'release', ...named, reason: 'rejected' };
export const settle: Of<'settle'> = { kind: 'settle', ...named };

const names = { policy_id: policyId, merchant_id: merchantId } as const;

export const proposed: AutomationPolicyEvent = {
  type: 'AutomationPolicyCreated',
  data: {
    ...names,
    connection_id: connectionId,
    device_id: deviceId,
    agent_id: payment.agent_id,
    network: 'stellar_testnet',
    asset: 'XLM',
    terms,
    created_at: createdAt,
  },
};
export const optedIn: AutomationPolicyEvent = {
  type: 'AutomationPolicyOptedIn',
  data: { ...names, device_id: deviceId, opted_in_at: createdAt },
};
export const optedOut: AutomationPolicyEvent = {
  type: 'AutomationPolicyOptedOut',
  data: { ...names, device_id: deviceId, opted_out_at: createdAt },
};
export const revokedPolicy: AutomationPolicyEvent = {
  type: 'AutomationPolicyRevoked',
  data: { ...names, revoked_at: createdAt },
};
export const changedTo = (changes: Partial<PolicyTerms>): AutomationPolicyEvent => ({
  type: 'AutomationPolicyChanged',
  data: { ...names, terms: { ...terms, ...changes }, changed_at: createdAt },
});

export const reserved = (changes: Partial<Payment> = {}, id: ReservationId = reservationId): AutomationPolicyEvent => {
  const made = { ...payment, ...changes, reservation_id: id } as const;
  return {
    type: 'AmountReserved',
    data: {
      ...names,
      payment_id: made.payment_id,
      reservation_id: id,
      amount: made.amount,
      payment: made,
      reserved_at: made.created_at,
    },
  };
};
const closing = { ...names, payment_id: paymentId, reservation_id: reservationId, amount: payment.amount } as const;
export const released: AutomationPolicyEvent = {
  type: 'AmountReleased',
  data: { ...closing, reason: 'rejected', released_at: createdAt },
};
export const settled: AutomationPolicyEvent = { type: 'AmountSettled', data: { ...closing, settled_at: createdAt } };
