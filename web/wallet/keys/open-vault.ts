import { type KeySettings, vaultKey } from './vault.ts';

/** Derives a vault's key from its passphrase: takes about a second and 128 MiB, on purpose. */
export async function keyFromPassphrase(passphrase: string, settings: KeySettings): Promise<CryptoKey> {
  const worker = new Worker(new URL('./stretch.worker.ts', import.meta.url), { type: 'module' });
  try {
    const stretched = new Promise<Uint8Array<ArrayBuffer>>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<Uint8Array<ArrayBuffer>>) => resolve(data);
      worker.onerror = () => reject(new Error('This browser does not have enough memory to open the wallet.'));
    });
    worker.postMessage({ passphrase, settings });
    return await vaultKey(await stretched);
  } finally {
    worker.terminate();
  }
}
