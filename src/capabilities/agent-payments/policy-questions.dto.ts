import { amount } from '../../http/input/amount';
import { dateTime, flag, integer, type JsonSchema, list, object, oneOf, text } from '../../http/input/checks';
import { Field, OptionalField } from '../../http/input/field.decorator';
import { freeFormWithoutPayee } from '../../http/input/free-form';
import { idempotencyKey } from '../../http/input/idempotency-key';
import {
  allowlist,
  connectionId,
  cumulativeLimit,
  from,
  id,
  singleLimit,
  until,
} from '../automation-policies/automation-policies.dto';
import { THRESHOLDS } from './agent-payment.events';
import { testnetNames } from './agent-payments.dto';

/** An agent payment as it would be asked for. */
export class EvaluateIntentInput {
  @Field(oneOf(testnetNames, 'Must be the network of the recipient’s active version'))
  network!: string;

  @OptionalField(text({ max: 80, description: 'If given, must be the asset of the recipient’s active version' }))
  asset?: string;

  @Field(id('rcp_01JZ5Y0W3X0000000000000000'))
  recipient_id!: string;

  @Field(amount)
  amount!: string;

  @OptionalField(oneOf(['agent'], 'A person needs no policy, so there is nothing to decide'))
  initiator?: 'agent';

  @Field(connectionId)
  connection_id!: string;

  @OptionalField(text({ max: 160, description: 'If absent, the oldest active one that permits it' }))
  policy_id?: string;

  @OptionalField(idempotencyKey)
  idempotency_key?: string;

  @OptionalField(dateTime('At most 30 days away; 15 minutes from now if absent'))
  expires_at?: string;

  @OptionalField(freeFormWithoutPayee('As it would be sent with the payment'))
  metadata?: Readonly<Record<string, unknown>>;
}

/** What is left out stays as it holds now. */
export class SimulatePolicyInput {
  @OptionalField(singleLimit)
  single_tx_limit?: string;

  @OptionalField(cumulativeLimit)
  cumulative_limit?: string;

  @OptionalField(from)
  valid_from?: string;

  @OptionalField(until)
  valid_until?: string;

  @OptionalField(allowlist)
  allowlist?: readonly string[];

  @OptionalField(dateTime('Intents from this moment on are reported; all are replayed'))
  from?: string;

  @OptionalField(dateTime('Intents up to this moment are reported'))
  to?: string;
}

const paymentId = id('ap_01JZ5Y0W3X0000000000000000');
const triggered = list(oneOf(THRESHOLDS), THRESHOLDS.length);
const textOrNull = (description: string): JsonSchema => ({ type: ['string', 'null'], description });
const count = integer(0, Number.MAX_SAFE_INTEGER);

export const evaluationSchema: JsonSchema = object(
  {
    permitted: flag,
    policy_id: id('pol_01JZ5Y0W3X0000000000000000'),
    triggered_thresholds: triggered,
    remaining: { problems: () => [], schema: textOrNull('What was left before it; null without a policy') },
  },
  ['policy_id'],
).schema;

export const simulationSchema: JsonSchema = object({
  intents: count,
  permitted: count,
  refused: count,
  differences: {
    problems: () => [],
    schema: {
      type: 'array',
      items: object({
        idempotency_key: { problems: () => [], schema: textOrNull('Null where none was sent, or none was recorded') },
        payment_id: paymentId,
        amount,
        permitted: flag,
        was_permitted: flag,
        triggered_thresholds: triggered,
      }).schema,
    },
  },
}).schema;
