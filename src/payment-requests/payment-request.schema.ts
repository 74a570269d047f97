import { amount } from '../http/amount';
import { type Check, dateTime, flag, integer, type JsonSchema, object, oneOf, text } from '../http/checks';
import { networkNames, rails } from '../networks';
import { PAYMENT_REQUEST_STATUSES } from './payment-request.events';

const id = (example: string): Check => text({ max: 160, example });
const anything: Check = { problems: () => [], schema: { type: 'object', additionalProperties: true } };

const payment = object(
  {
    rail: oneOf(rails),
    network: oneOf(networkNames),
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

/** A payment request as every caller sees it (svc.payment_request.v1). */
export const paymentRequestSchema: JsonSchema = object(
  {
    protocol: { problems: () => [], schema: { type: 'string', const: 'svc.payment_request.v1' } },
    request_id: id('pr_01JZ5Y0W3X0000000000000000'),
    connection_id: id('con_01JZ5Y0W3X0000000000000000'),
    transaction_id: id('order-1017'),
    created_at: dateTime(),
    expires_at: dateTime(),
    idempotency_key: text({ max: 256 }),
    status: oneOf(PAYMENT_REQUEST_STATUSES),
    source: { ...anything, schema: { ...anything.schema, description: 'The agent and merchant behind the request' } },
    payee: object({ name: text({ max: 120 }), verified: flag, domain: text({ max: 253 }) }),
    payment,
    policy: object({ requires_user_approval: { problems: () => [], schema: { type: 'boolean', const: true } } }),
    display: anything,
    metadata: anything,
    recipient_id: id('rcp_01JZ5Y0W3X0000000000000000'),
    recipient_version_id: id('rcv_01JZ5Y0W3X0000000000000000'),
    transaction_hash: text({ max: 200 }),
    ledger: integer(0, Number.MAX_SAFE_INTEGER),
    reason: text({ max: 500 }),
    version: integer(1, Number.MAX_SAFE_INTEGER, 'How many events this request has'),
    is_final: { ...flag, schema: { ...flag.schema, description: 'Whether its status can still change' } },
    updated_at: dateTime(),
  },
  ['transaction_id', 'idempotency_key', 'display', 'metadata', 'transaction_hash', 'ledger', 'reason'],
).schema;
