import {
  ABOUT,
  ACTIVE,
  AGREED,
  type Closing,
  type Judgement,
  type JudgementEntry,
  PERMITTED,
} from '../../../projections/policy-judgements.projection';
import { addAmounts, subtractAmounts } from '../../kernel/amounts';
import { emptyMap } from '../../kernel/persistent-map';
import { type PolicyTerms } from '../../events/automation-policy.events';
import { type Difference } from '../payments/simulate-policy.query';
import { type Threshold } from '../../events/agent-payment.events';
import { triggeredThresholds } from './policy-thresholds';
import { type ConnectionId, type RecipientId, type RecipientVersionId } from '../../kernel/aggregates';

export type Replayed = Difference & Readonly<{ at: string }>;

/** Placeholder identity of a payment the policy is about; the actual values do not matter here. */
const PLACEHOLDER = { merchant_id: 'mer_m', connection_id: 'con_c', facts: { network: 'n', asset: 'a' } } as const;
const ANOTHER_CONNECTION: ConnectionId = 'con_other';
const SOME_VERSION: RecipientVersionId = 'rcv_any';
const ANY_VERSION = undefined;
const NO_VERSION = {};

/**
 * Replays a policy's past as if other thresholds had always applied: decides as live payments do, on its own totals.
 * Consent is not invented: while the policy was not agreed to, nothing is permitted.
 */
export class PolicyReplay {
  private spent = '0';
  /** Permitted in this replay, and may still be released or requested again. */
  private readonly open = new Map<string, string>();
  /** Permitted in this replay and released since: money that moved late counts again. */
  private readonly released = new Map<string, string>();

  constructor(private readonly terms: PolicyTerms) {}

  /** Undefined for an entry that is not an intent. */
  next(entry: JudgementEntry): Replayed | undefined {
    if (entry.length > 3) return this.judge(entry as Judgement);
    const [, paymentId, outcome] = entry as Closing;
    if (outcome === 'late') return this.spendLate(paymentId);
    const amount = this.open.get(paymentId);
    // What this replay did not permit cannot be released.
    if (amount === undefined) return undefined;
    this.open.delete(paymentId);
    if (outcome === 'released') {
      this.spent = subtractAmounts(this.spent, amount);
      this.released.set(paymentId, amount);
    }
    return undefined;
  }

  private spendLate(paymentId: string): undefined {
    const amount = this.released.get(paymentId);
    if (amount === undefined) return;
    this.released.delete(paymentId);
    this.spent = addAmounts(this.spent, amount);
  }

  private judge([, paymentId, key, amount, recipientId, at, facts]: Judgement): Replayed {
    // A key that has made its payment makes no second one.
    const isMade = this.open.has(paymentId);
    const triggered = isMade ? [] : this.triggered(amount, recipientId, at, facts);
    const permitted = triggered.length === 0;
    if (permitted && !isMade) {
      this.spent = addAmounts(this.spent, amount);
      this.open.set(paymentId, amount);
    }
    return {
      payment_id: paymentId,
      idempotency_key: key,
      amount,
      at,
      permitted,
      was_permitted: (facts & PERMITTED) !== 0,
      triggered_thresholds: triggered,
    };
  }

  private triggered(
    amount: string,
    recipient_id: RecipientId,
    created_at: string,
    facts: number,
  ): readonly Threshold[] {
    // Written out because spreading costs more than deciding, a hundred thousand times over.
    const policy = {
      merchantId: PLACEHOLDER.merchant_id,
      connectionId: PLACEHOLDER.connection_id,
      network: PLACEHOLDER.facts.network,
      asset: PLACEHOLDER.facts.asset,
      terms: this.terms,
      reserved: '0',
      spent: this.spent,
      late: emptyMap,
      active: (facts & ACTIVE) !== 0,
      payees: (facts & AGREED) !== 0 ? ANY_VERSION : NO_VERSION,
      activations: undefined,
      open: emptyMap,
      revision: 0,
    };
    const payment = {
      merchant_id: PLACEHOLDER.merchant_id,
      connection_id: (facts & ABOUT) !== 0 ? PLACEHOLDER.connection_id : ANOTHER_CONNECTION,
      facts: PLACEHOLDER.facts,
      amount,
      recipient_id,
      recipient_version_id: SOME_VERSION,
      created_at,
    };
    return triggeredThresholds(policy, payment);
  }
}

/** More than the number of calls that can ever be in flight together. */
const WINDOW = 1_024;

/**
 * Restores the order in which the policy decided. A refusal is recorded shortly after the decision, when others may
 * have been made: entries are sorted within a window, so that memory does not grow with the history.
 */
export class InOrder {
  private waiting: JudgementEntry[] = [];

  add(entries: readonly JudgementEntry[]): readonly JudgementEntry[] {
    this.waiting.push(...entries);
    if (this.waiting.length < 2 * WINDOW) return [];
    return this.take(this.waiting.length - WINDOW);
  }

  rest(): readonly JudgementEntry[] {
    return this.take(this.waiting.length);
  }

  private take(count: number): readonly JudgementEntry[] {
    this.waiting.sort(([a], [b]) => a - b);
    return this.waiting.splice(0, count);
  }
}
