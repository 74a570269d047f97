import { WalletClient } from '../../../sdk/src/wallet-client.ts';
import { clockedFetch } from '../../live/clock.ts';
import { baseUrl } from '../../live/service.ts';

export async function registerDevice(name: string) {
  const options = { baseUrl, fetch: clockedFetch };
  const { wallet, device_token: token } = await WalletClient.register(options, { name, platform: 'web' });
  return { client: wallet, device: wallet.deviceId, token };
}

export const clientFor = (deviceId: string, deviceToken: string): WalletClient =>
  new WalletClient({ baseUrl, fetch: clockedFetch, deviceId, deviceToken });
