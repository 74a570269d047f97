import { isPassing } from '../../../sdk/src/errors.ts';
import { type WalletClient } from '../../../sdk/src/wallet-client.ts';
import { open, seal } from '../keys/vault.ts';
import { type WalletRecord } from './storage.ts';

type Parts = Readonly<{
  client: WalletClient;
  key: CryptoKey;
  record: WalletRecord;
  store: (change: Partial<WalletRecord>) => Promise<void>;
  timeoutMs?: number;
}>;

/**
 * Replaces the device's token. The rotation's id is stored before it is sent: if the response is lost, with the page or
 * on the way, the next call repeats the same rotation, and the service returns the same token again.
 */
export async function rotateToken({ client, key, record, store, timeoutMs }: Parts): Promise<void> {
  const rotationId = (await begunIn(record, key)) ?? crypto.randomUUID();
  await store({ rotation: await seal(key, 'rotation', new TextEncoder().encode(rotationId)) });
  try {
    const token = await client.rotateDeviceToken({ rotationId, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
    // Stored even if the wallet was locked meanwhile: the old token is invalid.
    await store({ device: await seal(key, 'device', new TextEncoder().encode(token)), rotation: undefined });
  } catch (error) {
    if (!isPassing(error)) await store({ rotation: undefined });
    throw error;
  }
}

/** The id of a rotation that has no response yet. */
async function begunIn({ rotation }: WalletRecord, key: CryptoKey): Promise<string | undefined> {
  const id = rotation && (await open(key, 'rotation', rotation));
  return id && new TextDecoder().decode(id);
}
