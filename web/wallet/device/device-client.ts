import { WalletClient } from '../../../sdk/src/wallet-client.ts';
import { clockedFetch } from '../../live/clock.ts';
import { baseUrl } from '../../live/service.ts';
import { open } from '../keys/vault.ts';
import { type WalletRecord } from './storage.ts';

export async function registerDevice(name: string) {
  const options = { baseUrl, fetch: clockedFetch };
  const { wallet, device_token: token } = await WalletClient.register(options, { name, platform: 'web' });
  return { client: wallet, device: wallet.deviceId, token };
}

export class WrongPassphrase extends Error {
  constructor() {
    super('This is not the passphrase.');
    this.name = 'WrongPassphrase';
  }
}

/** The token shows whether the key is the right one. */
export async function clientOf({ deviceId, device }: WalletRecord, key: CryptoKey): Promise<WalletClient> {
  const token = await open(key, 'device', device);
  if (token === undefined) throw new WrongPassphrase();
  return new WalletClient({ baseUrl, fetch: clockedFetch, deviceId, deviceToken: new TextDecoder().decode(token) });
}
