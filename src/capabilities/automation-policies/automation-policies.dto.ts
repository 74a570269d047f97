import { amount } from '../../http/input/amount';
import { type Check, dateTime, distinct, integer, list, normalTime, oneOf, text } from '../../http/input/checks';
import { Field, OptionalField } from '../../http/input/field.decorator';
import { KeyedInput } from '../../http/input/keyed-draft';
import { PageInput } from '../../http/input/pagination';
import { networks } from '../../networks';
import { type PolicyTerms } from '../../events/automation-policy.events';
import { type ConnectionId, type PolicyId } from '../../kernel/aggregates';

export const id = (example: string): Check => text({ max: 160, example });
export const connectionId = id('con_01JZ5Y0W3X0000000000000000');
export const testnets = oneOf(networks.filter(({ testnet }) => testnet).map(({ name }) => name));
export const described = ({ problems, schema }: Check, description: string): Check => ({
  problems,
  schema: { ...schema, description },
});

export const singleLimit = described(amount, 'The maximum amount of one payment');
export const cumulativeLimit = described(amount, 'The maximum total of all payments under this policy');
export const from = dateTime('The time from which the agent may act alone', '2026-01-01T00:00:00.000Z');
export const until = dateTime('The time until which it may, exclusive');
export const allowlist = distinct(list(id('rcp_01JZ5Y0W3X0000000000000000'), 200, 1));
const version = integer(1, Number.MAX_SAFE_INTEGER, 'The policy’s current version');

const replaced = described(
  id('pol_01JZ5Y0W3X0000000000000000'),
  'The active policy for the same connection, network and asset that ends with it; a proposal replaces nothing by itself',
);

const tightened = (check: Check): Check => described(check, 'As proposed or tighter, never looser');

export class CreatePolicyInput extends KeyedInput {
  @Field(connectionId)
  connection_id!: ConnectionId;

  @Field(testnets)
  network!: string;

  @Field(text({ max: 80, example: 'XLM' }))
  asset!: string;

  @Field(singleLimit)
  single_tx_limit!: string;

  @Field(cumulativeLimit)
  cumulative_limit!: string;

  @Field(from)
  valid_from!: string;

  @Field(until)
  valid_until!: string;

  @Field(allowlist)
  allowlist!: readonly string[];

  @OptionalField(replaced)
  replaces?: PolicyId;
}

export class ChangePolicyInput {
  @Field(version)
  version!: number;

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
}

/** Absent fields stay as they are. */
export class OptInInput {
  @OptionalField(integer(1, Number.MAX_SAFE_INTEGER, 'The version whose terms the person was shown'))
  version?: number;

  @OptionalField(
    described(
      distinct(list(id('rcv_01JZ5Y0W3X0000000000000000'), 200)),
      'The `recipient_version_id` of each payee that the person was shown; refused with 409 if another one would be agreed to',
    ),
  )
  recipient_version_ids?: readonly string[];

  @OptionalField(replaced)
  replaces?: PolicyId;

  @OptionalField(tightened(singleLimit))
  single_tx_limit?: string;

  @OptionalField(tightened(cumulativeLimit))
  cumulative_limit?: string;

  @OptionalField(tightened(from))
  valid_from?: string;

  @OptionalField(tightened(until))
  valid_until?: string;

  @OptionalField(tightened(allowlist))
  allowlist?: readonly string[];
}

export class OptOutInput {}

export class ListPoliciesInput extends PageInput {
  @OptionalField(connectionId)
  connection_id?: ConnectionId;
}

/** Only the fields that were given; times in the canonical form used for comparison. */
export function termsIn(input: Partial<PolicyTerms>): Partial<PolicyTerms> {
  const { single_tx_limit, cumulative_limit, valid_from, valid_until, allowlist: recipients } = input;
  return {
    ...(single_tx_limit === undefined ? {} : { single_tx_limit }),
    ...(cumulative_limit === undefined ? {} : { cumulative_limit }),
    ...(valid_from === undefined ? {} : { valid_from: normalTime(valid_from) }),
    ...(valid_until === undefined ? {} : { valid_until: normalTime(valid_until) }),
    ...(recipients === undefined ? {} : { allowlist: recipients }),
  };
}
