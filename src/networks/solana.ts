import { base58 } from '@scure/base';
import { attempt } from './codecs';
import { type AddressCheck } from './network';
import { invalid, reservedAddress, secretPasted } from './problems';

/** Programs and mints that people paste by mistake; those that end in a run of ones are caught by their shape. */
const NOT_WALLETS: ReadonlySet<string> = new Set([
  'So11111111111111111111111111111111111111112',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
]);

/** Solana addresses have no checksum: only length, alphabet and that the key is not a program's can be checked. */
export const solanaAddress: AddressCheck = (address) => {
  const expected = 'A Solana address is base58 of 32 bytes, 32 to 44 characters. Copy it from the wallet.';
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,88}$/.test(address)) return invalid(expected);
  const bytes = attempt(() => base58.decode(address));
  if (bytes?.length === 64) return secretPasted;
  if (bytes?.length !== 32) return invalid(expected);
  // Native programs, system variables and the incinerator end in a run of ones, which no key does by chance.
  return /1{8}$/.test(address) || NOT_WALLETS.has(address) ? reservedAddress : undefined;
};
