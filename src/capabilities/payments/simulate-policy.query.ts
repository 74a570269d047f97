import { Query } from '@nestjs/cqrs';
import { type Threshold } from '../../events/agent-payment.events';
import { type PolicyTerms } from '../../events/automation-policy.events';
import { type PaymentId, type PolicyId } from '../../kernel/aggregates';

/** Inclusive at both ends. */
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

/** Issued by the automation-policies capability, handled by agent-payments, which decides payments under policies. */
export class SimulatePolicy extends Query<Simulation> {
  constructor(
    readonly policyId: PolicyId,
    readonly terms: PolicyTerms,
    readonly period: Period,
  ) {
    super();
  }
}
