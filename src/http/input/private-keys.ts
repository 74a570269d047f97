import { keeping, onlyKept } from '../../kernel/code-writer';
import { type Issue } from '../../kernel/errors';
import { decodeBase58, holdsPrivateKey } from '../../networks';
import { isSeedWithPublicKey } from '../../platform/secrets/ed25519';
import { isPlainObject } from './checks';
import { holdsRecoveryPhrase } from './recovery-phrases';

export const PRIVATE_KEY = 'secret_not_accepted';

export const privateKeyIssue = (field: string): Issue => ({
  code: PRIVATE_KEY,
  field,
  message: 'is a private key or looks like one, which this service never accepts; keep it secret and replace it',
});

const NAMED =
  /priv(?:ate)?key|private(?:jwk|seed)|secret(?:key|seed)$|(?:seed|recovery|mnemonic|backup)phrase|mnemonic$|walletseed$/;
const MIN_SEED_LENGTH = 16;
const KEY_FILE_BYTES = 64;
const MIN_WORDS = 12;
const MAX_WORD_LENGTH = 16;
const MIN_JWK_LENGTH = 32;
/** Matches a JWK inside any text: its quotes may be single quotes, or escaped again. */
const IS_JWK = /["'](?:kty|crv)\\{0,8}["']\s{0,8}:/;
const PRIVATE_PART = /["']d\\{0,8}["']\s{0,8}:\s{0,8}\\{0,8}["'][\w-]{16}/;

/** Whether a field name means a private key. A caller may say whether a key exists, but not send the key itself. */
export function namesPrivateKey(name: string, value: unknown): boolean {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return false;
  const kind = kindOf(name);
  // Shops sell seeds too: a field of that name must be long enough to hold a key.
  if (kind === 'seed') return typeof value === 'string' ? value.length >= MIN_SEED_LENGTH : Array.isArray(value);
  return kind === 'key';
}

type Kind = 'key' | 'seed' | 'other';

const LETTERS_AND_DIGITS = keeping('abcdefghijklmnopqrstuvwxyz0123456789');

/** Names seen before: every request brings the same dozen headers. */
const judged = new Map<string, Kind>();
const MAX_JUDGED = 1_000;

/** No name of a key is shorter or lacks this letter: most names are ruled out here. */
const MIN_NAME_LENGTH = 4;
const HINT = /e/i;

function kindOf(name: string): Kind {
  if (name.length < MIN_NAME_LENGTH || !HINT.test(name)) return 'other';
  const known = judged.get(name);
  if (known !== undefined) return known;
  const plain = onlyKept(name.toLowerCase(), LETTERS_AND_DIGITS);
  const kind = NAMED.test(plain) ? 'key' : plain === 'seed' ? 'seed' : 'other';
  if (judged.size < MAX_JUDGED && name.length <= 100) judged.set(name, kind);
  return kind;
}

/** How much work one body may cause while it is searched for keys. */
export type Allowance = Readonly<{ mayDecode: () => boolean; mayDerive: () => boolean; mayHash: () => boolean }>;
const always = (): boolean => true;
const never = (): boolean => false;
const UNLIMITED: Allowance = { mayDecode: always, mayDerive: always, mayHash: always };
const BY_SHAPE_ONLY: Allowance = { mayDecode: never, mayDerive: never, mayHash: never };
/** Texts of one body that are decoded to check for keys; beyond that, whatever looks like a key counts as one. */
const MAX_DECODED = 100;
/**
 * Telling a Solana key from a transaction signature costs more. Beyond this many, a text counts as a signature in a
 * body, which may list those, and as a key anywhere else.
 */
const MAX_DERIVED = 4;
/** Rows of listed words whose checksum is computed; ordinary text has none, so beyond that a row counts as a phrase. */
const MAX_HASHED = 100;

/** For one body, query or set of headers. */
export function newAllowance(): Allowance {
  let [decoded, derived, hashed] = [0, 0, 0];
  return {
    mayDecode: () => (decoded += 1) <= MAX_DECODED,
    mayDerive: () => (derived += 1) <= MAX_DERIVED,
    mayHash: () => (hashed += 1) <= MAX_HASHED,
  };
}

const SOLANA_LENGTHS = { shortest: 87, longest: 88 };
const SOLANA_KEY = /^[1-9A-HJ-NP-Za-km-z]{87,88}$/;
/** The highest last byte of an Ed25519 signature: its second half is a number below the order of the base point. */
const MAX_LAST_SIGNATURE_BYTE = 0x10;

/** A private key with its public key in base58. A Solana transaction signature has the same shape, and is allowed. */
function isSolanaKey(text: string, { mayDecode, mayDerive }: Allowance): boolean {
  if (text.length < SOLANA_LENGTHS.shortest) return false;
  const pasted = text.trim();
  if (pasted.length > SOLANA_LENGTHS.longest || !SOLANA_KEY.test(pasted)) return false;
  // A caller that sends more of them than we decode may be hiding a key among them.
  if (!mayDecode()) return true;
  const bytes = decodeBase58(pasted);
  if (bytes?.length !== KEY_FILE_BYTES) return false;
  if ((bytes.at(-1) ?? 0) > MAX_LAST_SIGNATURE_BYTE) return true;
  return mayDerive() && isSeedWithPublicKey(bytes);
}

/** A key as text, as a JWK (RFC 8037, RFC 7518), or as the list of bytes or words that some wallets keep. */
export function isPrivateKey(value: unknown, allowance: Allowance = UNLIMITED): boolean {
  if (typeof value === 'string')
    return (
      holdsPrivateKey(value, allowance.mayDecode) ||
      isSolanaKey(value, allowance) ||
      holdsRecoveryPhrase(value, allowance.mayHash) ||
      holdsJwk(value)
    );
  if (Array.isArray(value))
    return (value.length === KEY_FILE_BYTES && value.every(isByte)) || isListOfWords(value, allowance);
  return isPlainObject(value) && typeof value['d'] === 'string' && ('kty' in value || 'crv' in value);
}

/**
 * For what is repeated in a response or a log: what only looks like a key counts as one too, unless the allowance is
 * enough to decode it or to derive its public key. That costs more than all the rest of a request.
 */
export function mayBePrivateKey(text: string, allowance: Allowance = BY_SHAPE_ONLY): boolean {
  let isUndecided = false;
  const mayDerive = (): boolean => {
    const isAllowed = allowance.mayDerive();
    if (!isAllowed) isUndecided = true;
    return isAllowed;
  };
  return isPrivateKey(text, { ...allowance, mayDerive }) || isUndecided;
}

const isByte = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 256;

/** A recovery phrase as a list of words; each word alone is ordinary text. */
const isListOfWords = (value: readonly unknown[], { mayHash }: Allowance): boolean =>
  value.length >= MIN_WORDS && value.every(isWord) && holdsRecoveryPhrase(value.join(' '), mayHash);

const isWord = (value: unknown): boolean => typeof value === 'string' && value.length <= MAX_WORD_LENGTH;

const holdsJwk = (text: string): boolean =>
  text.length >= MIN_JWK_LENGTH &&
  (text.includes('kty') || text.includes('crv')) &&
  IS_JWK.test(text) &&
  PRIVATE_PART.test(text);
