import { type TokenKind, tokenPrefix } from '../src/platform/secrets/tokens';
import { type Answer, call } from './support/http';
import { registerDevice } from './support/devices';
import { startTestService, type TestService } from './support/service';

type Operation = Readonly<{ security?: readonly Readonly<Record<string, unknown>>[] }>;

const KIND_OF: Readonly<Record<string, TokenKind>> = {
  device: 'device',
  session: 'session',
  session_token: 'session',
  api_key: 'apiKey',
  agent: 'agent',
  claim: 'claim',
  connection: 'connection',
};
const NAMED: Partial<Record<TokenKind, string>> = {
  session: 'a merchant session',
  agent: 'an agent token',
  claim: 'a claim token',
  connection: 'a connection token',
  apiKey: 'a project API key',
  connectKey: 'a Connect Key',
  emailLink: 'the token of a mailed link',
  grant: 'a grant',
  device: 'a wallet’s device token',
};
const KINDS = Object.keys(tokenPrefix) as TokenKind[];

describe('a credential of the wrong kind', () => {
  let service: TestService;
  let operations: readonly Readonly<{ method: string; path: string; taken: readonly TokenKind[] }>[];

  beforeAll(async () => {
    service = await startTestService();
    const { body } = await call(`${service.url}/openapi.json`);
    operations = Object.entries(body['paths'] as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { security = [] }]) => ({
        method: method.toUpperCase(),
        path: path.replace(/\{[^}]+\}/g, 'x'),
        taken: security.flatMap((one) => Object.keys(one)).flatMap((scheme) => KIND_OF[scheme] ?? []),
      })),
    );
  });
  afterAll(() => service.stopAndForget());

  const tokenOf = (kind: TokenKind): string => tokenPrefix[kind] + 'A'.repeat(64);
  const told = ({ status, body }: Answer): [number, string, string] => [status, body.error.code, body.error.message];
  const ask = (path: string, headers: Readonly<Record<string, string>>, method = 'GET'): Promise<Answer> =>
    call(`${service.url}${path}`, { method, headers });

  it.each(KINDS)('is named as such on every route that takes another kind: %s', async (kind) => {
    const others = operations.filter(({ taken }) => taken.length > 0 && !taken.includes(kind));
    expect(others.length).toBeGreaterThan(10);
    const token = tokenOf(kind);
    for (const { method, path, taken } of others) {
      for (const headers of [
        { authorization: `Bearer ${token}` },
        { authorization: `Device dev_x:${token}` },
        { 'x-svc-api-key': token },
      ]) {
        const [status, code, message] = told(await ask(path, headers, method));
        expect([method, path, status, code]).toEqual([method, path, 401, 'unauthenticated']);
        for (const name of taken) expect(message).toContain(NAMED[name]);
        expect(message).toMatch(/^This route takes /);
        expect(message).toContain(`; you sent ${NAMED[kind]}.`);
        expect(message).not.toContain(token);
      }
    }
  });

  it('is explained in one sentence, with the route’s challenge', async () => {
    const answer = await ask('/v1/agents', { authorization: `Bearer ${tokenOf('connection')}` });
    expect(told(answer)[2]).toBe('This route takes a merchant session; you sent a connection token.');
    expect(answer.headers.get('www-authenticate')).toContain('Bearer');
    const device = await ask('/v1/connect-invitations', { authorization: `Bearer ${tokenOf('agent')}` });
    expect(device.headers.get('www-authenticate')).toContain('Device');
  });

  it('is explained like the right credential in the wrong place', async () => {
    const [, , key] = told(await ask('/v1/agent-payments', { authorization: `Bearer ${tokenOf('apiKey')}` }));
    expect(key).toBe('This route takes a project API key as x-svc-api-key; you sent it as Authorization: Bearer.');
    const { headers, ...device } = await registerDevice(service);
    const [, code, message] = told(await ask('/v1/connect-invitations', { authorization: `Bearer ${device.token}` }));
    expect([code, message]).toEqual([
      'unauthenticated',
      'This route takes a wallet’s device token as Authorization: Device <device_id>:<token>; you sent it as Authorization: Bearer.',
    ]);
    const session = tokenOf('session');
    const asKey = told(await ask('/v1/agents', { 'x-svc-api-key': session }))[2];
    expect(asKey).toBe(
      'This route takes a merchant session as the session cookie or Authorization: Bearer; you sent it as x-svc-api-key.',
    );
    const fields = { device_id: device.deviceId, token: session };
    const inFields = [
      await ask(`/v1/agents?${new URLSearchParams(fields).toString()}`, {}),
      await call(`${service.url}/v1/agents`, { body: fields }),
    ];
    for (const answer of inFields)
      expect(told(answer)[2]).toMatch(/; you sent it as the fields device_id and token\.$/);
    // Other credentials next to the right one are ignored.
    const both = await ask('/v1/connect-invitations', { ...headers, cookie: `svc_session=${tokenOf('session')}` });
    expect(both.status).toBe(200);
    const alone = await ask('/v1/connect-invitations', { cookie: `svc_session=${tokenOf('session')}` });
    expect(told(alone)[2]).toBe('This route takes a wallet’s device token; you sent a merchant session.');
  });

  it('is distinguished from an invalid one of the right kind', async () => {
    for (const token of [tokenOf('session'), 'nonsense']) {
      const [status, code] = told(await ask('/v1/agents', { authorization: `Bearer ${token}` }));
      expect([status, code]).toEqual([401, 'invalid_token']);
    }
  });
});

describe('a path that does not exist', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stopAndForget());

  it('is reported as such, unlike an id that does not exist', async () => {
    for (const path of ['/v1/nothing', '/v1/payment-intents', '/v1/agent-payments/x/nothing', '/v1/%zz']) {
      const { status, body } = await call(`${service.url}${path}`);
      expect([path, status, body.error.code]).toEqual([path, 404, 'resource_not_found']);
      expect(body.error.message).toMatch(/^This path does not exist\./);
    }
    const { headers } = await registerDevice(service);
    const absent = await call(`${service.url}/v1/connections/con_01JZ5Y0W3X0000000000000000`, { headers });
    expect([absent.status, absent.body.error.code]).toEqual([404, 'resource_not_found']);
    expect(absent.body.error.message).not.toContain('path');
  });
});
