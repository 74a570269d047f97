import { type AutomationPolicyDocument } from '../../../projections/automation-policies.projection';
import { type RecipientDocument } from '../../../projections/recipients.projection';
import {
  type Check,
  dateTime,
  flag,
  integer,
  type JsonSchema,
  named,
  nullable,
  object,
  oneOf,
  text,
} from '../../http/input/checks';
import { remainingOf } from '../../kernel/policy-totals';
import {
  allowlist,
  connectionId,
  cumulativeLimit,
  described,
  from,
  id,
  singleLimit,
  testnets,
  until,
} from './automation-policies.dto';
import { POLICY_STATUSES } from './automation-policy';

const CONNECTION_STATUSES = ['active', 'paused', 'revoked'] as const;
type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];
const optedInAt: JsonSchema = { type: ['string', 'null'], format: 'date-time' };
const thresholds = {
  single_tx_limit: singleLimit,
  cumulative_limit: cumulativeLimit,
  valid_from: from,
  valid_until: until,
  allowlist,
};
const shown = (schema: JsonSchema): Check => ({ problems: () => [], schema });
const textOrNull = shown({ type: ['string', 'null'] });
const total: Check = { problems: () => [], schema: { type: 'string', pattern: '^[0-9]+(\\.[0-9]+)?$', example: '0' } };

const payee = object({
  recipient_id: id('rcp_01JZ5Y0W3X0000000000000000'),
  name: text({ max: 200 }),
  recipient_version_id: described(textOrNull, 'The active version; null if there is none'),
  network: textOrNull,
  asset: textOrNull,
  address: textOrNull,
  memo: textOrNull,
  contract: textOrNull,
  issuer: described(textOrNull, 'Who issued the asset: a code alone does not say which token is paid'),
  domain: described(textOrNull, 'The verified domain that vouches for it'),
  opted_in: described(flag, 'False: an agent may not pay it alone until the wallet’s owner opts in again'),
});

const fields = {
  id: id('pol_01JZ5Y0W3X0000000000000000'),
  status: oneOf(POLICY_STATUSES, 'Only active ones let an agent act alone; declined, replaced and revoked are final'),
  connection_id: connectionId,
  connection_status: oneOf(CONNECTION_STATUSES, 'Nothing is done over a connection that is not active'),
  network: testnets,
  asset: text({ max: 80 }),
  ...thresholds,
  proposed: described(
    object(thresholds),
    'The widest terms that can be agreed to; the fields next to it are the ones in force',
  ),
  reserved: described(total, 'The total of its payments that may still be paid'),
  spent: described(total, 'The total of its payments that were broadcasted or confirmed, late ones included'),
  remaining: described(total, 'What is left of the cumulative limit'),
  replaces: described(textOrNull, 'The policy whose place it took'),
  replaced_by: described(textOrNull, 'The policy that took its place'),
  opted_in_at: shown(optedInAt),
  created_at: dateTime(),
  updated_at: dateTime(),
  version: integer(1, Number.MAX_SAFE_INTEGER, 'Counts changes of the policy, not its payments'),
};

export const policySchema: JsonSchema = named('AutomationPolicy', object(fields).schema);

/** Read individually, a policy also shows whom its allowlist currently refers to. */
export const policyWithPayeesSchema: JsonSchema = named(
  'AutomationPolicyWithPayees',
  object({
    ...fields,
    payees: shown({ type: 'array', items: payee.schema }),
    replaced: described(
      nullable(object({ id: id('pol_01JZ5Y0W3X0000000000000000'), reserved: total, spent: total })),
      'The policy whose place it took, with what it has reserved and spent',
    ),
  }).schema,
);

export function policyView(policy: AutomationPolicyDocument, connectionStatus: ConnectionStatus | undefined) {
  const { id: policyId, merchant_id: _merchant, device_id: _device, agent_id: _agent, ...more } = policy;
  const {
    reservations: _reservations,
    long: _long,
    payees: _payees,
    activations: _times,
    proposed_by: _by,
    in_use: _inUse,
    ...rest
  } = more;
  return {
    ...rest,
    id: policyId,
    connection_status: connectionStatus ?? 'revoked',
    remaining: remainingOf(policy.cumulative_limit, policy),
  };
}

export const payeeView = (policy: AutomationPolicyDocument, { id: recipientId, name, ...more }: RecipientDocument) => {
  const inUse = more.versions.find(({ recipient_version_id }) => recipient_version_id === more.active_version_id);
  const agreedTo = policy.payees === null ? inUse?.recipient_version_id : policy.payees[recipientId];
  const isReplaced = policy.activations !== null && policy.activations[recipientId] !== more.activations;
  return {
    recipient_id: recipientId,
    name,
    recipient_version_id: inUse?.recipient_version_id ?? null,
    network: inUse?.network ?? null,
    asset: inUse?.asset ?? null,
    address: inUse?.address ?? null,
    memo: inUse?.memo ?? null,
    contract: inUse?.contract ?? null,
    issuer: inUse?.issuer ?? null,
    domain: inUse?.evidence?.proof.domain ?? null,
    opted_in:
      policy.status === 'active' && inUse !== undefined && agreedTo === inUse.recipient_version_id && !isReplaced,
  };
};
