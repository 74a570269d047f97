import { amount } from '../../http/input/amount';
import { dateTime, flag, type JsonSchema, list, named, object, oneOf, text } from '../../http/input/checks';
import { Field, OptionalField } from '../../http/input/field.decorator';
import { freeFormWithoutPayee } from '../../http/input/free-form';
import { idempotencyKey } from '../../http/input/idempotency-key';
import { THRESHOLDS } from '../../events/agent-payment.events';
import { ifDuplicate, keyScope, testnetNames } from './agent-payments.dto';
import { type ConnectionId, type PolicyId, type RecipientId } from '../../kernel/aggregates';

/** An agent payment as it would be requested. */
export class EvaluateIntentInput {
  @Field(oneOf(testnetNames, 'Must be the network of the recipient’s active version'))
  network!: string;

  @OptionalField(text({ max: 80, description: 'If given, must be the asset of the recipient’s active version' }))
  asset?: string;

  @Field(text({ max: 160, example: 'rcp_01JZ5Y0W3X0000000000000000' }))
  recipient_id!: RecipientId;

  @Field(amount)
  amount!: string;

  @OptionalField(oneOf(['agent'], 'A person needs no policy, so there is nothing to decide'))
  initiator?: 'agent';

  @Field(text({ max: 160, description: 'Whose wallet pays', example: 'con_01JZ5Y0W3X0000000000000000' }))
  connection_id!: ConnectionId;

  @OptionalField(text({ max: 160, description: 'If absent, the oldest active one that permits it' }))
  policy_id?: PolicyId;

  @OptionalField(idempotencyKey)
  idempotency_key?: string;

  @OptionalField(keyScope)
  idempotency_scope?: 'merchant' | 'connection';

  @OptionalField(ifDuplicate)
  if_duplicate?: 'allow' | 'refuse';

  @OptionalField(dateTime('At most 30 days away; 15 minutes from now if absent'))
  expires_at?: string;

  @OptionalField(freeFormWithoutPayee('As it would be sent with the payment'))
  metadata?: Readonly<Record<string, unknown>>;
}

export const evaluationSchema: JsonSchema = named(
  'PolicyEvaluation',
  object(
    {
      permitted: flag,
      policy_id: text({ max: 160, example: 'pol_01JZ5Y0W3X0000000000000000' }),
      triggered_thresholds: list(oneOf(THRESHOLDS), THRESHOLDS.length),
      remaining: {
        problems: () => [],
        schema: { type: ['string', 'null'], description: 'What was left before it; null without a policy' },
      },
    },
    ['policy_id'],
  ).schema,
);
