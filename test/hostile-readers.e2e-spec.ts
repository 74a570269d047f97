import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type ServiceProcess, spawnService } from './support/child';
import { eventually } from './support/eventually';
import { figure, sizeFrom, timeLimit } from './support/figures';
import { call } from './support/http';
import { createPayment, type PaymentScene } from './support/payments';
import { prepareScene } from './support/prepared-scene';
import { memoryOf } from './support/process-memory';

/** 30,000 and 2,000 in a full-size run. */
const AHEAD = sizeFrom('HOSTILE_AHEAD', 2_000);
const PAGES = sizeFrom('HOSTILE_PAGES', 200);
const PER_SOCKET = 200;
/** Allowance for garbage that is not collected yet. */
const MAX_GROWTH_MB = 150;
const LARGE_REQUESTS = 60;
const MEGABYTE = 1024 * 1024;

describe('callers who do not read their responses', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-hostile-'));
  const sockets: Socket[] = [];
  let service: ServiceProcess;
  let scene: PaymentScene;

  beforeAll(async () => {
    scene = await prepareScene(dataDir);
    service = await spawnService({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
    const metadata = { note: 'x'.repeat(60_000) };
    for (let made = 0; made < LARGE_REQUESTS; made += 20)
      await Promise.all(Array.from({ length: 20 }, () => createPayment(service, scene, { metadata })));
    await call(`${service.url}/openapi.json`);
  }, 120_000);
  afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()));
  afterAll(async () => {
    service.child.kill('SIGTERM');
    const code = await service.ended;
    rmSync(dataDir, { recursive: true, force: true });
    expect(code).toBe(0);
  });

  const deaf = async (sends: string): Promise<Socket> => {
    const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1' });
    sockets.push(socket.on('error', () => undefined).pause());
    await once(socket, 'connect');
    socket.write(sends);
    return socket;
  };
  const asking = (path: string): string =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${scene.headers['authorization']}\r\n\r\n`;
  const isWell = async (): Promise<number> => (await call(`${service.url}/health`)).status;
  const gauge = async (name: string): Promise<number> =>
    Number(new RegExp(`^${name} (\\d+)$`, 'm').exec((await call(`${service.url}/metrics`)).text)?.[1]);
  const settled = async (most: number): Promise<number> =>
    eventually(
      async () => memoryOf(service),
      (now) => now <= most,
      `memory below ${most} MB`,
    ).catch(() => memoryOf(service));

  it(
    `leave nothing behind when they disconnect: ${AHEAD} pipelined requests for the largest document`,
    async () => {
      const before = memoryOf(service);
      let during = 0;
      for (let sent = 0; sent < AHEAD; sent += PER_SOCKET) {
        const socket = await deaf(asking('/openapi.json').repeat(PER_SOCKET));
        expect(await isWell()).toBe(200);
        during = Math.max(during, memoryOf(service));
        socket.destroy();
      }
      const after = await settled(before + MAX_GROWTH_MB);
      const doubled = Math.max(0, after - before - MAX_GROWTH_MB);
      process.stdout.write(`${JSON.stringify({ row: 'sent ahead, then gone', MB: { before, during, after } })}\n`);
      figure({ promise: 'sockets that die with answers unread', tried: AHEAD, lost: 0, doubled });
      expect(doubled).toBe(0);
    },
    timeLimit(180_000),
  );

  it(
    `are sent no more than fits: ${PAGES} pages of large requests over 10 connections`,
    async () => {
      const before = memoryOf(service);
      let [during, unsent] = [before, 0];
      for (let socket = 0; socket < 10; socket += 1)
        await deaf(asking('/v1/payment-requests?limit=200').repeat(PAGES / 10));
      for (let look = 0; look < 20; look += 1) {
        expect(await isWell()).toBe(200);
        during = Math.max(during, memoryOf(service));
        unsent = Math.max(unsent, await gauge('svc_http_unsent_bytes'));
      }
      sockets.splice(0).forEach((socket) => socket.destroy());
      const after = await settled(before + MAX_GROWTH_MB);
      const doubled = Math.max(0, during - before - 2 * MAX_GROWTH_MB);
      const row = 'pages that nobody reads';
      process.stdout.write(`${JSON.stringify({ row, MB: { before, during, after }, unsent })}\n`);
      figure({ promise: row, tried: PAGES, lost: 0, doubled });
      expect([doubled, unsent <= 64 * MEGABYTE]).toEqual([0, true]);
    },
    timeLimit(180_000),
  );

  it('do not keep others from being served when all of them together are too many, and are disconnected', async () => {
    const crowd = 250;
    for (let socket = 0; socket < crowd; socket += 1) await deaf(asking('/v1/payment-requests?limit=200').repeat(20));
    await eventually(
      () => gauge('svc_http_unsent_bytes'),
      (bytes) => bytes > 62 * MEGABYTE,
      'as much unread as there may be',
    );
    // A large page may be refused for a moment, until the callers that do not read are disconnected.
    const page = (): ReturnType<typeof call> => call(`${service.url}/v1/payment-requests?limit=200`, scene);
    const answer = await eventually(page, ({ status }) => status === 200, 'a page for one who reads');
    expect(answer.body.payment_requests.length).toBeGreaterThan(0);
    expect((await createPayment(service, scene)).status).toBe(201);
  }, 60_000);

  it('get pages that end early, with a cursor that continues, and miss nothing', async () => {
    const seen: string[] = [];
    const sizes: number[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = `limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const answer = await call(`${service.url}/v1/payment-requests?${query}`, scene);
      seen.push(...(answer.body.payment_requests as { request_id: string }[]).map(({ request_id }) => request_id));
      sizes.push(answer.text.length);
      cursor = answer.body.next_cursor as string | null;
    }
    expect(seen.length).toBeGreaterThanOrEqual(LARGE_REQUESTS);
    expect(new Set(seen).size).toBe(seen.length);
    expect(Math.max(...sizes)).toBeLessThan(MEGABYTE);
  });

  it('get the API document compressed if they accept that', async () => {
    const response = await fetch(`${service.url}/openapi.json`, { headers: { 'accept-encoding': 'identity' } });
    expect(response.headers.get('content-encoding')).toBeNull();
    const plain = Buffer.from(await response.arrayBuffer());
    const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1' });
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n');
    await once(socket, 'close');
    const heard = Buffer.concat(chunks);
    const head = heard.subarray(0, heard.indexOf('\r\n\r\n')).toString();
    const body = heard.subarray(heard.indexOf('\r\n\r\n') + 4);
    expect(head).toMatch(/^Content-Encoding: gzip\r$/m);
    expect(head).toMatch(/^Vary: Accept-Encoding\r$/m);
    expect(gunzipSync(body).equals(plain)).toBe(true);
    expect(body.length * 5).toBeLessThan(plain.length);
  });
});
