import { Injectable } from '@nestjs/common';
import { type ApiKeyCaller } from '../../http/server/callers';
import { compareAmounts, subtractAmounts } from '../../kernel/amounts';
import { CommandRunner } from '../../platform/event-store/run-command';
import { agentPayment } from './agent-payment';
import { type Threshold } from '../../events/agent-payment.events';
import { assertSameIntent, paymentIdOf } from './create-agent-payment.handler';
import { IntentDrafts } from './intent-drafts';
import { nearestRefusal } from './nearest-refusal';
import { policyBudget } from './policy-budget';
import { PolicyChooser } from './policy-chooser';
import { verdictsOn } from './policy-verdicts';
import { intentDigest, type Submission } from './submission';
import { type PaymentId, type PolicyId } from '../../kernel/aggregates';

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
  ) {}

  async evaluate(submission: Submission, caller: ApiKeyCaller): Promise<Evaluation> {
    const paymentId = paymentIdOf(caller, submission);
    const made = await this.madeUnder(paymentId, submission, caller);
    if (made !== undefined) return made;

    const draft = await this.drafts.of(submission, caller, paymentId);
    const named = submission.intent?.policy_id;
    const candidates = named === undefined ? await this.policies.inForceFor(draft) : [named];
    const verdicts = await verdictsOn(draft, candidates, this.commands);
    const permitting = verdicts.find(({ refusal }) => refusal === undefined);
    if (permitting !== undefined) return this.answer(permitting.policyId, []);
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

  private async answer(policyId: PolicyId | null, triggered: readonly Threshold[]): Promise<Evaluation> {
    const budget = policyId === null ? null : (await this.commands.fold(policyBudget, policyId)).state;
    const { terms, spent } = budget ?? {};
    const limit = terms?.cumulative_limit;
    const isSome = limit !== undefined && spent !== undefined && compareAmounts(limit, spent) > 0;
    return {
      permitted: triggered.length === 0,
      ...(policyId === null ? {} : { policy_id: policyId }),
      triggered_thresholds: triggered,
      remaining: budget === null ? null : isSome ? subtractAmounts(limit, spent) : '0',
    };
  }
}
