import { type ExecutionContext } from '@nestjs/common';
import { EVENT_STORE, type EventStore } from '../src/platform/event-store/event-store.port';
import { ActiveMerchantGuard } from '../src/access/session.guard';
import { subjectOf } from '../src/platform/secrets/bound-tokens';
import { type Answer, call } from './support/http';
import {
  grantFor,
  linkTokenFor,
  type Operator,
  signIn,
  signUpMerchant,
  signUpPendingMerchant,
} from './support/merchant';
import { startTestService } from './support/service';
import { useServiceWithDns } from './support/use-service';

const MINUTE = 60_000;

describe('merchant sessions', () => {
  let now = Date.parse('2030-01-01T00:00:00.000Z');

  const { service, dns } = useServiceWithDns({ clock: { now: () => new Date(now) } });

  const at = (path: string): string => `${service.url}/v1/${path}`;
  const current = (headers: Record<string, string>, method = 'GET'): Promise<Answer> =>
    call(at('merchant-sessions/current'), { method, headers });
  const register = (headers: Record<string, string>, body: object = {}): Promise<Answer> =>
    call(at('merchant-domains'), { headers, body });
  const refusal = ({ status, body }: Answer): [number, string] => [status, body.error?.code];
  const sessionEvents = async ({ cookie }: Operator): Promise<string[]> => {
    const id = subjectOf('session', 'ses', cookie.split('=')[1] ?? '');
    const events = await service.app.get<EventStore>(EVENT_STORE).readStream(`session-${id}`);
    return events.map(({ type }) => type);
  };
  const bearerSession = async (email: string): Promise<{ answer: Answer; token: string }> => {
    const { grant } = await grantFor(service, email);
    const answer = await call(at('merchant-sessions'), { body: { grant, delivery: 'bearer' } });
    return { answer, token: answer.body.session_token as string };
  };

  it('come in a cookie that scripts and other sites cannot read', async () => {
    const { email } = await signUpPendingMerchant(service);
    const { grant } = await grantFor(service, email);
    const { headers } = await call(at('merchant-sessions'), { body: { grant } });
    const [pair, ...attributes] = (headers.get('set-cookie') ?? '').split('; ');
    expect(pair).toMatch(/^svc_session=svc_ms_[\w-]{64}$/);
    const kept = attributes.filter((attribute) => !attribute.startsWith('Expires='));
    expect(kept.sort()).toEqual(['HttpOnly', 'Max-Age=28800', 'Path=/', 'SameSite=Strict']);
  });

  it('come in a cookie bound to host and TLS if the service is reached over https', async () => {
    const secure = await startTestService({ env: { BASE_URL: 'https://pay.example.test' } });
    try {
      const { cookie } = await signUpPendingMerchant(secure);
      expect(cookie).toMatch(/^__Host-svc_session=svc_ms_/);
      const { email } = await signUpPendingMerchant(secure);
      const { grant } = await grantFor(secure, email);
      const { headers } = await call(`${secure.url}/v1/merchant-sessions`, { body: { grant } });
      expect(headers.get('set-cookie')).toMatch(/; Secure(;|$)/);
      const plain = cookie.replace('__Host-', '');
      const me = (sent: string) => call(`${secure.url}/v1/merchants/current`, { headers: { cookie: sent } });
      expect((await me(cookie)).status).toBe(200);
      expect(refusal(await me(plain))).toEqual([401, 'unauthenticated']);
    } finally {
      await secure.stopAndForget();
    }
  });

  it('come as a bearer token when asked for, without a cookie and without CSRF', async () => {
    const { email, merchantId } = await signUpPendingMerchant(service);
    const { answer, token } = await bearerSession(email);
    expect(token).toMatch(/^svc_ms_[\w-]{64}$/);
    expect(answer.headers.get('set-cookie')).toBeNull();
    const authorization = `Bearer ${token}`;
    expect((await current({ authorization })).body.merchant.merchant_id).toBe(merchantId);
    const made = await register({ authorization }, { domain: 'bearer.example.test', method: 'dns' });
    expect(made.status).toBe(201);
    expect((await current({ authorization }, 'DELETE')).status).toBe(200);
    expect(refusal(await current({ authorization }))).toEqual([401, 'invalid_token']);
  });

  it('refuse a change without the CSRF token of the same session', async () => {
    const [one, other] = [await signUpPendingMerchant(service), await signUpPendingMerchant(service)];
    const { cookie } = one;
    const wrong = [{ cookie }, { cookie, 'x-csrf-token': '' }, { cookie, 'x-csrf-token': other.csrf }];
    // The body is invalid too, but the missing CSRF token is reported.
    for (const headers of wrong) expect(refusal(await register(headers))).toEqual([403, 'csrf_failed']);
    expect(refusal(await current({ cookie }, 'DELETE'))).toEqual([403, 'csrf_failed']);
    expect(refusal(await register(one.headers))).toEqual([400, 'validation_failed']);
    expect((await current({ cookie })).body.csrf_token).toBe(one.csrf);
  });

  it('are refused if they are absent, unknown or malformed', async () => {
    const { cookie, csrf } = await signUpPendingMerchant(service);
    const none = await current({});
    expect(refusal(none)).toEqual([401, 'unauthenticated']);
    expect(none.headers.get('www-authenticate')).toContain('Bearer');
    const unknown = `svc_ms_${'A'.repeat(64)}`;
    const forged = cookie.slice(0, -20) + 'A'.repeat(20);
    const wrong = [
      { cookie: `svc_session=${unknown}` },
      { cookie: forged },
      { cookie: 'svc_session=' },
      { authorization: `Bearer ${unknown}` },
      { authorization: 'Bearer' },
    ];
    for (const headers of wrong) expect(refusal(await current(headers))).toEqual([401, 'invalid_token']);
    const ofAnotherKind = { authorization: `Bearer svc_at_${'A'.repeat(43)}` };
    expect(refusal(await current(ofAnotherKind))).toEqual([401, 'unauthenticated']);
    // Authentication comes first: an invalid session with a plausible token is not a CSRF problem.
    expect(refusal(await register({ cookie: forged, 'x-csrf-token': csrf }))).toEqual([401, 'invalid_token']);
    expect(refusal(await current({ cookie: `other=1; ${cookie.replace('svc_session', 'xsvc_session')}` }))).toEqual([
      401,
      'unauthenticated',
    ]);
  });

  it('are refused if two different ones are sent at once', async () => {
    const [one, other] = [await signUpPendingMerchant(service), await signUpPendingMerchant(service)];
    const token = (await bearerSession(other.email)).token;
    const torn = [
      ['cookie', { cookie: `${one.cookie}; ${other.cookie}` }],
      ['authorization', { cookie: one.cookie, authorization: `Bearer ${token}` }],
    ] as const;
    for (const [field, headers] of torn) {
      const answer = await current(headers);
      expect([refusal(answer), answer.body.error.issues]).toMatchObject([
        [400, 'validation_failed'],
        [{ code: 'conflict', field }],
      ]);
    }
    expect((await current({ cookie: `a=b; ${one.cookie}; ${one.cookie}` })).status).toBe(200);
  });

  it('all end at once when the operator asks for it, and nobody else’s do', async () => {
    const email = 'everywhere@example.test';
    const first = await signUpPendingMerchant(service, { email });
    const { grant, merchants } = await grantFor(service, email);
    const second = await signIn(service, email, { grant, choice: merchants[0]?.choice });
    const third = await bearerSession(email);
    const stranger = await signUpPendingMerchant(service);
    const ended = await call(at('merchant-sessions'), { method: 'DELETE', headers: second.headers });
    expect([ended.status, ended.body.session]).toEqual([200, { status: 'ended' }]);
    expect(ended.headers.get('set-cookie')).toContain('svc_session=;');
    for (const headers of [first.headers, second.headers, { authorization: `Bearer ${third.token}` }]) {
      expect(refusal(await current(headers))).toEqual([401, 'invalid_token']);
    }
    expect((await current(stranger.headers)).status).toBe(200);
    expect(await sessionEvents(first)).toEqual(['SessionOpened', 'SessionEnded']);
  });

  it('end at once, clear their cookie, and do not affect other sessions', async () => {
    const first = await signUpPendingMerchant(service);
    const { grant } = await grantFor(service, first.email);
    const second = await signIn(service, first.email, { grant });
    const ended = await current(first.headers, 'DELETE');
    expect([ended.status, ended.body]).toEqual([200, { ok: true, session: { status: 'ended' } }]);
    expect(ended.headers.get('set-cookie')).toMatch(/^svc_session=; Path=\/; Expires=Thu, 01 Jan 1970/);
    expect(refusal(await current(first.headers))).toEqual([401, 'invalid_token']);
    expect(refusal(await current(first.headers, 'DELETE'))).toEqual([401, 'invalid_token']);
    expect((await current(second.headers)).status).toBe(200);
  });

  it('accept no request that begins after their end was answered', async () => {
    for (let round = 0; round < 6; round += 1) {
      const operator = await signUpPendingMerchant(service);
      const busy = Array.from({ length: 10 }, () => current(operator.headers));
      await current(operator.headers, 'DELETE');
      const after = await Promise.all(Array.from({ length: 10 }, () => current(operator.headers)));
      expect(after.map(refusal)).toEqual(after.map(() => [401, 'invalid_token']));
      await Promise.all(busy);
    }
  });

  it('last the promised eight hours, used or not, and their use leaves no trace', async () => {
    const operator = await signUpPendingMerchant(service);
    const opened = now;
    const { body } = await current(operator.headers);
    expect(Date.parse(body.session.expires_at as string) - opened).toBe(8 * 60 * MINUTE);
    for (const passed of [31, 8 * 60 - 1]) {
      now = opened + passed * MINUTE;
      expect((await current(operator.headers)).status).toBe(200);
    }
    expect(await sessionEvents(operator)).toEqual(['SessionOpened']);
    now = opened + 8 * 60 * MINUTE;
    expect(refusal(await current(operator.headers))).toEqual([401, 'token_expired']);
    expect(refusal(await register(operator.headers))).toEqual([401, 'token_expired']);
  });

  it('require links that are at most fifteen minutes old and grants that are at most ten minutes old', async () => {
    const { email } = await signUpPendingMerchant(service);
    const [early, late] = [await linkTokenFor(service, email), await linkTokenFor(service, email)];
    const verify = (token: string) => call(at('merchant-accounts/email-verifications'), { body: { token } });
    now += 15 * MINUTE - 1;
    const { body } = await verify(early);
    expect(Date.parse(body.session_grant_expires_at as string) - now).toBe(10 * MINUTE);
    now += 1;
    expect(refusal(await verify(late))).toEqual([401, 'invalid_grant']);

    const fresh = await grantFor(service, email);
    const grant = body.session_grant as string;
    now += 10 * MINUTE - 1;
    expect(refusal(await call(at('merchant-sessions'), { body: { grant } }))).toEqual([401, 'invalid_grant']);
    expect(refusal(await call(at('merchants'), { body: { grant, name: 'Shop' } }))).toEqual([401, 'invalid_grant']);
    expect((await call(at('merchant-sessions'), { body: { grant: fresh.grant } })).status).toBe(201);
  });

  it('give access to more than domains only to merchants that have verified one', async () => {
    const guard = service.app.get(ActiveMerchantGuard);
    const asked = ({ merchantId }: Operator): Promise<boolean> => {
      const caller = { merchant: { sessionId: 'ses_1', accountId: 'mac_1', merchantId } };
      const request = { switchToHttp: () => ({ getRequest: () => ({ caller }) }) };
      return guard.canActivate(request as unknown as ExecutionContext);
    };
    const [pending, active] = [await signUpPendingMerchant(service), await signUpMerchant(service, { dns })];
    await expect(asked(pending)).rejects.toMatchObject({ code: 'merchant_not_active' });
    await expect(asked(active)).resolves.toBe(true);
  });

  it('show no secret in log, events or errors', async () => {
    const operator = await signUpPendingMerchant(service);
    const { token } = await bearerSession(operator.email);
    const link = await linkTokenFor(service, operator.email);
    const { grant } = await grantFor(service, operator.email);
    await current({ cookie: operator.cookie });
    const refused = await current({ cookie: operator.cookie, authorization: `Bearer ${token}` });
    const events = await service.app.get<EventStore>(EVENT_STORE).readAll(0n, 100_000);
    const written = service.log() + refused.text + JSON.stringify(events.map(({ position: _, ...event }) => event));
    const secrets = [operator.cookie.split('=')[1] ?? '', operator.csrf, token, link, grant, operator.email];
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(10);
      expect(written).not.toContain(secret);
    }
  });
});
