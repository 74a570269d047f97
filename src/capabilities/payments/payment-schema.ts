import { amount } from '../../http/input/amount';
import {
  type Check,
  dateTime,
  flag,
  integer,
  type JsonSchema,
  named,
  object,
  oneOf,
  text,
} from '../../http/input/checks';
import { WITHDRAWERS } from '../../kernel/payment-progress';
import { SETTLEMENT_FACTS, SETTLEMENT_VERDICTS } from '../../kernel/settlement';
import { rails } from '../../networks';

/** What is to be paid, as wallets read it, on one of these networks. */
export const paymentOn = (networks: readonly string[]): Check =>
  object(
    {
      rail: oneOf(rails),
      network: oneOf(networks),
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

export const payee = object({ name: text({ max: 120 }), verified: flag, domain: text({ max: 253 }) });

const late: Check = {
  problems: () => [],
  schema: named('LateReport', {
    ...object({
      status: oneOf(['broadcasted', 'confirmed']),
      transaction_hash: text({ max: 200 }),
      reported_at: dateTime(),
    }).schema,
    description: 'The last transaction that the wallet reported after the payment had ended: money may have moved',
  }),
};

/** What was reported, or said by who withdrew it; absent until then. */
export const reported = {
  transaction_hash: text({ max: 200, description: 'The transaction that was reported last before the payment ended' }),
  ledger: integer(0, Number.MAX_SAFE_INTEGER),
  reason: text({ max: 500, description: '`withdrawn` if it was withdrawn' }),
  withdrawn_by: oneOf(WITHDRAWERS),
  withdrawn_reason: text({ max: 500, description: 'In the words of who withdrew it' }),
  late,
};

export const MAYBE_REPORTED = Object.keys(reported);

/** The wording shared by every schema that shows a payment's status. */
export const CONFIRMED_BY_WALLET =
  'As the wallet reports it: confirmed is its claim, not a payment that this service has seen; look the transaction up on the chain';

export const finality: Check = {
  ...flag,
  schema: { ...flag.schema, description: 'True once the status can no longer change' },
};

const compared: JsonSchema = { type: ['string', 'number', 'boolean', 'null'] };

/** What the service found of the reported transaction on its network; null if it has not looked, or never does. */
export const settlementSchema: JsonSchema = named('Settlement', {
  type: ['object', 'null'],
  description:
    'What the service itself found on the network about the transaction that the wallet reported. `matches`: it is in a ledger ' +
    'and one of its transfers pays exactly what was requested, and settles no other payment. `null`: nobody has looked.',
  required: [
    'verdict',
    'differences',
    'ledger',
    'ledger_hash',
    'operation',
    'transfer',
    'announced',
    'binding',
    'observed_at',
    'witness',
  ],
  properties: {
    verdict: oneOf(SETTLEMENT_VERDICTS).schema,
    differences: {
      type: 'array',
      items: named('SettlementDifference', {
        type: 'object',
        required: ['fact', 'expected', 'found'],
        properties: { fact: oneOf(SETTLEMENT_FACTS).schema, expected: compared, found: compared },
      }),
    },
    ledger: { type: ['integer', 'null'], minimum: 1 },
    ledger_hash: { type: ['string', 'null'], description: 'The outer hash, whichever one the wallet named' },
    operation: {
      type: ['integer', 'null'],
      minimum: 0,
      description: 'The operation whose transfer settles this payment and no other, from 0',
    },
    transfer: {
      type: ['integer', 'null'],
      minimum: 0,
      description: 'Its place among the arrivals of the asset at the payee within the operation, from 0',
    },
    announced: {
      type: ['boolean', 'null'],
      description: 'The wallet named the transaction before its ledger closed: it did not copy it from there',
    },
    binding: {
      enum: ['payer', 'none', null],
      description: '`payer`: the account that paid vouches for the key that signed the decision',
    },
    observed_at: dateTime().schema,
    witness: { type: 'string', description: 'The host of the network server that was asked' },
  },
});

export const settlement: Check = { problems: () => [], schema: settlementSchema };

export const contested: Check = {
  problems: () => [],
  schema: {
    type: 'boolean',
    description:
      'Other reports claim the transfer, too, so that it is open which payment it was meant for: do not ship. Once true, ' +
      'it stays true.',
  },
};
