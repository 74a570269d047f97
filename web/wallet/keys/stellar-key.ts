// Loaded only when a key is made, restored or shown: the Stellar library is large.
import { Keypair } from '@stellar/stellar-base';
import { accountSeed } from './recovery-words.ts';

export const addressOf = (words: string, account: number): string => keyOf(words, account).publicKey();

/** In the format that other wallets accept: S… */
export const secretOf = (words: string, account: number): string => keyOf(words, account).secret();

const keyOf = (words: string, account: number): Keypair =>
  Keypair.fromRawEd25519Seed(accountSeed(words, account) as Buffer);
