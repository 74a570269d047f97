import { isPassing, SvcError } from '../../../sdk/src/errors.ts';
import { type WalletClient } from '../../../sdk/src/wallet-client.ts';
import { isSame, open, seal } from '../keys/vault.ts';
import { type Change, type WalletRecord } from './storage.ts';

type Parts = Readonly<{
  client: WalletClient;
  key: CryptoKey;
  record: WalletRecord;
  store: (change: Change) => Promise<void>;
  timeoutMs?: number;
}>;

/**
 * Replaces the device's token. The rotation's id is stored before it is sent: if the response is lost, with the page or
 * on the way, the next call repeats the same rotation, and the service returns the same token again.
 */
export async function rotateToken({ client, key, record, store, timeoutMs }: Parts): Promise<void> {
  const begun = record.rotation && (await open(key, 'rotation', record.rotation));
  const id = begun ?? new TextEncoder().encode(crypto.randomUUID());
  const rotation = (begun && record.rotation) ?? (await seal(key, 'rotation', id));
  if (rotation !== record.rotation) await store({ rotation });
  const rotationId = new TextDecoder().decode(id);
  /** Unless another window has begun the next one. */
  const over = (stored: WalletRecord) => (isSame(stored.rotation, rotation) ? { rotation: undefined } : {});
  let token: string;
  try {
    token = await client.rotateDeviceToken({ rotationId, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  } catch (error) {
    if (error instanceof SvcError && !isPassing(error)) await store(over);
    throw error;
  }
  const device = await seal(key, 'device', new TextEncoder().encode(token));
  // Stored even if the wallet was locked meanwhile: the old token is invalid. If another window has repeated the same
  // rotation, it has stored the token, or one after it.
  await store((stored) => ({ ...over(stored), ...(isSame(stored.device, record.device) ? { device } : {}) }));
}
