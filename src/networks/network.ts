import { type NetworkName, type Rail } from './names';
import { type Problem } from './problems';

/** Returns what is wrong with an address, or undefined if the chain would accept it. */
export type AddressCheck = (address: string) => Problem | undefined;

/**
 * What the chain can carry next to a payment. `text` is limited in UTF-8 bytes, `integer` is an unsigned decimal of
 * that many bits, and `none` means the chain has no such field, so a memo would be lost.
 */
export type MemoRule =
  | Readonly<{ kind: 'none' }>
  | Readonly<{ kind: 'text'; maxBytes: number; called: string }>
  | Readonly<{ kind: 'integer'; bits: 32 | 64; called: string }>;

/** How assets other than the native one are identified on the network, if offered at all. */
export type TokenRule = 'none' | 'erc20' | 'stellar_credit';

export type Network = Readonly<{
  name: NetworkName;
  /** Human-readable: used in messages. */
  title: string;
  testnet: boolean;
  rails: readonly Rail[];
  /** Without a rail, the native asset exists on the chain but cannot be requested here (ETH on Base). */
  native: Readonly<{ asset: string; decimals: number; rail?: Rail }>;
  /** EVM networks only. */
  chainId?: number;
  tokens: TokenRule;
  memo: MemoRule;
  checkAddress: AddressCheck;
  /** The canonical spelling in which an address is stored, if the chain has several. */
  spelling?: (address: string) => string;
}>;
