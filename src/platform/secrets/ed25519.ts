import { createPrivateKey, createPublicKey, type KeyObject, verify } from 'node:crypto';

const PUBLIC_KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** The field's prime and the order of the base point. */
const P = 2n ** 255n - 19n;
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const WITHOUT_SIGN = 2n ** 255n - 1n;

/** The y of the eight points whose order divides eight; the sign bit tells those of one y apart. */
const SMALL_ORDER_Y: ReadonlySet<bigint> = new Set([
  0n,
  1n,
  P - 1n,
  0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n,
  0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
]);

/** A public key as the service stores it, unpadded base64url; undefined unless the text is 32 bytes of base64(url). */
export const normalisePublicKey = (text: string): string | undefined =>
  decodeBase64(text, PUBLIC_KEY_BYTES)?.toString('base64url');

export const decodeSignature = (text: string): Buffer | undefined => decodeBase64(text, SIGNATURE_BYTES);

/**
 * Under some keys a signature can be made without any private key: node:crypto accepts `01 00…00 ‖ 0` as a signature of
 * every message under the identity point. Such keys, and non-canonical encodings of other points, are never registered.
 */
export const isSoundPublicKey = (publicKey: string): boolean => isSoundPoint(Buffer.from(publicKey, 'base64url'));

/** What precedes the 32 bytes of an Ed25519 seed in PKCS #8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

export const privateKeyFrom = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });

/** Whether a seed is followed by its own public key, as Solana and some libraries write it. */
export function isSeedWithPublicKey(bytes: Uint8Array): boolean {
  const { x = '' } = createPublicKey(privateKeyFrom(bytes.subarray(0, 32))).export({ format: 'jwk' });
  return Buffer.from(x, 'base64url').equals(bytes.subarray(32));
}

/** Whether the holder of the key signed exactly these bytes. */
export function verifySignature(publicKey: string, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES || !isSoundPublicKey(publicKey)) return false;
  // The forgeries need a small-order R, and S is only unique below L; libraries differ in whether they refuse either.
  if (!isSoundPoint(signature.subarray(0, 32)) || littleEndian(signature.subarray(32)) >= L) return false;
  const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: publicKey } });
  return verify(null, message, key, signature);
}

function isSoundPoint(encoded: Uint8Array): boolean {
  if (encoded.length !== PUBLIC_KEY_BYTES) return false;
  const y = littleEndian(encoded) & WITHOUT_SIGN;
  return y < P && !SMALL_ORDER_Y.has(y);
}

const littleEndian = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);

/** Either alphabet, padded or not, but not mixed and with nothing after: no other encoding of the bytes is accepted. */
function decodeBase64(text: string, bytes: number): Buffer | undefined {
  const unpadded = text.replace(/={1,2}$/, '');
  const wellPadded = unpadded === text || text.length % 4 === 0;
  const decoded = Buffer.from(unpadded, 'base64');
  if (!wellPadded || decoded.length !== bytes) return undefined;
  const spellings = [decoded.toString('base64url'), decoded.toString('base64').replace(/=+$/, '')];
  return spellings.includes(unpadded) ? decoded : undefined;
}
