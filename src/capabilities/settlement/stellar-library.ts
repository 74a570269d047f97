import type * as Stellar from '@stellar/stellar-base';
import { UnreadableAnswer } from './answers';

export type StellarLibrary = typeof Stellar;

let loading: Promise<StellarLibrary> | undefined;

/** Four megabytes of code: loaded when the first transaction is to be decoded, never where none is. */
export const stellarLibrary = (): Promise<StellarLibrary> => (loading ??= import('@stellar/stellar-base'));

/** By our names of the networks. Hashes and the ids of contracts follow from them. */
export const PASSPHRASES: Readonly<Record<string, string>> = {
  stellar_testnet: 'Test SDF Network ; September 2015',
  stellar_public: 'Public Global Stellar Network ; September 2015',
};

/** What a newer protocol added cannot be decoded by an older library, which is no fault of the payment. */
export function decoded<T>(what: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof UnreadableAnswer) throw error;
    throw new UnreadableAnswer(`its ${what} cannot be decoded`, { cause: error });
  }
}
