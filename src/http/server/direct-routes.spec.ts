import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import { type Express, type Handler } from 'express';
import { directly, takePathsAsWritten } from './direct-routes';
import { HttpServer } from './http-server';

describe('routes without the router', () => {
  let server: HttpServer;
  let url: string;
  let byRouter: jest.SpyInstance;

  const named =
    (name: string): Handler =>
    ({ params, query, baseUrl, originalUrl, path, route }, response) =>
      void response.status(200).json({ name, params, query, baseUrl, originalUrl, path, route: route?.path as string });

  beforeAll(async () => {
    const app = new ExpressAdapter().getInstance<Express>();
    const middleware: Handler = (_request, response, next) => {
      response.setHeader('X-Middleware', 'passed');
      next();
    };
    takePathsAsWritten(app);
    app.use(middleware);
    app.use('/docs', (_request, response, next) => void next(response.setHeader('X-Page', 'yes') && undefined));
    app.get('/docs', named('docs'));
    app.get('/v1/things/events', named('events'));
    app.get('/v1/things/:id', named('one'));
    app.get('/v1/things/:thing_id/parts', named('parts'));
    app.get('/v1/things/:id/parts/:part_id', named('part'));
    app.post('/v1/things', named('made'));
    app.get('/v1/things', named('all'));
    byRouter = jest.spyOn(app as unknown as { handle: () => void }, 'handle');
    server = new HttpServer(directly(app, middleware), { drainWaitMs: 0, drainMs: 100 });
    url = `http://127.0.0.1:${(await server.listen('127.0.0.1', 0)).port}`;
  });
  beforeEach(() => byRouter.mockClear());
  afterAll(() => server.drain());

  const ask = async (method: string, path: string) => {
    const answer = await fetch(url + path, { method });
    const text = await answer.text();
    const body = (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown>;
    return {
      status: answer.status,
      middleware: answer.headers.get('x-middleware'),
      page: answer.headers.get('x-page'),
      body,
    };
  };

  it.each([
    ['POST', '/v1/things', 'made', {}, '/v1/things'],
    ['GET', '/v1/things?since=1', 'all', {}, '/v1/things'],
    ['GET', '/v1/things/events', 'events', {}, '/v1/things/events'],
    ['GET', '/v1/things/7/parts', 'parts', { thing_id: '7' }, '/v1/things/:thing_id/parts'],
    ['GET', '/v1/things/7/parts/8', 'part', { id: '7', part_id: '8' }, '/v1/things/:id/parts/:part_id'],
    ['GET', '/v1/things/a.b:c-1?x=2', 'one', { id: 'a.b:c-1' }, '/v1/things/:id'],
  ])('lead %s %s to its handler, with all the router would give it', async (method, path, name, params, route) => {
    const [pathname = '', query = ''] = path.split('?');
    const { status, middleware, body } = await ask(method, path);
    const expected = { name, params, route, baseUrl: '', originalUrl: path, path: pathname };
    expect([status, middleware, body]).toEqual([
      200,
      'passed',
      { ...expected, query: Object.fromEntries(new URLSearchParams(query)) },
    ]);
    expect(byRouter).not.toHaveBeenCalled();
  });

  it.each([
    ['GET', '/v1/things/one%20two', { name: 'one', params: { id: 'one two' } }],
    ['GET', '/v1/things/7%2B/parts', { name: 'parts', params: { thing_id: '7+' } }],
  ])('leave %s %s to the router, which finds the same handlers', async (method, path, expected) => {
    const { status, middleware, body } = await ask(method, path);
    expect([status, middleware]).toEqual([200, 'passed']);
    expect(body).toMatchObject(expected);
    expect(byRouter).toHaveBeenCalledTimes(1);
  });

  it('leave what is not the API’s own to the router, and unknown paths and methods too', async () => {
    expect((await ask('GET', '/docs')).page).toBe('yes');
    expect((await ask('HEAD', '/v1/things')).status).toBe(200);
    expect((await ask('DELETE', '/v1/things')).status).toBe(404);
    for (const path of ['/v1/others', '/v1/things/', '/V1/Things', '/v1/things/7/parts/']) {
      expect((await ask('GET', path)).status).toBe(404);
    }
    expect(byRouter).toHaveBeenCalledTimes(7);
  });

  it.each(['http://', 'http://[', 'http://x:99999/', 'foo://x', 'foo://x?y', 'file://?'])(
    'lead nowhere, past the middleware, if the target has no path that the router can read: %s',
    async (target) => {
      const asked = get({ host: '127.0.0.1', port: new URL(url).port, path: target, agent: false });
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      answer.resume();
      expect([answer.statusCode, answer.headers['x-middleware']]).toEqual([404, 'passed']);
    },
  );
});
