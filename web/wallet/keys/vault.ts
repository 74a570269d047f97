import { scrypt } from '@noble/hashes/scrypt';

/** Stored with what it protects, so that new vaults can use stronger settings while old ones still open. */
export type KeySettings = Readonly<{ kdf: 'scrypt'; n: number; r: number; p: number; salt: Uint8Array<ArrayBuffer> }>;

/** AES-GCM: each sealing uses a new `iv`. */
export type Sealed = Readonly<{ iv: Uint8Array<ArrayBuffer>; data: ArrayBuffer }>;

/** Every box has an iv of its own. */
export const isSame = (one: Sealed | undefined, other: Sealed | undefined): boolean =>
  String(one?.iv) === String(other?.iv);

/** What is sealed. The name is authenticated data, so that one box cannot be swapped for another. */
export type BoxName = 'words' | 'device' | 'rotation';

export const MINIMUM_PASSPHRASE = 8;

/** 128 MiB: the strongest scrypt setting in OWASP's password storage cheat sheet. */
export const newKeySettings = (): KeySettings => ({ kdf: 'scrypt', n: 2 ** 17, r: 8, p: 1, salt: random(16) });

/** The slow, memory-hard half. It runs in a worker, so that the page stays responsive. */
export const stretch = (passphrase: string, { n, r, p, salt }: KeySettings): Uint8Array<ArrayBuffer> =>
  new Uint8Array(scrypt(passphrase.normalize('NFKC'), salt, { N: n, r, p, dkLen: 32, maxmem: 2 ** 28 }));

/** The key cannot be extracted, not even by this page. */
export async function vaultKey(stretched: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const key = await crypto.subtle.importKey('raw', stretched, 'AES-GCM', false, ['encrypt', 'decrypt']);
  stretched.fill(0);
  return key;
}

export async function seal(key: CryptoKey, name: BoxName, plain: Uint8Array<ArrayBuffer>): Promise<Sealed> {
  const iv = random(12);
  return { iv, data: await crypto.subtle.encrypt(parameters(iv, name), key, plain) };
}

/** Undefined if it was sealed with another key: a wrong passphrase. */
export async function open(
  key: CryptoKey,
  name: BoxName,
  { iv, data }: Sealed,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return new Uint8Array(await crypto.subtle.decrypt(parameters(iv, name), key, data));
  } catch (error) {
    if (error instanceof DOMException && error.name === 'OperationError') return undefined;
    throw error;
  }
}

const parameters = (iv: Uint8Array<ArrayBuffer>, name: BoxName): AesGcmParams => ({
  name: 'AES-GCM',
  iv,
  additionalData: new TextEncoder().encode(`svc wallet 1 ${name}`),
});

const random = (length: number): Uint8Array<ArrayBuffer> => crypto.getRandomValues(new Uint8Array(length));
