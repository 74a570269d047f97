import { amount } from '../http/amount';
import { type Check, dateTime, flag, integer, type JsonSchema, object, oneOf, text } from '../http/checks';
import { rails } from '../networks';
import { AGENT_PAYMENT_STATUSES } from './agent-payment.events';
import { testnetNames } from './agent-payments.dto';

const id = (example: string): Check => text({ max: 160, example });

const payment = object(
  {
    rail: oneOf(rails),
    network: oneOf(testnetNames),
    asset: text({ max: 80 }),
    amount,
    to: text({ max: 300, description: 'Where the payee is paid' }),
    contract: text({ max: 300 }),
    issuer: text({ max: 300 }),
    decimals: integer(0, 255),
    chain_id: integer(0, Number.MAX_SAFE_INTEGER),
    memo: text({ max: 500 }),
  },
  ['contract', 'issuer', 'decimals', 'chain_id', 'memo'],
);

/** An agent payment as every caller sees it. */
export const agentPaymentSchema: JsonSchema = object(
  {
    id: id('ap_01JZ5Y0W3X0000000000000000'),
    status: oneOf(AGENT_PAYMENT_STATUSES),
    initiator: oneOf(['agent', 'human']),
    network: oneOf(testnetNames),
    asset: text({ max: 80 }),
    amount,
    connection_id: id('con_01JZ5Y0W3X0000000000000000'),
    policy_id: id('pol_01JZ5Y0W3X0000000000000000'),
    recipient_id: id('rcp_01JZ5Y0W3X0000000000000000'),
    recipient_version_id: id('rcv_01JZ5Y0W3X0000000000000000'),
    payee: object({ name: text({ max: 120 }), verified: flag, domain: text({ max: 253 }) }),
    payment,
    idempotency_key: text({ max: 256 }),
    metadata: { problems: () => [], schema: { type: 'object', additionalProperties: true } },
    transaction_hash: text({ max: 200 }),
    ledger: integer(0, Number.MAX_SAFE_INTEGER),
    reason: text({ max: 500 }),
    created_at: dateTime(),
    expires_at: dateTime(),
    updated_at: dateTime(),
    version: integer(1, Number.MAX_SAFE_INTEGER, 'How many events this payment has'),
    is_final: { ...flag, schema: { ...flag.schema, description: 'Whether its status can still change' } },
  },
  ['policy_id', 'idempotency_key', 'metadata', 'transaction_hash', 'ledger', 'reason'],
).schema;
