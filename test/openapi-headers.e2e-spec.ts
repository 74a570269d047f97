import { WEBHOOK_EVENT_TYPES } from '../src/capabilities/webhooks/event-types';
import { registerDevice } from './support/devices';
import { call } from './support/http';
import { useService } from './support/use-service';

/** The calls that make something, beside payments. */
const MAKING = [
  '/v1/automation-policies',
  '/v1/recipients',
  '/v1/recipients/{id}/versions',
  '/v1/agents',
  '/v1/agents/{id}/credentials',
  '/v1/merchant-domains',
  '/v1/webhook-endpoints',
  '/v1/api-keys',
  '/v1/connect-keys',
  '/v1/transaction-contexts',
];

describe('headers, credential fields and webhooks in the OpenAPI document', () => {
  let document: any;

  const service = useService({ env: { RATE_LIMITS: 'on' } });
  beforeAll(async () => {
    document = (await call(`${service.url}/openapi.json`)).body;
  });

  const resolved = (thing: any): any =>
    thing.$ref === undefined
      ? thing
      : (thing.$ref as string)
          .split('/')
          .slice(1)
          .reduce((at, part) => at[part], document);
  const operation = (name: string): any => {
    const [method = '', path = ''] = name.split(' ');
    return document.paths[path][method.toLowerCase()];
  };
  const taken = (name: string): string[] =>
    operation(name).parameters.map((one: any) => `${resolved(one).in} ${resolved(one).name}`);
  const given = (name: string, status: number): string[] => Object.keys(operation(name).responses[status].headers);

  const everywhere = (): string[] =>
    Object.entries(document.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );

  it('resolve, and no header is required', () => {
    for (const name of everywhere()) {
      for (const parameter of operation(name).parameters.map(resolved)) {
        expect([name, parameter.name, typeof parameter.schema]).toEqual([name, expect.any(String), 'object']);
        if (parameter.in === 'header')
          expect([name, parameter.name, parameter.required]).toEqual([name, parameter.name, false]);
      }
      for (const { headers } of Object.values<any>(operation(name).responses)) {
        for (const header of Object.values(headers)) expect(typeof resolved(header).schema).toBe('object');
        expect(Object.keys(headers as object)).toContain('X-Request-Id');
      }
      expect(taken(name)).toContain('header X-Request-Id');
    }
  });

  it.each([
    ...MAKING.map((path): [string, string[]] => [
      `POST ${path}`,
      ['header X-Idempotency-Key', 'header Idempotency-Key'],
    ]),
    ['POST /v1/payment-requests', ['header X-Idempotency-Key', 'header Idempotency-Key']],
    ['POST /v1/agent-payments', ['header X-Idempotency-Key', 'header Idempotency-Key', 'header x-svc-network']],
    ['GET /v1/payment-requests/events', ['header Last-Event-ID']],
    ['PATCH /v1/agents/{id}', ['header X-CSRF-Token']],
    ['DELETE /v1/automation-policies/{id}', ['header X-CSRF-Token', 'header x-svc-network']],
    ['GET /v1/connections', ['query device_id', 'query token']],
    ['DELETE /v1/connections/{id}', ['query device_id', 'query token']],
    ['GET /v1/automation-policies', ['query device_id', 'query token', 'header x-svc-network']],
  ])('are listed for %s as it takes them', (name, expected) => {
    expect(taken(name)).toEqual(expect.arrayContaining(expected));
  });

  it.each([
    ['GET /v1/agents', /CSRF|Idempotency|device_id|network|Last-Event/],
    ['POST /v1/connect-keys', /CSRF|device_id|network|Last-Event/],
    ['POST /v1/wallet-devices', /Idempotency/],
    ['POST /v1/transaction-contexts', /CSRF|device_id|network|Last-Event/],
  ])('are not listed for %s if it does not take them', (name, others) => {
    expect(taken(name).filter((one) => others.test(one))).toEqual([]);
  });

  it.each([
    ['POST /v1/payment-requests', 201, ['Location', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']],
    ['POST /v1/payment-requests', 200, ['Location', 'Idempotent-Replayed']],
    ['POST /v1/agent-payments', 200, ['Location', 'Idempotent-Replayed']],
    ['POST /v1/agent-payments', 401, ['WWW-Authenticate']],
    ['GET /v1/agents', 429, ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']],
    ['GET /v1/agents', 503, ['Retry-After']],
    ['POST /v1/agents', 400, ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']],
  ])('are listed for %s as it returns them with %d', (name, status, expected) => {
    expect(given(name, status)).toEqual(expect.arrayContaining(expected));
  });

  it.each([
    ['GET /v1/connections', 400, '?limit=0'],
    ['GET /v1/connections/{id}', 404, ''],
  ])('include for %s with %d every header that rate limiting adds', async (name, status, query) => {
    const { headers } = await registerDevice(service);
    const path = name.replace('GET ', '').replace('{id}', 'con_none');
    const answer = await call(`${service.url}${path}${query}`, { headers });
    const added = [...answer.headers.keys()].filter((one) => one.startsWith('ratelimit'));
    expect([answer.status, added.length]).toEqual([status, 3]);
    expect(given(name, status).map((one) => one.toLowerCase())).toEqual(expect.arrayContaining(added));
  });

  it.each([
    [413, 'application/json', `"${'x'.repeat(70_000)}"`],
    [415, 'text/plain', 'x'],
  ])('promises no count with %d: a body is refused before the call is counted', async (status, type, body) => {
    const answer = await fetch(`${service.url}/v1/wallet-devices`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
    await answer.text();
    expect([answer.status, answer.headers.get('ratelimit-limit')]).toEqual([status, null]);
    expect(given('POST /v1/wallet-devices', status).filter((one) => one.startsWith('RateLimit'))).toEqual([]);
  });

  it('do not promise what a response does not have', () => {
    expect(given('POST /v1/payment-requests', 201)).not.toContain('Idempotent-Replayed');
    expect(given('POST /v1/connect-keys', 201)).not.toContain('Location');
    expect(given('POST /v1/automation-policies/evaluate', 200)).not.toContain('Location');
    expect(given('POST /v1/automation-policies/evaluate', 200)).not.toContain('Idempotent-Replayed');
    expect(given('GET /health', 200)).toEqual(['X-Request-Id']);
    expect(Object.keys(document.components.responses.MethodNotAllowed.headers as object)).toContain('Allow');
  });

  it('cover every webhook type that is sent, signed', () => {
    const posts = Object.values<any>(document.webhooks).map(({ post }) => post);
    const types = posts.flatMap(
      ({ requestBody }) => requestBody.content['application/json'].schema.properties.type.enum as string[],
    );
    expect(types.sort()).toEqual([...WEBHOOK_EVENT_TYPES, 'webhook.test', 'webhook.verification'].sort());
    for (const { parameters, summary } of posts) {
      const named = parameters.map((one: any) => [one.name, one.required]) as unknown[];
      expect(named.slice(0, 3)).toEqual([
        ['webhook-id', true],
        ['webhook-timestamp', true],
        ['webhook-signature', true],
      ]);
      expect(named.slice(3)).toEqual(/^News/.test(summary as string) ? [['webhook-cursor', false]] : []);
    }
  });

  it('name the session cookie as it is served, and where it is set', () => {
    expect(document.components.securitySchemes.session.name).toBe('svc_session');
    expect(given('post /v1/merchant-sessions', 201)).toContain('Set-Cookie');
    expect(given('delete /v1/merchant-sessions/current', 200)).toContain('Set-Cookie');
    expect(given('get /v1/merchant-sessions/current', 200)).not.toContain('Set-Cookie');
  });
});
