import { unitsOf } from '../kernel/amounts';
import { networkNamed } from './table';

/** What a link must carry so that another wallet pays exactly this. */
export type PayableFacts = Readonly<{
  network: string;
  asset: string;
  address: string;
  memo: string | null;
  contract: string | null;
  issuer: string | null;
  decimals: number | null;
  chain_id: number | null;
}>;

type Scheme = (facts: PayableFacts, amount: string) => string | null;

/** Percent-encoded in full: what a person reads in a memo arrives as it was written. */
const query = (parameters: Readonly<Record<string, string | null>>): string =>
  Object.entries(parameters)
    .filter((entry): entry is [string, string] => entry[1] !== null)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

const PASSPHRASES: Readonly<Record<string, string>> = { stellar_testnet: 'Test SDF Network ; September 2015' };

/** SEP-7. The public network is meant where no passphrase is named. */
const stellar: Scheme = ({ network, asset, address, issuer, memo }, amount) =>
  `web+stellar:pay?${query({
    destination: address,
    amount,
    asset_code: issuer === null ? null : asset,
    asset_issuer: issuer,
    memo,
    memo_type: memo === null ? null : 'MEMO_TEXT',
    network_passphrase: PASSPHRASES[network] ?? null,
  })}`;

/** BIP-21 and those who took it over with a name of their own; a cash address may bring its name along. */
const bip21 =
  (name: string): Scheme =>
  ({ address }, amount) =>
    `${name}:${address.replace(new RegExp(`^${name}:`, 'i'), '')}?${query({ amount })}`;

/** EIP-681. Amounts are whole base units, so a token whose decimals nobody knows has no link. */
const evm: Scheme = ({ address, contract, decimals, chain_id }, amount) => {
  if (decimals === null || chain_id === null) return null;
  const units = String(unitsOf(amount, decimals));
  return contract === null
    ? `ethereum:${address}@${chain_id}?${query({ value: units })}`
    : `ethereum:${contract}@${chain_id}/transfer?${query({ address, uint256: units })}`;
};

/** Solana Pay, a transfer request. */
const solana: Scheme = ({ address, memo }, amount) => `solana:${address}?${query({ amount, memo })}`;

/** In nanotons. */
const ton: Scheme = ({ address, memo }, amount) =>
  `ton://transfer/${address}?${query({ amount: String(unitsOf(amount, 9)), text: memo })}`;

/** CIP-13. */
const cardano: Scheme = ({ address }, amount) => `web+cardano:${address}?${query({ amount })}`;

/** ARC-26, in microalgos; an `xnote` is one that the payer cannot change. */
const algorand: Scheme = ({ address, memo }, amount) =>
  `algorand://${address}?${query({ amount: String(unitsOf(amount, 6)), xnote: memo })}`;

const SCHEMES: ReadonlyMap<string, Scheme> = new Map([
  ['stellar_public', stellar],
  ['stellar_testnet', stellar],
  ['bitcoin_mainnet', bip21('bitcoin')],
  ['litecoin_mainnet', bip21('litecoin')],
  ['dogecoin_mainnet', bip21('dogecoin')],
  ['bitcoin_cash_mainnet', bip21('bitcoincash')],
  ['solana_mainnet', solana],
  ['ton_mainnet', ton],
  ['cardano_mainnet', cardano],
  ['algorand_mainnet', algorand],
]);

/** A link that other wallets of the network open, in its published scheme; null where it has none. */
export function paymentUri(facts: PayableFacts, amount: string): string | null {
  const scheme = SCHEMES.get(facts.network) ?? (networkNamed(facts.network)?.chainId === undefined ? undefined : evm);
  return scheme === undefined ? null : scheme(facts, amount);
}
