import { decodeXrplBase58 } from './xrpl';
import { isBase58Check, startsWithBytes } from './codecs';

const BASE58 = '[1-9A-HJ-NP-Za-km-z]';

/** WIF keys of Bitcoin, Litecoin, Dogecoin and their testnets. */
const WIF = new RegExp(`^(?:[569]${BASE58}{50}|[KLcTQ]${BASE58}{51})$`);
const PEM = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----/;

/** Shapes that are secrets wherever they appear; no address on any of our networks has one of them. */
const SECRET_SHAPES: readonly RegExp[] = [
  /^S[A-Z2-7]{55}$/, // Stellar seed
  new RegExp(`^6P(?=.*[a-z])${BASE58}{56}$`), // BIP-38 encrypted key; in capitals alone, an Algorand address
  new RegExp(`^(?:[a-zA-Z]prv|Ltpv|Mtpv|dgpv|tgpv)${BASE58}{100,}$`), // extended private keys
  new RegExp(`^(?:edsk|spsk|p2sk|BLsk|edesk|spesk|p2esk|BLesk)${BASE58}{45,}$`), // Tezos
  /^suiprivkey1[a-z0-9]{50,}$/i,
  /^(?:ed25519|secp256k1)-priv-(?:0x)?[0-9a-f]+$/i, // Aptos
  /^(?:[a-z0-9]+_)*(?:xprv|xsk|sk|esk)1[a-z0-9]{50,}$/i, // Cardano
  /^(?:0x)?(?:302e020100300506032b6570|3030020100300706052b8104000a)[0-9a-f]+$/i, // DER keys as Hedera wallets export them
  PEM,
  /^\[\s*\d{1,3}(?:\s*,\s*\d{1,3}){31,}\s*\]$/, // Solana key file
];

const PHRASE_LENGTHS = [12, 15, 18, 21, 24, 25];

function isRecoveryPhrase(text: string): boolean {
  const words = text.split(/[\s,]+/);
  return PHRASE_LENGTHS.includes(words.length) && words.every((word) => /^[a-z]{3,8}$/i.test(word));
}

/** Every family seed begins with this letter, and hardly any identifier of this length does. */
const XRPL_SEED = new RegExp(`^s${BASE58}{27,31}$`);

/** Decoded rather than matched: a family seed is so short that an ordinary memo may have its shape. */
function isXrplSeed(text: string): boolean {
  if (!XRPL_SEED.test(text)) return false;
  const bytes = decodeXrplBase58(text);
  if (!bytes) return false;
  return (
    (bytes.length === 17 && bytes[0] === 0x21) || (bytes.length === 19 && startsWithBytes(bytes, [0x01, 0xe1, 0x4b]))
  );
}

/** Longer than any key but PEM, and than any fact of a payment: such a text is refused for its length. */
const MAX_KEY_LENGTH = 1_000;

export function looksLikeSecret(text: string): boolean {
  const pasted = text.trim();
  if (pasted.length > MAX_KEY_LENGTH) return PEM.test(pasted);
  const hasShape = WIF.test(pasted) || SECRET_SHAPES.some((shape) => shape.test(pasted));
  return hasShape || isRecoveryPhrase(pasted) || isXrplSeed(pasted);
}

const MIN_KEY_LENGTH = 28;
const SEED_IN_TEXT = /(?<![A-Z0-9])S[A-Z2-7]{55}(?![A-Z0-9])/;

/**
 * For free text, where nothing must be refused for mere resemblance: twelve short words may be a sentence, and a
 * transaction hash may have the shape of a key, so shapes with a checksum must have a valid one.
 */
export function holdsPrivateKey(text: string, mayDecode: () => boolean = () => true): boolean {
  if (text.length < MIN_KEY_LENGTH) return false;
  const pasted = text.trim();
  if (SEED_IN_TEXT.test(text) || SECRET_SHAPES.some((shape) => shape.test(pasted))) return true;
  const isWif = WIF.test(pasted);
  if (!isWif && !XRPL_SEED.test(pasted)) return false;
  // Decoding is the most expensive step here: a body with more candidates than may be decoded is not an ordinary one.
  if (!mayDecode()) return true;
  return isWif ? isBase58Check(pasted) : isXrplSeed(pasted);
}

/** A private key in hexadecimal. On chains whose addresses have the same shape, the two cannot be told apart. */
export const looksLikeHexKey = (text: string): boolean => /^(?:0x)?[0-9a-f]{64}$/i.test(text.trim());
