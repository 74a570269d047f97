import { webcrypto } from 'node:crypto';
import { SvcError } from '../../../sdk/src/errors.ts';
import { type WalletClient } from '../../../sdk/src/wallet-client.ts';
import { open, seal, vaultKey } from '../keys/vault.ts';
import { rotateToken } from './rotation.ts';
import { type Change, type WalletRecord } from './storage.ts';

const sealed = (key: CryptoKey, name: 'device' | 'rotation', text: string) =>
  seal(key, name, new TextEncoder().encode(text));

/** A wallet with a token, and a service that answers a rotation like this. */
async function given(respond: (stored: { record: WalletRecord }, key: CryptoKey) => Promise<string>) {
  const key = await vaultKey(webcrypto.getRandomValues(new Uint8Array(32)));
  const record = { device: await sealed(key, 'device', 'old') } as WalletRecord;
  const stored = { record };
  const asked: (string | undefined)[] = [];
  const client = {
    rotateDeviceToken: ({ rotationId }: { rotationId?: string }) => {
      asked.push(rotationId);
      return respond(stored, key);
    },
  } as unknown as WalletClient;
  const store = async (change: Change): Promise<void> => {
    stored.record = { ...stored.record, ...(typeof change === 'function' ? change(stored.record) : change) };
  };
  const tokenKept = async () => new TextDecoder().decode(await open(key, 'device', stored.record.device));
  return { key, record, stored, asked, client, store, tokenKept };
}

describe('a rotation of the token', () => {
  it('can be repeated if the new token could not be stored', async () => {
    const { stored, asked, store, tokenKept, ...parts } = await given(async () => 'new');
    let writes = 0;
    const failing = async (change: Change): Promise<void> => {
      writes += 1;
      if (writes === 2) throw new Error('it could not be kept');
      await store(change);
    };
    await expect(rotateToken({ ...parts, store: failing })).rejects.toThrow('it could not be kept');
    await rotateToken({ ...parts, record: stored.record, store });
    expect([await tokenKept(), stored.record.rotation]).toEqual(['new', undefined]);
    expect(asked).toEqual([asked[0], asked[0]]);
  });

  it('does not put back its token if another window has replaced that one meanwhile', async () => {
    const { store, tokenKept, ...parts } = await given(async (stored, key) => {
      stored.record = { ...stored.record, device: await sealed(key, 'device', 'newest'), rotation: undefined };
      return 'new';
    });
    await rotateToken({ ...parts, store });
    expect(await tokenKept()).toBe('newest');
  });

  it('does not give up the rotation that another window has begun, although its own is refused', async () => {
    const next: { rotation?: WalletRecord['rotation'] } = {};
    const { stored, ...parts } = await given(async (kept, key) => {
      next.rotation = await sealed(key, 'rotation', 'the next');
      kept.record = { ...kept.record, ...next };
      throw new SvcError({ code: 'version_conflict', message: 'no', status: 409, requestId: undefined });
    });
    await expect(rotateToken(parts)).rejects.toThrow('no');
    expect(stored.record.rotation).toBe(next.rotation);
  });
});
