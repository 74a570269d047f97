import { Query } from '@nestjs/cqrs';
import { type Threshold } from '../../events/agent-payment.events';
import { type PolicyTerms } from '../../events/automation-policy.events';
import { type PaymentId, type PolicyId } from '../../kernel/aggregates';

/** Both ends belong to it. */
export type Period = Readonly<{ from: string | undefined; to: string | undefined }>;

export type Difference = Readonly<{
  payment_id: PaymentId;
  idempotency_key: string | null;
  amount: string;
  permitted: boolean;
  was_permitted: boolean;
  triggered_thresholds: readonly Threshold[];
}>;

export type Simulation = Readonly<{
  intents: number;
  permitted: number;
  refused: number;
  differences: readonly Difference[];
}>;

/** Asked by who knows policies, answered by who decides payments under them. */
export class SimulatePolicy extends Query<Simulation> {
  constructor(
    readonly policyId: PolicyId,
    readonly terms: PolicyTerms,
    readonly period: Period,
  ) {
    super();
  }
}
