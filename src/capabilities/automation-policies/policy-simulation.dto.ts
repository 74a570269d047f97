import { amount } from '../../http/input/amount';
import { dateTime, flag, integer, type JsonSchema, list, named, object, oneOf } from '../../http/input/checks';
import { OptionalField } from '../../http/input/field.decorator';
import { THRESHOLDS } from '../../events/agent-payment.events';
import { allowlist, cumulativeLimit, from, id, singleLimit, until } from './automation-policies.dto';

/** Absent fields stay as they currently are. */
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

  @OptionalField(dateTime('Only intents from this time on are reported; all are replayed'))
  from?: string;

  @OptionalField(dateTime('Only intents up to this time are reported'))
  to?: string;
}

const count = integer(0, Number.MAX_SAFE_INTEGER);

export const simulationSchema: JsonSchema = named(
  'PolicySimulation',
  object({
    intents: count,
    permitted: count,
    refused: count,
    differences: {
      problems: () => [],
      schema: {
        type: 'array',
        items: object({
          idempotency_key: {
            problems: () => [],
            schema: { type: ['string', 'null'], description: 'Null where none was sent, or none was recorded' },
          },
          payment_id: id('ap_01JZ5Y0W3X0000000000000000'),
          amount,
          permitted: flag,
          was_permitted: flag,
          triggered_thresholds: list(oneOf(THRESHOLDS), THRESHOLDS.length),
        }).schema,
      },
    },
  }).schema,
);
