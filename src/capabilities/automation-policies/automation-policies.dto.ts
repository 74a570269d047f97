import { type AutomationPolicyDocument } from '../../../projections/automation-policies.projection';
import { amount } from '../../http/input/amount';
import {
  type Check,
  dateTime,
  distinct,
  integer,
  type JsonSchema,
  list,
  object,
  oneOf,
  text,
} from '../../http/input/checks';
import { Field, OptionalField } from '../../http/input/field.decorator';
import { PageInput } from '../../http/input/pagination';
import { compareAmounts, subtractAmounts } from '../../kernel/amounts';
import { networks } from '../../networks';
import { POLICY_STATUSES } from './automation-policy';
import { type PolicyTerms } from './automation-policy.events';

const id = (example: string): Check => text({ max: 160, example });
const connectionId = id('con_01JZ5Y0W3X0000000000000000');
const testnets = oneOf(networks.filter(({ testnet }) => testnet).map(({ name }) => name));
const described = ({ problems, schema }: Check, description: string): Check => ({
  problems,
  schema: { ...schema, description },
});

const singleLimit = described(amount, 'The most one payment may be');
const cumulativeLimit = described(amount, 'The most all payments under this policy may come to');
const from = dateTime('From when on the agent may act alone');
const until = dateTime('Until when, exclusively');
const allowlist = distinct(list(id('rcp_01JZ5Y0W3X0000000000000000'), 200, 1));
const version = integer(1, Number.MAX_SAFE_INTEGER, 'The policy’s current version');

export class CreatePolicyInput {
  @Field(connectionId)
  connection_id!: string;

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

export class OptInInput {
  @OptionalField(integer(1, Number.MAX_SAFE_INTEGER, 'The version whose terms the person was shown'))
  version?: number;
}

export class OptOutInput {}

export class ListPoliciesInput extends PageInput {
  @OptionalField(connectionId)
  connection_id?: string;
}

/** Only what was given; times in the one form in which they are compared. */
export function termsIn(input: ChangePolicyInput | CreatePolicyInput): Partial<PolicyTerms> {
  const { single_tx_limit, cumulative_limit, valid_from, valid_until, allowlist: recipients } = input;
  return {
    ...(single_tx_limit === undefined ? {} : { single_tx_limit }),
    ...(cumulative_limit === undefined ? {} : { cumulative_limit }),
    ...(valid_from === undefined ? {} : { valid_from: new Date(valid_from).toISOString() }),
    ...(valid_until === undefined ? {} : { valid_until: new Date(valid_until).toISOString() }),
    ...(recipients === undefined ? {} : { allowlist: recipients }),
  };
}

const CONNECTION_STATUSES = ['active', 'paused', 'revoked'] as const;
type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];
const optedInAt: JsonSchema = { type: ['string', 'null'], format: 'date-time' };
const total: Check = { problems: () => [], schema: { type: 'string', pattern: '^[0-9]+(\\.[0-9]+)?$', example: '0' } };

export const policySchema: JsonSchema = object({
  id: id('pol_01JZ5Y0W3X0000000000000000'),
  status: oneOf(POLICY_STATUSES, 'Only active ones let an agent act alone; revoked is final'),
  connection_id: connectionId,
  connection_status: oneOf(CONNECTION_STATUSES, 'Nothing is done over a connection that is not active'),
  network: testnets,
  asset: text({ max: 80 }),
  single_tx_limit: singleLimit,
  cumulative_limit: cumulativeLimit,
  valid_from: from,
  valid_until: until,
  allowlist,
  spent: described(total, 'What its payments come to that are paid or may still be'),
  remaining: described(total, 'What is left of the cumulative limit'),
  opted_in_at: { problems: () => [], schema: optedInAt },
  created_at: dateTime(),
  updated_at: dateTime(),
  version: integer(1, Number.MAX_SAFE_INTEGER, 'Counts changes of the policy; payments do not count'),
}).schema;

export function policyView(policy: AutomationPolicyDocument, connectionStatus: ConnectionStatus | undefined) {
  const { id: policyId, merchant_id: _merchant, device_id: _device, agent_id: _agent, ...more } = policy;
  const { reservations: _reservations, long: _long, ...rest } = more;
  const { cumulative_limit: limit, spent } = policy;
  // A limit that was lowered below what is spent leaves nothing, not less than nothing.
  const remaining = compareAmounts(limit, spent) > 0 ? subtractAmounts(limit, spent) : '0';
  return { ...rest, id: policyId, connection_status: connectionStatus ?? 'revoked', remaining };
}
