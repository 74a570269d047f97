import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { ExpressAdapter } from '@nestjs/platform-express';
import { type Express, type Handler } from 'express';
import { pino } from 'pino';
import { refuse } from '../../kernel/errors';
import { type Metrics } from '../operations/metrics';
import { asRefusal } from './as-refusal';
import { directly, knownRoutes, takePathsAsWritten } from './direct-routes';
import { type ErrorFilter } from './error.filter';
import { HttpServer } from './http-server';
import { createMiddleware, type MiddlewareParts } from './middleware';
import { RouteTable } from './route-table';

describe('the middleware', () => {
  const servers: HttpServer[] = [];
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.drain())));

  /** Serves a page, the liveness check and one API route; returns what a GET of a target is answered with. */
  async function serve(changes: Partial<MiddlewareParts>) {
    const app = new ExpressAdapter().getInstance<Express>();
    takePathsAsWritten(app);
    const routes = new RouteTable();
    routes.load(() => knownRoutes(app));
    const answer: ErrorFilter['answer'] = (error, _request, response) => {
      response.status(400).json({ code: asRefusal(error).code });
    };
    const middleware = createMiddleware({
      app,
      errors: { answer } as ErrorFilter,
      logger: pino({ enabled: false }),
      metrics: { requestSeconds: { observe: () => undefined } } as unknown as Metrics,
      routes,
      https: false,
      draining: () => false,
      starting: () => undefined,
      rebuilding: () => undefined,
      unsent: { isTooMuch: () => false, wouldBeTooMuch: () => false },
      ...changes,
    });
    const well: Handler = (_request, response) => void response.json({ code: 'well' });
    app.use(middleware);
    for (const path of ['/page', '/health', '/v1/things']) app.get(path, well);
    const server = new HttpServer(directly(app, middleware), { drainWaitMs: 0, drainMs: 100 });
    servers.push(server);
    const { port } = await server.listen('127.0.0.1', 0);
    return async (path: string) => {
      const [answered] = (await once(
        get({ host: '127.0.0.1', port, path, agent: false, headers: { connection: 'keep-alive' } }),
        'response',
      )) as [IncomingMessage];
      const { code } = JSON.parse(await text(answered)) as { code: string };
      return { code, headers: answered.headers };
    };
  }

  it('lets only calls of the API wait for reads that are rebuilt, however their target is written', async () => {
    const ask = await serve({ rebuilding: () => Promise.reject(refuse('store_unavailable')) });
    for (const target of ['/v1/things', '/v1/things?a=1', 'http://x/v1/things', 'HTTP://x:80/v1/things'])
      expect([target, (await ask(target)).code]).toEqual([target, 'store_unavailable']);
    for (const target of ['/page', '/health', 'http://x/page'])
      expect([target, (await ask(target)).code]).toEqual([target, 'well']);
  });

  it('answers a liveness check at once while the service starts, or has too much to send', async () => {
    const failed = Promise.reject(refuse('store_unavailable'));
    failed.catch(() => undefined);
    const starting = await serve({ starting: () => failed });
    const full = await serve({ unsent: { isTooMuch: () => true, wouldBeTooMuch: () => true } });
    const codes = async (ask: typeof full) => [(await ask('/health')).code, (await ask('/v1/things')).code];
    expect(await codes(starting)).toEqual(['well', 'store_unavailable']);
    expect(await codes(full)).toEqual(['well', 'overloaded']);
  });

  it('makes browsers keep to TLS only if callers use it, and frame nothing', async () => {
    const [plain, secure] = await Promise.all(
      [serve({}), serve({ https: true })].map(async (one) => (await one)('/page')),
    );
    expect(plain?.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    const kept = [plain, secure].map((one) => one?.headers['strict-transport-security']);
    expect(kept).toEqual([undefined, 'max-age=31536000; includeSubDomains']);
  });

  it('says that each response is its connection’s last once the service stops', async () => {
    const asked = [false, true].map(async (begun) => (await serve({ draining: () => begun }))('/page'));
    const told = (await Promise.all(asked)).map(({ headers }) => headers.connection);
    expect(told).toEqual(['keep-alive', 'close']);
  });
});
