import { type AgentPaymentCreated, type Threshold } from '../../events/agent-payment.events';
import { addAmounts, compareAmounts } from '../../kernel/amounts';
import { countedIn } from '../../kernel/policy-totals';
import { isWithin } from '../../kernel/validity-window';
import { type PolicyBudget } from './policy-budget';

type Payment = AgentPaymentCreated['data'];
/** The part of a payment that a policy checks. */
export type Judged = Pick<
  Payment,
  | 'merchant_id'
  | 'connection_id'
  | 'amount'
  | 'recipient_id'
  | 'recipient_version_id'
  | 'recipient_activations'
  | 'created_at'
> &
  Readonly<{ facts: Pick<Payment['facts'], 'network' | 'asset'> }>;
/** Everything that prevents an agent from making this payment alone, in the order the contract names them. */
export function triggeredThresholds(policy: PolicyBudget, payment: Judged): readonly Threshold[] {
  const isAbout =
    policy?.merchantId === payment.merchant_id &&
    policy.connectionId === payment.connection_id &&
    policy.network === payment.facts.network &&
    policy.asset === payment.facts.asset;
  // The limits of a policy about something else do not apply to this payment.
  if (!isAbout) return ['no_active_policy'];
  const { terms, active } = policy;
  const { amount, recipient_id, created_at: at } = payment;
  const triggered: Threshold[] = [];
  if (compareAmounts(amount, terms.single_tx_limit) > 0) triggered.push('single_tx_limit');
  if (compareAmounts(addAmounts(countedIn(policy), amount), terms.cumulative_limit) > 0)
    triggered.push('cumulative_limit');
  if (!isWithin(terms, at)) triggered.push('validity_window');
  if (!terms.allowlist.includes(recipient_id) || !isAgreedTo(policy, payment)) triggered.push('allowlist');
  if (!active) triggered.push('no_active_policy');
  return triggered;
}

/** Whether this is the version agreed to, and it was never replaced since, not even temporarily. */
function isAgreedTo({ payees, activations }: NonNullable<PolicyBudget>, payment: Judged): boolean {
  const { recipient_id: id, recipient_version_id, recipient_activations } = payment;
  if (payees !== undefined && payees[id] !== recipient_version_id) return false;
  return activations === undefined || activations[id] === recipient_activations;
}
