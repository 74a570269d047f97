import { scrypt } from '@noble/hashes/scrypt';

/** Kept beside what it protects, so that stronger settings can be chosen for new vaults while old ones still open. */
export type KeySettings = Readonly<{ kdf: 'scrypt'; n: number; r: number; p: number; salt: Uint8Array<ArrayBuffer> }>;

/** AES-GCM: `iv` is new each time something is sealed. */
export type Sealed = Readonly<{ iv: Uint8Array<ArrayBuffer>; data: ArrayBuffer }>;

/** What is sealed. The name goes along as authenticated data, so that one box cannot be put in another's place. */
export type BoxName = 'words' | 'device';

export const MINIMUM_PASSPHRASE = 8;

/** 128 MiB, the strongest scrypt setting that OWASP's password storage page lists. */
export const newKeySettings = (): KeySettings => ({ kdf: 'scrypt', n: 2 ** 17, r: 8, p: 1, salt: random(16) });

/** The slow, memory-hard half. It runs in a worker, so that the page stays alive meanwhile. */
export const stretch = (passphrase: string, { n, r, p, salt }: KeySettings): Uint8Array<ArrayBuffer> =>
  new Uint8Array(scrypt(passphrase.normalize('NFKC'), salt, { N: n, r, p, dkLen: 32, maxmem: 2 ** 28 }));

/** Cannot be read out again, not even by this page. */
export async function vaultKey(stretched: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const key = await crypto.subtle.importKey('raw', stretched, 'AES-GCM', false, ['encrypt', 'decrypt']);
  stretched.fill(0);
  return key;
}

export async function seal(key: CryptoKey, name: BoxName, plain: Uint8Array<ArrayBuffer>): Promise<Sealed> {
  const iv = random(12);
  return { iv, data: await crypto.subtle.encrypt(parameters(iv, name), key, plain) };
}

/** Nothing if the key is not the one it was sealed with: a wrong passphrase. */
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
