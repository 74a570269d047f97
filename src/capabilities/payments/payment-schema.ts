import { amount } from '../../http/input/amount';
import { type Check, flag, integer, object, oneOf, text } from '../../http/input/checks';
import { rails } from '../../networks';

/** What is to be paid, as wallets read it; on one of these networks. */
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

/** What a wallet has reported; absent until then. */
export const reported = {
  transaction_hash: text({ max: 200 }),
  ledger: integer(0, Number.MAX_SAFE_INTEGER),
  reason: text({ max: 500 }),
};

export const finality: Check = {
  ...flag,
  schema: { ...flag.schema, description: 'Whether its status can still change' },
};
