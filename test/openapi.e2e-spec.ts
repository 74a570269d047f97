import { errorCatalogue } from '../src/kernel/error-catalogue';
import { call } from './support/http';
import { startTestService, type TestService } from './support/service';

type Operation = Readonly<{ summary?: string; responses: Record<string, any>; requestBody?: any; security?: object[] }>;
type Layer = Readonly<{ route?: { path: string; methods: Record<string, boolean> } }>;

describe('the OpenAPI document', () => {
  let service: TestService;
  let document: Readonly<{ openapi: string; paths: Record<string, Record<string, Operation>>; components: any }>;

  beforeAll(async () => {
    service = await startTestService();
    document = (await call(`${service.url}/openapi.json`)).body as typeof document;
  });
  afterAll(() => service.stopAndForget());

  const operations = (): [string, Operation][] =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Operation] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    );

  it('is OpenAPI 3.1', () => {
    expect(document.openapi).toBe('3.1.0');
  });

  it('names every route the service has, and no other', () => {
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

  it('says for every route what it does, answers and may refuse', () => {
    for (const [name, operation] of operations()) {
      expect([name, operation.summary]).toEqual([name, expect.stringMatching(/\S/)]);
      const successes = Object.keys(operation.responses).filter((status) => status.startsWith('2'));
      expect([name, successes]).toEqual([name, [expect.any(String)]]);
      expect([name, Object.keys(operation.responses)]).toEqual([name, expect.arrayContaining(['404', '500', '503'])]);
    }
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

  it('is shown as a page that may load only its own scripts', async () => {
    const page = await call(`${service.url}/docs`);
    expect(page.status).toBe(200);
    expect(page.text).toContain('swagger-ui');
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(page.text).not.toMatch(/<script>(?!\s*<\/script>)/);
  });
});
