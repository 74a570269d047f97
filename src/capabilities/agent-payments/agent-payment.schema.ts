import { amount } from '../../http/input/amount';
import { type Check, dateTime, integer, type JsonSchema, named, object, oneOf, text } from '../../http/input/checks';
import {
  CONFIRMED_BY_WALLET,
  finality,
  MAYBE_REPORTED,
  payee,
  paymentOn,
  reported,
  contested,
  settlement,
} from '../payments/payment-schema';
import { AGENT_PAYMENT_STATUSES } from '../../events/agent-payment.events';
import { testnetNames } from './agent-payments.dto';

const id = (example: string): Check => text({ max: 160, example });

/** An agent payment as every caller sees it. */
export const agentPaymentSchema: JsonSchema = named(
  'AgentPayment',
  object(
    {
      id: id('ap_01JZ5Y0W3X0000000000000000'),
      status: oneOf(AGENT_PAYMENT_STATUSES, CONFIRMED_BY_WALLET),
      initiator: oneOf(['agent', 'human']),
      network: oneOf(testnetNames),
      asset: text({ max: 80 }),
      amount,
      connection_id: id('con_01JZ5Y0W3X0000000000000000'),
      policy_id: id('pol_01JZ5Y0W3X0000000000000000'),
      recipient_id: id('rcp_01JZ5Y0W3X0000000000000000'),
      recipient_version_id: id('rcv_01JZ5Y0W3X0000000000000000'),
      payee,
      payment: paymentOn(testnetNames),
      idempotency_key: text({ max: 256 }),
      metadata: { problems: () => [], schema: { type: 'object', additionalProperties: true } },
      ...reported,
      settlement,
      contested,
      created_at: dateTime(),
      expires_at: dateTime(),
      updated_at: dateTime(),
      version: integer(1, Number.MAX_SAFE_INTEGER, 'How many events this payment has'),
      is_final: finality,
    },
    ['policy_id', 'idempotency_key', 'metadata', ...MAYBE_REPORTED],
  ).schema,
);
