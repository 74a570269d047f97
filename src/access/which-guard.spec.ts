import { type CanActivate, type ExecutionContext } from '@nestjs/common';
import { type Config } from '../platform/config';
import { type ApiKeyGuard } from './api-key.guard';
import { type ConnectionGuard } from './connection.guard';
import { type ConnectionOrDeviceGuard } from './connection-or-device.guard';
import { type DeviceGuard } from './device.guard';
import { ConnectionOrMerchantGuard, DeviceOrMerchantGuard, PartyGuard } from './party.guard';
import { AdminGuard, AdminOrDeviceGuard, ApiKeyOrAdminGuard, ProjectGuard } from './project.guard';
import { SessionCookie } from './session-cookie';
import { type ActiveMerchantGuard, type SessionGuard } from './session.guard';

type Sent = Readonly<{ headers?: Readonly<Record<string, string>>; query?: object; body?: object }>;

const SESSION = { authorization: 'Bearer svc_ms_1' };
const TOKEN = { authorization: 'Bearer svc_ct_1' };
const DEVICE = { authorization: 'Device dev_1:svc_dt_1' };
const COOKIE = { cookie: 'svc_session=svc_ms_1' };
const KEY = { 'x-svc-api-key': 'svc_sk_1' };
const FIELDS = { device_id: 'dev_1', token: 'svc_dt_1' };

const asked: string[] = [];
const named = <Guard>(name: string): Guard =>
  ({ canActivate: () => (asked.push(name), Promise.resolve(true)) }) as unknown as Guard;
const cookie = new SessionCookie({ baseUrl: 'http://127.0.0.1' } as Config);
const [session, active] = [named<SessionGuard>('session'), named<ActiveMerchantGuard>('active')];
const [device, apiKey, admin] = [named<DeviceGuard>('device'), named<ApiKeyGuard>('key'), named<AdminGuard>('admin')];
const either = named<ConnectionOrDeviceGuard>('either');
const connection = named<ConnectionGuard>('connection');
const guards = {
  party: new PartyGuard(either, session, active, cookie),
  deviceOrMerchant: new DeviceOrMerchantGuard(device, session, active, cookie),
  adminOrDevice: new AdminOrDeviceGuard(admin, device),
  connectionOrMerchant: new ConnectionOrMerchantGuard(connection, session, active, cookie),
  apiKeyOrAdmin: new ApiKeyOrAdminGuard(admin, apiKey, cookie),
  project: new ProjectGuard(admin, apiKey, device, cookie),
} satisfies Record<string, CanActivate>;

const guardsOf = async (guard: CanActivate, { headers = {}, query = {}, body = {} }: Sent): Promise<string> => {
  asked.length = 0;
  const request = { headers, query, body, url: '/' };
  await guard.canActivate({ switchToHttp: () => ({ getRequest: () => request }) } as unknown as ExecutionContext);
  return asked.join(' ');
};

// Browsers send their cookie with everything: it must not decide for whom a call counts that names another caller.
describe('of several credentials, the one that was sent on purpose decides', () => {
  it.each<[keyof typeof guards, Sent, string]>([
    ['party', { headers: COOKIE }, 'session active'],
    ['party', { headers: SESSION }, 'session active'],
    ['party', { headers: { ...COOKIE, ...TOKEN } }, 'either'],
    ['party', { headers: { ...COOKIE, ...DEVICE } }, 'either'],
    ['party', { headers: COOKIE, query: FIELDS }, 'either'],
    ['party', { headers: { ...COOKIE, authorization: 'Bearer' } }, 'either'],
    ['party', { headers: COOKIE, body: FIELDS }, 'either'],
    ['party', {}, 'either'],
    ['connectionOrMerchant', { headers: COOKIE }, 'session active'],
    ['connectionOrMerchant', { headers: SESSION }, 'session active'],
    ['connectionOrMerchant', { headers: { ...COOKIE, ...TOKEN } }, 'connection'],
    ['connectionOrMerchant', { headers: { ...COOKIE, authorization: 'Bearer' } }, 'connection'],
    ['connectionOrMerchant', {}, 'connection'],
    ['apiKeyOrAdmin', { headers: KEY }, 'key'],
    ['apiKeyOrAdmin', { headers: { ...KEY, ...COOKIE } }, 'admin'],
    ['apiKeyOrAdmin', { headers: SESSION }, 'admin'],
    ['apiKeyOrAdmin', {}, 'admin'],
    ['deviceOrMerchant', { headers: COOKIE }, 'session active'],
    ['deviceOrMerchant', { headers: SESSION }, 'session active'],
    ['deviceOrMerchant', { headers: { ...COOKIE, ...DEVICE } }, 'device'],
    ['deviceOrMerchant', { headers: COOKIE, query: FIELDS }, 'device'],
    ['deviceOrMerchant', {}, 'device'],
    ['adminOrDevice', { headers: COOKIE }, 'admin'],
    ['adminOrDevice', { headers: { ...COOKIE, ...DEVICE } }, 'device'],
    ['adminOrDevice', { headers: COOKIE, body: FIELDS }, 'device'],
    ['adminOrDevice', { headers: SESSION, body: FIELDS }, 'admin'],
    ['adminOrDevice', { headers: { authorization: 'Basic device x' } }, 'admin'],
    ['project', { headers: KEY }, 'key'],
    ['project', { headers: { ...KEY, ...COOKIE } }, 'admin'],
    ['project', { headers: { ...KEY, ...SESSION } }, 'admin'],
    ['project', { headers: COOKIE }, 'admin'],
    ['project', { headers: DEVICE }, 'device'],
    ['project', { headers: COOKIE, query: FIELDS }, 'device'],
    ['project', { headers: KEY, query: FIELDS }, 'key'],
  ])('%s with %j', async (name, sent, expected) => expect(await guardsOf(guards[name], sent)).toBe(expected));

  it('a project key alone is no session, and is told so', async () => {
    const guard = new AdminGuard(session, active, apiKey, cookie);
    await expect(guardsOf(guard, { headers: KEY })).rejects.toMatchObject({
      code: 'unauthenticated',
      message: expect.stringContaining('a project API key alone does not do') as string,
    });
    expect(asked).toEqual([]);
    expect(await guardsOf(guard, { headers: SESSION })).toBe('session active');
  });
});
