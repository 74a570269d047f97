import { call } from './http';
import { type TestService } from './service';

export type Device = Readonly<{
  deviceId: string;
  token: string;
  /** Authorization: Device …, for calls without device fields. */
  headers: Readonly<{ authorization: string }>;
}>;

/** A new wallet, with its token. */
export async function registerDevice({ url }: Pick<TestService, 'url'>, name = 'My phone'): Promise<Device> {
  const { status, body, text } = await call(`${url}/v1/wallet-devices`, { body: { name } });
  if (status !== 201) throw new Error(`expected 201, got ${status}: ${text}`);
  const deviceId = body.device.device_id as string;
  const token = body.device_token as string;
  return { deviceId, token, headers: { authorization: `Device ${deviceId}:${token}` } };
}
