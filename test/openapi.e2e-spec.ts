import { errorCatalogue } from '../src/kernel/error-catalogue';
import { addLinks } from './fuzz/openapi-links';
import { call } from './support/http';
import { useService } from './support/use-service';

type Parameter = Readonly<{ name?: string; in?: string }>;
type Operation = Readonly<{
  summary?: string;
  description?: string;
  parameters?: readonly Parameter[];
  responses: Record<string, any>;
  requestBody?: any;
  security?: object[];
}>;
type Layer = Readonly<{ route?: { path: string; methods: Record<string, boolean> } }>;

describe('the OpenAPI document', () => {
  let document: Readonly<{ openapi: string; paths: Record<string, Record<string, Operation>>; components: any }>;

  const service = useService();
  beforeAll(async () => {
    document = (await call(`${service.url}/openapi.json`)).body as typeof document;
  });

  const operations = (of = document): [string, Operation][] =>
    Object.entries(of.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Operation] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    );

  it('is OpenAPI 3.1', () => {
    expect(document.openapi).toBe('3.1.0');
  });

  it('names every route of the service, and no other', () => {
    const express = service.app.getHttpAdapter().getInstance() as { router: { stack: readonly Layer[] } };
    const served = express.router.stack
      .flatMap(({ route }) =>
        route ? Object.keys(route.methods).map((method) => `${method.toUpperCase()} ${route.path}`) : [],
      )
      .filter((name) => !name.includes(' /docs') && !name.includes('*'))
      .map((name) => name.replace(/:(\w+)/g, '{$1}'));
    expect(
      operations()
        .map(([name]) => name)
        .sort(),
    ).toEqual([...new Set(served)].sort());
  });

  it('describes every path parameter, once', () => {
    for (const [name, { parameters = [] }] of operations()) {
      const varying = [...name.matchAll(/\{([^}]+)\}/g)].map(([, part]) => part);
      const described = parameters.filter(({ in: place }) => place === 'path').map((parameter) => parameter.name);
      expect([name, described]).toEqual([name, varying]);
    }
  });

  it('says for every route what it does, returns and may refuse', () => {
    for (const [name, operation] of operations()) {
      expect([name, operation.summary]).toEqual([name, expect.stringMatching(/\S/)]);
      const successes = Object.keys(operation.responses).filter((status) => status.startsWith('2'));
      // An idempotent create answers 201 the first time and 200 when repeated.
      const once = successes.length === 1 || successes.join() === '200,201';
      expect([name, successes, once]).toEqual([name, successes, true]);
      expect([name, Object.keys(operation.responses)]).toEqual([
        name,
        expect.arrayContaining(['400', '404', '408', '414', '431', '500', '503']),
      ]);
    }
  });

  it('says which scope a connection needs', () => {
    const needed = operations().flatMap(([name, { description = '' }]) => {
      const [, scope] = /A connection needs the scope `([^`]+)`\.$/.exec(description) ?? [];
      return scope === undefined ? [] : [`${name}: ${scope}`];
    });
    expect(needed.sort()).toEqual([
      'GET /v1/payment-requests/by-key/{key}: payment.requests.read',
      'GET /v1/payment-requests/events: payment.requests.read',
      'GET /v1/payment-requests/{id}/proof: payment.requests.read',
      'GET /v1/payment-requests/{id}/timeline: payment.requests.read',
      'GET /v1/payment-requests/{id}: payment.requests.read',
      'GET /v1/payment-requests: payment.requests.read',
      'GET /v1/transaction-contexts/{transactionId}: transaction_contexts.read',
      'POST /v1/payment-requests/{id}/withdraw: payment.requests.create',
      'POST /v1/payment-requests: payment.requests.create',
      'POST /v1/transaction-contexts: transaction_contexts.create',
    ]);
  });

  it('names only codes of the catalogue, each under its own status', () => {
    for (const [, operation] of operations()) {
      for (const [status, { content }] of Object.entries(operation.responses)) {
        const codes = (content?.['application/json']?.schema?.properties?.error?.properties?.code?.enum ??
          []) as string[];
        for (const code of codes) {
          expect([code, String(errorCatalogue[code as keyof typeof errorCatalogue]?.status)]).toEqual([code, status]);
        }
      }
    }
  });

  it('says that every list and every feed returns 50 by default', () => {
    const limits = operations().flatMap(([name, { parameters = [] }]) =>
      parameters.flatMap((one: any) => (one.name === 'limit' ? [[name, one.schema]] : [])),
    );
    expect(limits.length).toBeGreaterThan(15);
    const others = limits.filter(([, { default: given, description }]) => given !== 50 && !/; 50 if/.test(description));
    expect(others).toEqual([]);
  });

  it('requires a body only if a field is required', () => {
    for (const [name, { requestBody }] of operations()) {
      if (requestBody === undefined) continue;
      const needed = (requestBody.content['application/json'].schema.required ?? []) as string[];
      expect([name, requestBody.required]).toEqual([name, needed.length > 0]);
    }
  });

  it('can be followed from one response to the next: links lead to operations that take the values', () => {
    const linked = structuredClone(document);
    addLinks(linked);
    const byId = new Map(operations().map(([name, operation]) => [(operation as any).operationId as string, name]));
    const links = operations(linked).flatMap(([name, { responses }]) =>
      Object.values(responses).flatMap((response) =>
        Object.values((response.links ?? {}) as Record<string, any>).map((link) => ({ name, link })),
      ),
    );
    expect(links.length).toBeGreaterThan(40);
    for (const { name, link } of links) {
      const target = byId.get(link.operationId as string) ?? '';
      const wanted = [...target.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
      expect([name, target, Object.keys(link.parameters ?? {})]).toEqual([
        name,
        target,
        expect.arrayContaining(wanted),
      ]);
    }
  });

  it('is shown as a page that may load only its own scripts', async () => {
    const page = await call(`${service.url}/docs`);
    expect(page.status).toBe(200);
    expect(page.text).toContain('swagger-ui');
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(page.text).not.toMatch(/<script>(?!\s*<\/script>)/);
  });
});
