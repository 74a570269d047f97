import { newId } from '../src/kernel/ids';
import { rateLimits } from '../src/http/server/rate-limits';
import { type Answer, call } from './support/http';
import { registerDevice } from './support/devices';
import { startTestService, type TestService } from './support/service';

const LIMIT = rateLimits.anonymous;

describe('callers whose credential is refused', () => {
  let service: TestService;
  let now = Date.parse('2030-01-01T00:00:00Z');

  beforeAll(async () => {
    service = await startTestService({
      env: { RATE_LIMITS: 'on', METRICS_TOKEN: 'watchman' },
      clock: { now: () => new Date(now) },
    });
  });
  beforeEach(() => {
    now += 60_000;
  });
  afterAll(() => service.stopAndForget());

  const guess = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    call(`${service.url}${path}`, { headers });
  const bearer = (prefix: string) => (): Record<string, string> => ({
    authorization: `Bearer ${prefix}${newId('req').slice(4)}_${'x'.repeat(43)}`,
  });
  const none = (): Record<string, string> => ({});
  const apiKey = (): Record<string, string> => ({
    'x-svc-api-key': `svc_sk_${newId('req').slice(4)}_${'x'.repeat(43)}`,
  });
  const device = (): Record<string, string> => ({ authorization: `Device ${newId('dev')}:svc_dt_${'x'.repeat(43)}` });
  const cookie = (): Record<string, string> => ({ cookie: `svc_session=svc_ms_${newId('req').slice(4)}` });

  it.each([
    ['nothing', '/v1/agent-payments', none],
    ['an API key', '/v1/agent-payments', apiKey],
    ['a device', '/v1/connections', device],
    ['a session', '/v1/agents', cookie],
    ['a session token', '/v1/merchants/current', bearer('svc_ms_')],
    ['a connection token', '/v1/payment-requests', bearer('svc_ct_')],
    ['a claim token', `/v1/connect-invitations/${newId('inv')}`, bearer('svc_cl_')],
    ['an agent token', `/v1/pairing/sessions/${newId('prs')}?code=ABCDEFGH`, bearer('svc_at_')],
    ['the token of the metrics', '/metrics', bearer('')],
  ])('are counted by their address if they come with %s', async (_, path, headers) => {
    const first = await guess(path, headers());
    expect([first.status, first.headers.get('ratelimit-remaining')]).toEqual([401, String(LIMIT - 1)]);
    for (let tried = 1; tried < LIMIT; tried += 1) {
      const { status } = await guess(path, headers());
      if (status !== 401) throw new Error(`${status} after ${tried}`);
    }
    const over = await guess(path, headers());
    expect([over.status, over.body.error.code]).toEqual([429, 'rate_limited']);
    expect(over.headers.get('ratelimit-limit')).toBe(String(LIMIT));
    expect(over.headers.get('ratelimit-remaining')).toBe('0');
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(over.headers.get('ratelimit-reset')).toBe(over.headers.get('retry-after'));
    const isAgentSurface = path.startsWith('/v1/agent-payments');
    expect([over.body['success'], over.body['ok']]).toEqual(isAgentSurface ? [false, undefined] : [undefined, false]);

    now += 60_000;
    expect((await guess(path, headers())).status).toBe(401);
  });

  it('share one count, whatever they come with, and do not lock out a valid credential', async () => {
    const { headers } = await registerDevice(service);
    const kinds = [apiKey, device, cookie, none];
    for (let tried = 1; tried < LIMIT; tried += 1) await guess('/v1/connections', kinds[tried % kinds.length]?.());
    expect((await guess('/v1/agents')).status).toBe(429);
    const own = await guess('/v1/connections', headers);
    expect([own.status, own.headers.get('ratelimit-limit')]).toEqual([200, String(rateLimits.credential)]);
  });

  it('are counted once if the call itself was counted', async () => {
    const verify = () =>
      call(`${service.url}/v1/merchant-accounts/email-verifications`, { body: { token: `svc_el_${'x'.repeat(43)}` } });
    expect((await verify()).headers.get('ratelimit-remaining')).toBe(String(LIMIT - 1));
    const second = await verify();
    expect([second.status, second.headers.get('ratelimit-remaining')]).toEqual([401, String(LIMIT - 2)]);
  });
});
