import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gather, type Crowd } from '../../../test/support/crowd';
import { eventually } from '../../../test/support/eventually';
import { HttpServer, type ServerLimits } from './http-server';
import { capacityWithin } from './capacity';

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const POST = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n';

const quick: Partial<ServerLimits> = {
  headersMs: 300,
  bodyMs: 600,
  refusalMs: 100,
  checkIntervalMs: 50,
  drainWaitMs: 20,
  drainMs: 20_000,
};

/** One raw connection; `heard` is all that came when the other side ended it. */
async function converse(url: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  const first = once(socket, 'data');
  return { say: (text: string): boolean => socket.write(text), first, heard: text(socket) };
}

describe('the HTTP server', () => {
  let server: HttpServer;
  let url: string;
  /** Answers that are held back until the test gives them. */
  let held: ServerResponse[] = [];
  const crowds: Crowd[] = [];
  const servers: HttpServer[] = [];

  const start = async (
    changes: Partial<ServerLimits>,
    listener = answerOrHold,
    warn?: (error: Error) => void,
  ): Promise<void> => {
    server = new HttpServer({ listener }, { ...quick, ...changes });
    servers.push(server);
    const { port } = await server.listen('127.0.0.1', 0, warn);
    url = `http://127.0.0.1:${port}`;
  };
  const answerOrHold = (request: IncomingMessage, response: ServerResponse): void => {
    const answer = (): void => void (request.url === '/held' ? held.push(response) : response.end('well'));
    request.on('end', answer).on('error', () => undefined);
    request.resume();
  };
  const crowd = async (...wanted: Parameters<typeof gather>): Promise<Crowd> => {
    const gathered = await gather(...wanted);
    crowds.push(gathered);
    return gathered;
  };
  const untilHeld = (): Promise<number> =>
    eventually(
      async () => held.length,
      (count) => count === 1,
      'a request in work',
    );
  const served = async (): Promise<string> => (await fetch(url, { headers: { connection: 'close' } })).text();
  const connected = (count: number): Promise<number> =>
    eventually(
      async () => server.connections.size,
      (size) => size === count,
      `${count} connections`,
    );

  afterEach(async () => {
    crowds.splice(0).forEach((gathered) => gathered.leave());
    held.splice(0).forEach((response) => response.end());
    await Promise.all(servers.splice(0).map((started) => started.drain()));
    held = [];
  });

  it.each([
    ['say nothing', {}],
    ['never come to the end of their headers', { sends: 'GET / HTTP/1.1\r\nX-Slow: ', drips: 'a' }],
    ['never come to the end of their body', { sends: POST, drips: 'a' }],
  ])('refuses peers that %s, and does not wait for them to hang up', async (_, manner) => {
    await start({});
    const slow = await crowd(url, 20, manner);
    expect(await served()).toBe('well');
    await slow.until(() => slow.answeredWith('HTTP/1.1 408 ') === 20);
    await connected(0);
  });

  it('disconnects peers that do not read their response', async () => {
    let begun = 0;
    await start({ stalledMs: 500 }, (request, response) => {
      begun += 1;
      request.resume();
      response.end(Buffer.alloc(64 * 1024 * 1024));
    });
    await crowd(url, 3, { sends: GET, reads: false });
    await eventually(
      async () => begun,
      (count) => count === 3,
      'three answers begun',
    );
    expect(await connected(0)).toBe(0);
  });

  it('has room for others, however many connections are idle', async () => {
    await start({ connections: 20, headersMs: 60_000, bodyMs: 60_000 });
    const waiting = await crowd(url, 5, { sends: GET.replace('/', '/held') });
    await eventually(
      async () => held.length,
      (count) => count === 5,
      'five requests in work',
    );
    for (const manner of [{}, { sends: 'GET / HT' }, { sends: POST }, { sends: GET }]) {
      await crowd(url, 30, manner);
      expect(await served()).toBe('well');
      expect(server.connections.size).toBeLessThanOrEqual(20);
    }
    expect(server.connections.closedForRoom).toBeGreaterThan(80);
    held.splice(0).forEach((response) => response.end('at last'));
    await waiting.until(() => waiting.answeredWith('HTTP/1.1 200 ') === 5);
  });

  it('refuses newcomers only when all other connections are being served', async () => {
    await start({ connections: 5 });
    const waiting = await crowd(url, 5, { sends: GET.replace('/', '/held') });
    await eventually(
      async () => held.length,
      (count) => count === 5,
      'five requests in work',
    );
    await expect(served()).rejects.toThrow();
    expect(waiting.open()).toBe(5);
    held.splice(0).forEach((response) => response.end('at last'));
    await waiting.until(() => waiting.answeredWith('HTTP/1.1 200 ') === 5);
    expect(await served()).toBe('well');
  });

  it('stops without waiting for idle peers, and finishes the responses it has begun', async () => {
    await start({ headersMs: 60_000, bodyMs: 60_000 });
    const silent = await crowd(url, 5);
    const half = await crowd(url, 5, { sends: 'GET / HTTP/1.1\r\n' });
    const waiting = await crowd(url, 5, { sends: GET.replace('/', '/held') });
    await connected(15);
    await eventually(
      async () => held.length,
      (count) => count === 5,
      'five requests in work',
    );
    const drained = server.drain();
    await silent.until(() => silent.open() === 0);
    await half.until(() => half.open() === 0);
    expect(waiting.open()).toBe(5);
    held.splice(0).forEach((response) => response.end('at last'));
    await waiting.until(() => waiting.answeredWith('HTTP/1.1 200 ') === 5);
    await drained;
  });

  /** Stops beside a connection that has its answer and is idle; the wait for requests on their way does not end. */
  const stopBesideIdle = async () => {
    await start({ drainWaitMs: 600_000 });
    const talk = await converse(url);
    talk.say(GET);
    await talk.first;
    await server.stopListening();
    const drained = server.drain();
    return { talk, drained };
  };

  it('says in every response that it is the last, even for requests that arrived before the stop', async () => {
    await start({});
    const talk = await converse(url);
    talk.say(GET.replace('/', '/held'));
    await untilHeld();
    await server.stopListening();
    const drained = server.drain();
    held.splice(0).forEach((response) => response.end('at last'));
    expect(await talk.heard).toMatch(/^HTTP\/1\.1 200 [^]*Connection: close[^]*at last/);
    await drained;
  });

  it('answers a request that was on its way when it stopped, over a connection that was idle', async () => {
    const { talk, drained } = await stopBesideIdle();
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    talk.say(GET);
    expect(await talk.heard).toMatch(/^HTTP\/1\.1 200 [^]*keep-alive[^]*HTTP\/1\.1 200 [^]*Connection: close/);
    await drained;
  });

  it('ends a connection after the response that had begun before the stop', async () => {
    await start({ drainMs: 600_000 });
    const talk = await converse(url);
    talk.say(GET.replace('/', '/held'));
    await untilHeld();
    held[0]?.write('begun ');
    const silent = await crowd(url, 1);
    const drained = server.drain();
    // From then on nobody looks for idle connections any more.
    await silent.until(() => silent.open() === 0);
    held.splice(0).forEach((response) => response.end('and ended'));
    expect(await talk.heard).toMatch(/^HTTP\/1\.1 200 [^]*keep-alive[^]*begun [^]*and ended\r\n0\r\n\r\n$/);
    await drained;
  });

  it('stops without waiting for peers that read nothing of their response, and waits for those that do', async () => {
    const part = Buffer.alloc(64 * 1024);
    let begun = 0;
    await start({ unreadResponseMs: 500, drainMs: 600_000 }, (request, response) => {
      begun += 1;
      request.resume();
      for (let parts = 0; parts < 256; parts += 1) response.write(part);
      response.end();
    });
    await crowd(url, 3, { sends: GET, reads: false });
    const talk = await converse(url);
    talk.say(GET);
    await eventually(
      async () => begun,
      (count) => count === 4,
      'four answers begun',
    );
    const drained = server.drain();
    expect((await talk.heard).endsWith('\r\n0\r\n\r\n')).toBe(true);
    await drained;
  });

  it('waits for a peer that reads a long response bit by bit, even if it was written in one piece', async () => {
    const [whole, bit] = [64 * 1024 * 1024, 16 * 1024 * 1024];
    await start({}, (_request, response) => response.end(Buffer.alloc(whole)));
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(GET.replace('Host', 'Connection: close\r\nHost'));
    let taken = 0;
    let looks = 0;
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      taken += chunk.length;
      if (taken < (looks + 1) * bit) continue;
      looks += 1;
      server.connections.closeNonReaders();
    }
    expect([taken > whole, looks]).toEqual([true, 4]);
  });

  it('answers once more on a connection whose previous response did not say that it was the last', async () => {
    await start({ drainWaitMs: 200 });
    const talk = await converse(url);
    talk.say(GET.replace('/', '/held'));
    await untilHeld();
    await server.stopListening();
    held.splice(0).forEach((response) => response.end('well'));
    const drained = server.drain();
    await talk.first;
    talk.say(GET);
    expect((await talk.heard).match(/Connection: (keep-alive|close)/g)).toEqual([
      'Connection: keep-alive',
      'Connection: close',
    ]);
    await drained;
  });

  it('keeps serving although the system cannot accept connections for a moment', async () => {
    const warned: string[] = [];
    await start({}, answerOrHold, (error) => void warned.push(error.message));
    const accepting = Reflect.get(server, 'server') as Server;
    for (const code of ['ENFILE', 'ENOBUFS']) accepting.emit('error', new Error(`accept ${code}`));
    expect(await served()).toBe('well');
    expect(warned).toEqual(['accept ENFILE']);
  });

  it('waits for nobody when nobody is connected any more', async () => {
    const { talk, drained } = await stopBesideIdle();
    talk.say(GET);
    expect(await talk.heard).toContain('Connection: close');
    await drained;
  });

  it('answers what arrived before it stopped, however late it comes to read it', async () => {
    await start({});
    const talk = await converse(url);
    talk.say(GET);
    await talk.first;
    const drained = server.drain();
    talk.say(GET);
    // Nothing is read meanwhile, and the last call is over before the next look at the sockets.
    for (const busyUntil = performance.now() + 100; performance.now() < busyUntil;);
    expect((await talk.heard).match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
    await drained;
  });

  it.each([
    [1_048_576, 16_384, 8_192, 512],
    [Infinity, 16_384, 8_192, 512],
    [4_096, 3_840, 1_920, 120],
    [1_024, 768, 384, 24],
    [256, 128, 64, 8],
  ])('keeps some of %d open files for the service itself', (files, connections, waiters, waitersEach) => {
    expect(capacityWithin(files)).toEqual({ connections, waiters, waitersEach });
  });
});
