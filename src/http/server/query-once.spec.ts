import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import express from 'express';
import { parseQueryOnce } from './query-once';

describe('a query', () => {
  it('is parsed once for each request that asks for it, and belongs to that request alone', async () => {
    const app = express();
    const parsed: string[] = [];
    parseQueryOnce(app, (text) => {
      parsed.push(text);
      return Object.fromEntries(new URLSearchParams(text ?? ''));
    });
    const seen = new Set<object>();
    app.get('/asked', (request, response) => {
      for (let time = 0; time < 3; time += 1) seen.add(request.query);
      response.json(request.query);
    });
    app.get('/unasked', (_, response) => response.json({}));
    const server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      for (const path of ['/asked?a=b', '/asked?a=b', '/unasked?c=d', '/asked']) {
        const answer = await (await fetch(`${url}${path}`)).json();
        expect(answer).toEqual(path === '/asked?a=b' ? { a: 'b' } : {});
      }
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
    expect(parsed.map((text) => text ?? '')).toEqual(['a=b', 'a=b', '']);
    expect(seen.size).toBe(3);
  });
});
