import { type RequestListener } from 'node:http';
import { type Socket } from 'node:net';
import { Readable } from 'node:stream';
import tls from 'node:tls';
import { EgressError } from '../src/platform/egress/egress-error';
import { type GuardedRequest, guardedRequest, type GuardedResponse } from '../src/platform/egress/guarded-http';
import { createResolver } from '../src/platform/egress/resolver';
import { type DnsResponder, startDnsResponder } from './support/dns-responder';
import { eventually } from './support/eventually';
import {
  type Certificate,
  type LoopbackPeer,
  startHttpPeer,
  startHttpsPeer,
  startRawPeer,
  testAuthority,
} from './support/loopback-peers';

/** What a peer can do wrong, by mistake or on purpose. Private networks are allowed because the peers are local. */
describe('a guarded request and its peer', () => {
  const peers: LoopbackPeer[] = [];
  let dns: DnsResponder;

  beforeAll(async () => {
    dns = await startDnsResponder({
      'shop.example.test': { A: ['127.0.0.1'] },
      'shop.other.test': { A: ['127.0.0.1'] },
    });
  });
  afterEach(async () => {
    // No outcome may leak a connection.
    await Promise.all(peers.map((peer) => peer.allClosed()));
    await Promise.all(peers.splice(0).map((peer) => peer.close()));
  });
  afterAll(() => dns.close());

  const kept = async (starting: Promise<LoopbackPeer>): Promise<LoopbackPeer> => {
    const peer = await starting;
    peers.push(peer);
    return peer;
  };
  const https = (handler: RequestListener, certificate?: Certificate) => kept(startHttpsPeer(handler, certificate));
  const http = (handler: RequestListener) => kept(startHttpPeer(handler));
  const raw = (onConnection: (socket: Socket) => void) => kept(startRawPeer(onConnection));
  /** Reads the request first: the kernel may reset a connection whose request was not read. */
  const answering = (answer: (socket: Socket) => void) => raw((socket) => socket.once('data', () => answer(socket)));

  const askTrustingNobody = (url: string, more: Partial<GuardedRequest> = {}): Promise<GuardedResponse> =>
    guardedRequest({
      url,
      method: 'POST',
      body: Buffer.from('{}'),
      timeoutMs: 10_000,
      maxResponseBytes: 1000,
      policy: { allowPrivateNetworks: true, ownHosts: [] },
      resolver: createResolver({ servers: [dns.server] }),
      ...more,
    });
  const ask = (url: string, more: Partial<GuardedRequest> = {}) =>
    askTrustingNobody(url, { ca: testAuthority, ...more });
  const askRaw = (peer: LoopbackPeer, more?: Partial<GuardedRequest>) => ask(`http://127.0.0.1:${peer.port}/`, more);
  const failureOf = async (answer: Promise<unknown>): Promise<Partial<EgressError>> =>
    answer.then(
      () => ({ message: 'delivered' }),
      (error: unknown) => (error instanceof EgressError ? error : { message: String(error) }),
    );

  it('returns status, headers and body', async () => {
    const peer = await http((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.writeHead(202, { 'x-seen': request.headers['x-sent'] ?? '' });
        response.end(Buffer.concat([Buffer.from(`${request.method} `), ...chunks]));
      });
    });
    const answer = await askRaw(peer, { headers: { 'X-Sent': 'yes' }, body: Buffer.from('hello') });
    expect(answer).toMatchObject({ status: 202, truncated: false });
    expect(answer.headers['x-seen']).toBe('yes');
    expect(answer.body.toString()).toBe('POST hello');
    expect(answer.durationMs).toBeGreaterThan(0);
  });

  it.each([
    ['a body', Buffer.from('añ'), ['content-length: 3'], 'añ'],
    ['an empty body', Buffer.alloc(0), ['content-length: 0'], ''],
  ])('frames a request with %s', async (_, body, framing, sent) => {
    let received = '';
    const peer = await raw((socket) =>
      socket.on('data', (chunk: Buffer) => {
        received += chunk.toString();
        if (received.endsWith(`\r\n\r\n${sent}`)) socket.end('HTTP/1.1 204 No Content\r\n\r\n');
      }),
    );
    await askRaw(peer, { headers: { 'x-sent': 'yes' }, body });
    const [head = '', ...rest] = received.split('\r\n\r\n');
    expect(rest).toEqual([sent]);
    const [line, ...headers] = head.split('\r\n');
    expect(line).toBe('POST / HTTP/1.1');
    const expected = [`host: 127.0.0.1:${peer.port}`, 'x-sent: yes', ...framing, 'connection: close'];
    expect(headers.map((header) => header.toLowerCase())).toEqual(expected);
  });

  it.each([
    ['GET', ''],
    ['POST', 'content-length: 0\r\n'],
  ])('frames a %s without a body', async (method, framing) => {
    let received = '';
    const peer = await raw((socket) =>
      socket.on('data', (chunk: Buffer) => {
        received += chunk.toString();
        if (received.endsWith('\r\n\r\n')) socket.end('HTTP/1.1 204 No Content\r\n\r\n');
      }),
    );
    await guardedRequest({
      url: `http://127.0.0.1:${peer.port}/`,
      method,
      timeoutMs: 10_000,
      maxResponseBytes: 1000,
      policy: { allowPrivateNetworks: true, ownHosts: [] },
      resolver: createResolver(),
    });
    const host = `host: 127.0.0.1:${peer.port}\r\n`;
    expect(received).toBe(`${method} / HTTP/1.1\r\n${host}${framing}Connection: close\r\n\r\n`);
  });

  it('keeps the name for the certificate and for Host, on localhost too', async () => {
    const peer = await https((request, response) => response.end(request.headers.host));
    for (const host of ['localhost', 'shop.example.test', '127.0.0.1']) {
      const answer = await ask(`https://${host}:${peer.port}/`);
      expect(answer.body.toString()).toBe(`${host}:${peer.port}`);
    }
  });

  it('tells the peer which name it wants, and that it speaks HTTP/1.1', async () => {
    const peer = await https(({ socket }, response) => {
      const { servername, alpnProtocol } = socket as tls.TLSSocket & { servername?: string | false };
      response.end(JSON.stringify([servername, alpnProtocol]));
    });
    const told = async (host: string): Promise<unknown> =>
      JSON.parse((await ask(`https://${host}:${peer.port}/`)).body.toString());
    expect(await told('shop.example.test')).toEqual(['shop.example.test', 'http/1.1']);
    // An address is no server name (RFC 6066).
    expect(await told('127.0.0.1')).toEqual([false, 'http/1.1']);
  });

  it.each([
    ['that signed itself', 'self-signed', 'shop.example.test', ask],
    ['that has expired', 'expired', 'shop.example.test', ask],
    ['for another name', 'server', 'shop.other.test', ask],
    ['from an unknown authority', 'server', 'shop.example.test', askTrustingNobody],
  ] as const)('sends nothing to a peer with a certificate %s', async (_, certificate, host, send) => {
    let requests = 0;
    const peer = await https(() => (requests += 1), certificate);
    expect(await failureOf(send(`https://${host}:${peer.port}/`))).toMatchObject({ kind: 'tls_failed' });
    expect(requests).toBe(0);
  });

  it('verifies certificates even if the environment says otherwise', async () => {
    // Node reads the variable itself, where a test cannot set it; only the explicit option overrides it.
    const connectTls = jest.spyOn(tls, 'connect');
    const peer = await https((_, response) => response.end());
    await ask(`https://shop.example.test:${peer.port}/`);
    expect(connectTls).toHaveBeenCalledWith(expect.objectContaining({ rejectUnauthorized: true }));
    connectTls.mockRestore();
  });

  it('reports a peer that does not speak TLS as a TLS failure', async () => {
    const peer = await answering((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    expect(await failureOf(ask(`https://shop.example.test:${peer.port}/`))).toMatchObject({ kind: 'tls_failed' });
  });

  it.each([
    ['accepts and says nothing', () => undefined, undefined],
    ['stops within the header', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nx-a'), undefined],
    ['stops within the body', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx'), 200],
  ])('times out with a peer that %s', async (_, answer, status) => {
    const peer = await answering(answer);
    // Where the head is to arrive first, a pause of this process must not be what ends it.
    const timeoutMs = status === undefined ? 150 : 3_000;
    expect(await failureOf(askRaw(peer, { timeoutMs }))).toMatchObject({ kind: 'timeout', status });
  });

  it('times out with a peer that sends byte by byte, however steadily', async () => {
    const peer = await answering((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const drip = setInterval(() => socket.write('.'), 10);
      socket.once('close', () => clearInterval(drip));
    });
    expect(await failureOf(askRaw(peer, { timeoutMs: 3_000 }))).toMatchObject({ kind: 'timeout', status: 200 });
  });

  it('times out in a handshake that never ends', async () => {
    const peer = await raw((socket) => socket.resume());
    const answer = ask(`https://shop.example.test:${peer.port}/`, { timeoutMs: 150 });
    expect(await failureOf(answer)).toMatchObject({ kind: 'timeout' });
  });

  it.each([
    ['closes without an answer', (socket: Socket) => socket.end(), undefined],
    ['resets', (socket: Socket) => socket.resetAndDestroy(), undefined],
    ['closes within the header', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nx-a'), undefined],
    ['closes within the body', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx'), 200],
  ])('reports a reset when the peer %s', async (_, answer, status) => {
    const peer = await answering(answer);
    expect(await failureOf(askRaw(peer))).toMatchObject({ kind: 'reset', status });
  });

  it('reports a reset when the peer hangs up during the handshake', async () => {
    const peer = await answering((socket) => socket.end());
    expect(await failureOf(ask(`https://shop.example.test:${peer.port}/`))).toMatchObject({ kind: 'reset' });
  });

  it('reports that nobody is listening', async () => {
    const gone = await startRawPeer(() => undefined);
    await gone.close();
    expect(await failureOf(askRaw(gone))).toMatchObject({ kind: 'connect_failed' });
  });

  it('truncates a body at the limit and hangs up', async () => {
    const endless = await http((_, response) => {
      const block = Buffer.alloc(10_000, 'x');
      new Readable({
        read() {
          this.push(block);
        },
      }).pipe(response);
    });
    const answer = await askRaw(endless, { maxResponseBytes: 25_000 });
    expect(answer).toMatchObject({ status: 200, truncated: true });
    expect(answer.body).toEqual(Buffer.alloc(25_000, 'x'));
  });

  it('takes a body of exactly the limit as complete', async () => {
    const peer = await http((_, response) => response.end('x'.repeat(1000)));
    const answer = await askRaw(peer);
    expect([answer.body.length, answer.truncated]).toEqual([1000, false]);
    expect(await askRaw(peer, { maxResponseBytes: 999 })).toMatchObject({ truncated: true });
  });

  it.each([
    ['one huge header', `x-a: ${'a'.repeat(20_000)}\r\n`],
    ['a thousand headers', Array.from({ length: 2000 }, (_, i) => `x-header-${i}: a\r\n`).join('')],
  ])('stops reading at %s', async (_, headers) => {
    const peer = await answering((socket) => socket.write(`HTTP/1.1 200 OK\r\n${headers}\r\n`));
    expect(await failureOf(askRaw(peer))).toMatchObject({ kind: 'response_too_large' });
  });

  it.each([
    ['is no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['contradicts itself', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n'],
    ['has two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx'],
    ['switches protocols', 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'],
    ['never gets past interim answers', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(50)],
  ])('refuses a response that %s', async (_, answer) => {
    const peer = await answering((socket) => socket.write(answer));
    expect(await failureOf(askRaw(peer))).toMatchObject({ kind: 'protocol_error' });
  });

  it('passes over interim answers, one it did not ask for among them', async () => {
    const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
    const peer = await answering((socket) => socket.end(`${interim}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`));
    const answer = await askRaw(peer);
    expect([answer.status, answer.body.toString()]).toEqual([200, 'ok']);
  });

  it('accepts a response that arrives before the request was read, and stops sending', async () => {
    const body = Buffer.alloc(20_000_000);
    let received = 0;
    let accepted: Socket | undefined;
    const peer = await raw((socket) => {
      accepted = socket.on('data', (chunk) => (received += chunk.length)).pause();
      socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n');
    });
    expect(await askRaw(peer, { body })).toMatchObject({ status: 413 });
    accepted?.resume();
    await peer.allClosed();
    expect(received).toBeLessThan(body.length);
  });

  it('ends when the caller aborts, at once if that happened before', async () => {
    const controller = new AbortController();
    const peer = await answering(() => controller.abort());
    expect(await failureOf(askRaw(peer, { signal: controller.signal }))).toMatchObject({ kind: 'cancelled' });
    expect(await failureOf(askRaw(peer, { signal: controller.signal }))).toMatchObject({ kind: 'cancelled' });
    expect(peer.accepted()).toBe(1);
  });

  it.each(['http', 'https'])('sends nothing over %s that nobody wants any more, and hangs up', async (scheme) => {
    let requests = 0;
    const count: RequestListener = (_, response) => response.end(String((requests += 1)));
    const peer = await (scheme === 'https' ? https(count) : http(count));
    const url = `${scheme}://shop.example.test:${peer.port}/`;
    expect(await failureOf(ask(url, { stillWanted: () => false }))).toMatchObject({ kind: 'cancelled' });
    expect(peer.accepted()).toBe(0);
    // Wanted before it connects, and no longer afterwards.
    const wanted = [true];
    const stillWanted = (): boolean => wanted.shift() ?? false;
    expect(await failureOf(ask(url, { stillWanted }))).toMatchObject({ kind: 'cancelled' });
    await eventually(
      () => Promise.resolve(peer.accepted()),
      (count) => count === 1,
      'the connection',
    );
    expect(requests).toBe(0);
  });

  it('does not let a caller override the framing or the target', async () => {
    const peer = await http((_, response) => response.end());
    for (const name of ['Host', 'content-length', 'Transfer-Encoding', 'connection', 'Proxy-Authorization']) {
      expect(await failureOf(askRaw(peer, { headers: { [name]: '1' } }))).toMatchObject({ kind: 'protocol_error' });
    }
    const split = { 'x-a': 'a\r\nx-b: b' };
    expect(await failureOf(askRaw(peer, { headers: split }))).toMatchObject({ kind: 'protocol_error' });
    expect(peer.accepted()).toBe(0);
  });

  it('leaves no timer behind, whatever the outcome', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const peer = await http((request, response) => (request.url === '/' ? response.end() : response.destroy()));
    const before = timers();
    await askRaw(peer);
    await ask(`http://shop.example.test:${peer.port}/`);
    await failureOf(ask(`http://127.0.0.1:${peer.port}/broken`));
    await failureOf(ask(`http://unknown.example.test:${peer.port}/`));
    await peer.allClosed();
    expect(timers()).toBeLessThanOrEqual(before);
  });

  it('keeps the URL out of its messages', async () => {
    const peer = await answering((socket) => socket.destroy());
    const error = await failureOf(ask(`http://127.0.0.1:${peer.port}/secret-path?key=secret-key`));
    expect(error.kind).toBe('reset');
    expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain('secret');
  });
});
