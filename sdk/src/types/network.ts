import { type Issue } from '../errors.ts';

/** What can be carried next to a payment. */
export type MemoRule = Readonly<{
  kind: 'none' | 'text' | 'integer';
  called?: string;
  /** Of a text, in UTF-8. */
  max_bytes?: number;
  /** Of an unsigned integer. */
  bits?: number;
}>;

export type Network = Readonly<{
  network: string;
  title: string;
  testnet: boolean;
  /** Whether a recipient on it can be activated at this service. */
  enabled: boolean;
  rails: readonly string[];
  native_asset: string;
  decimals: number;
  /** False if only tokens can be requested. */
  native_payable: boolean;
  tokens: 'none' | 'erc20' | 'stellar_credit';
  chain_id: number | null;
  memo: MemoRule;
}>;

export type AddressToCheck = Readonly<{
  address: string;
  /** The network's native asset if absent. */
  asset?: string;
  memo?: string;
  contract?: string;
  issuer?: string;
}>;

/** What creating a recipient with these facts would report. */
export type AddressVerdict = Readonly<{
  valid: boolean;
  issues: readonly Issue[];
  facts: Readonly<Record<string, string | number>> | null;
}>;
