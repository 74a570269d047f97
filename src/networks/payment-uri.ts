import { unitsOf } from '../kernel/amounts';
import { networkNamed } from './table';

/** What a link must carry for another wallet to pay exactly this. */
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

/** Fully percent-encoded, so that a memo arrives as it was written. */
const query = (parameters: Readonly<Record<string, string | null>>): string =>
  Object.entries(parameters)
    .filter((entry): entry is [string, string] => entry[1] !== null)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

const PASSPHRASES: Readonly<Record<string, string>> = { stellar_testnet: 'Test SDF Network ; September 2015' };

/** SEP-7. Without a passphrase, the public network is meant. */
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

/** BIP-21 and the coins that adopted it under their own name; a cash address may already have that prefix. */
const bip21 =
  (name: string): Scheme =>
  ({ address }, amount) =>
    `${name}:${address.replace(new RegExp(`^${name}:`, 'i'), '')}?${query({ amount })}`;

/** EIP-681. Amounts are in whole base units, so a token with unknown decimals has no link. */
const evm: Scheme = ({ address, contract, decimals, chain_id }, amount) => {
  if (decimals === null || chain_id === null) return null;
  const units = String(unitsOf(amount, decimals));
  return contract === null
    ? `ethereum:${address}@${chain_id}?${query({ value: units })}`
    : `ethereum:${contract}@${chain_id}/transfer?${query({ address, uint256: units })}`;
};

/** A Solana Pay transfer request. */
const solana: Scheme = ({ address, memo }, amount) => `solana:${address}?${query({ amount, memo })}`;

/** Amounts are in nanotons. */
const ton: Scheme = ({ address, memo }, amount) =>
  `ton://transfer/${address}?${query({ amount: String(unitsOf(amount, 9)), text: memo })}`;

/** CIP-13. */
const cardano: Scheme = ({ address }, amount) => `web+cardano:${address}?${query({ amount })}`;

/** ARC-26, in microalgos; the payer cannot change an `xnote`. */
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

/** A link that other wallets of the network can open, in its published scheme; null if it has none. */
export function paymentUri(facts: PayableFacts, amount: string): string | null {
  const scheme = SCHEMES.get(facts.network) ?? (networkNamed(facts.network)?.chainId === undefined ? undefined : evm);
  return scheme === undefined ? null : scheme(facts, amount);
}
