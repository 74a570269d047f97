import { Inject, Injectable } from '@nestjs/common';
import { type ApiKeyCaller } from '../../http/server/callers';
import { CLOCK, type Clock } from '../../kernel/clock';
import { refuse } from '../../kernel/errors';
import { CommandRunner } from '../../platform/event-store/run-command';
import { Duplicates } from '../payments/duplicates';
import { requestOfKey } from '../payments/payment-standing';
import { agentPayment } from './agent-payment';
import { type Threshold } from '../../events/agent-payment.events';
import { assertSameIntent, meantBy, paymentIdOf } from './create-agent-payment.handler';
import { type Draft, IntentDrafts } from './intent-drafts';
import { nearestRefusal } from './nearest-refusal';
import { remainingOf } from '../../kernel/policy-totals';
import { policyBudget } from './policy-budget';
import { PolicyChooser } from './policy-chooser';
import { verdictsOn } from './policy-verdicts';
import { intentDigest, type Submission } from './submission';
import { idFor, type PaymentId, type PolicyId } from '../../kernel/aggregates';

export type Evaluation = Readonly<{
  permitted: boolean;
  policy_id?: PolicyId;
  triggered_thresholds: readonly Threshold[];
  remaining: string | null;
}>;

/** The outcome a payment by an agent alone would have right now: the same decisions, without making the payment. */
@Injectable()
export class EvaluateIntent {
  constructor(
    private readonly commands: CommandRunner,
    private readonly drafts: IntentDrafts,
    private readonly policies: PolicyChooser,
    private readonly duplicates: Duplicates,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async evaluate(submission: Submission, caller: ApiKeyCaller): Promise<Evaluation> {
    const paymentId = paymentIdOf(caller, submission);
    const made = await this.madeUnder(paymentId, submission, caller);
    if (made !== undefined) return made;

    const draft = await this.drafts.of(submission, caller, paymentId);
    await this.refuseKeyOfRequest(submission, draft);
    if (submission.refuseDuplicate) await this.duplicates.refuseIfAny(meantBy(draft), this.clock.now());
    const named = submission.intent?.policy_id;
    const candidates = named === undefined ? await this.policies.inForceFor(draft) : [named];
    const verdicts = await verdictsOn(draft, candidates, this.commands);
    const permitting = verdicts.find(({ refusal }) => refusal === undefined);
    if (permitting !== undefined) {
      await this.refuseForgone(paymentId);
      return this.answer(permitting.policyId, []);
    }
    const { policyId, triggered } = nearestRefusal(verdicts.flatMap(({ refusal = [] }) => refusal));
    return this.answer(policyId, triggered);
  }

  /** A key that has already made its payment gets the same response as from a create. */
  private async madeUnder(paymentId: PaymentId, { intent, idempotencyKey }: Submission, { merchantId }: ApiKeyCaller) {
    if (intent === undefined || idempotencyKey === undefined) return undefined;
    const { state } = await this.commands.fold(agentPayment, paymentId);
    if (state.kind !== 'payment' || state.merchantId !== merchantId) return undefined;
    assertSameIntent(state, intentDigest(intent));
    return this.answer(state.policyId, []);
  }

  /** A connection's key that has made a payment request makes no payment as well (docs/adr/0019). */
  private async refuseKeyOfRequest({ scope, idempotencyKey: key }: Submission, draft: Draft): Promise<void> {
    if (scope !== 'connection' || key === undefined) return;
    const { state: request_id } = await this.commands.fold(requestOfKey, idFor.requestOfKey(draft.connection_id, key));
    if (request_id !== null) throw refuse('IDEMPOTENCY_KEY_REUSED', { details: { request_id } });
  }

  /** A payment that was forgone for a payment request is never made, whatever a policy permits. */
  private async refuseForgone(paymentId: PaymentId): Promise<void> {
    const { state } = await this.commands.fold(agentPayment, paymentId);
    if (state.kind === 'forgone') throw refuse('IDEMPOTENCY_KEY_REUSED');
  }

  private async answer(policyId: PolicyId | null, triggered: readonly Threshold[]): Promise<Evaluation> {
    const budget = policyId === null ? null : (await this.commands.fold(policyBudget, policyId)).state;
    return {
      permitted: triggered.length === 0,
      ...(policyId === null ? {} : { policy_id: policyId }),
      triggered_thresholds: triggered,
      remaining: budget === null ? null : remainingOf(budget.terms.cumulative_limit, budget),
    };
  }
}
