import { open, type Sealed, seal } from '../keys/vault.ts';
import { type WalletRecord } from './storage.ts';

/** The rotation of the device's token that was begun and has no response yet, or a new one. */
export async function rotationIn(
  key: CryptoKey,
  { rotation }: WalletRecord,
): Promise<Readonly<{ id: string; sealed: Sealed }>> {
  const begun = rotation && (await open(key, 'rotation', rotation));
  if (rotation && begun) return { id: new TextDecoder().decode(begun), sealed: rotation };
  const id = crypto.randomUUID();
  return { id, sealed: await seal(key, 'rotation', new TextEncoder().encode(id)) };
}
