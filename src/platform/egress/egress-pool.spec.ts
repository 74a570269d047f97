import { type RequestListener } from 'node:http';
import { type Socket } from 'node:net';
import { type DnsResponder, startDnsResponder } from '../../../test/support/dns-responder';
import {
  type LoopbackPeer,
  startHttpPeer,
  startHttpsPeer,
  startRawPeer,
  testAuthority,
} from '../../../test/support/loopback-peers';
import { createEgressPool, type EgressPool, type EgressPoolOptions } from './egress-pool';
import { type GuardedRequest, guardedRequest, type GuardedResponse } from './guarded-http';
import { createResolver, type Resolver } from './resolver';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

describe('egress pool', () => {
  const peers: LoopbackPeer[] = [];
  const pools: EgressPool[] = [];
  let dns: DnsResponder;
  let resolver: Resolver;

  beforeAll(async () => {
    dns = await startDnsResponder({ 'shop.example.test': { A: ['127.0.0.1'] } });
    resolver = createResolver({ servers: [dns.server] });
  });
  afterEach(async () => {
    for (const pool of pools) pool.close();
    await Promise.all(peers.splice(0).map((peer) => peer.close()));
    // Also when the other side hung up first: nothing is remembered of an endpoint without connections.
    await eventually(() => pools.every((pool) => pool.counts().lanes === 0 && pool.counts().idle === 0));
    pools.length = 0;
  });
  afterAll(() => dns.close());

  const eventually = async (condition: () => boolean): Promise<void> => {
    const deadline = Date.now() + 10_000;
    while (!condition()) {
      if (Date.now() > deadline) throw new Error('what the test waits for does not happen');
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  /** Idle connections stay for longer than any test, so that what closes one is what the test did. */
  const newPool = (options: EgressPoolOptions = {}): EgressPool => {
    const pool = createEgressPool({ idleMs: 60_000, ...options });
    pools.push(pool);
    return pool;
  };
  const kept = async (starting: Promise<LoopbackPeer>): Promise<LoopbackPeer> => {
    const peer = await starting;
    peers.push(peer);
    return peer;
  };
  const http = (handler: RequestListener = (_, response) => response.end('ok')) => kept(startHttpPeer(handler));
  const post = (pool: EgressPool, endpointKey: string, url: string, more: Partial<GuardedRequest> = {}) =>
    guardedRequest({
      url,
      method: 'POST',
      body: Buffer.from('{}'),
      timeoutMs: 10_000,
      maxResponseBytes: 1000,
      policy: { allowPrivateNetworks: true, ownHosts: [] },
      resolver,
      ca: testAuthority,
      reuse: { pool, endpointKey },
      ...more,
    });
  const bodyOf = (response: GuardedResponse): string => response.body.toString();
  const urlOf = (peer: LoopbackPeer, host = '127.0.0.1'): string => `http://${host}:${peer.port}/`;

  it('keeps one connection for the requests to one endpoint', async () => {
    const peer = await http();
    const pool = newPool();
    for (let round = 0; round < 5; round += 1) await post(pool, 'whe_1', urlOf(peer));
    expect(peer.accepted()).toBe(1);
    expect(pool.counts()).toEqual({ idle: 1, lanes: 1 });
  });

  it('does the same with TLS', async () => {
    const peer = await kept(startHttpsPeer((_, response) => response.end('ok')));
    const pool = newPool();
    const url = `https://shop.example.test:${peer.port}/`;
    for (let round = 0; round < 3; round += 1) expect(bodyOf(await post(pool, 'whe_1', url))).toBe('ok');
    expect(peer.accepted()).toBe(1);
  });

  it('shares none between endpoints, names or sets of addresses', async () => {
    const peer = await http();
    const pool = newPool();
    await post(pool, 'whe_1', urlOf(peer));
    await post(pool, 'whe_2', urlOf(peer));
    expect(peer.accepted()).toBe(2);
    await post(pool, 'whe_1', urlOf(peer, 'localhost'));
    expect(peer.accepted()).toBe(3);
    dns.set('moving.example.test', { A: ['127.0.0.1'] });
    await post(pool, 'whe_1', urlOf(peer, 'moving.example.test'));
    dns.set('moving.example.test', { A: ['127.0.0.1', '127.0.0.1'] });
    await post(pool, 'whe_1', urlOf(peer, 'moving.example.test'));
    expect(peer.accepted()).toBe(5);
    expect(pool.counts()).toEqual({ idle: 5, lanes: 5 });
  });

  it('refuses a name that has moved to a forbidden address, even if a connection is still open', async () => {
    const peer = await kept(startHttpsPeer((_, response) => response.end('ok')));
    const pool = newPool();
    const policy = {
      allowPrivateNetworks: false,
      ownHosts: [],
      alsoPermits: (address: string, port: number) => address === '127.0.0.1' && port === peer.port,
    };
    dns.set('leaving.example.test', { A: ['127.0.0.1'] });
    const url = `https://leaving.example.test:${peer.port}/`;
    await post(pool, 'whe_1', url, { policy });
    dns.set('leaving.example.test', { A: ['10.0.0.1'] });
    await expect(post(pool, 'whe_1', url, { policy })).rejects.toMatchObject({ kind: 'destination_not_allowed' });
  });

  it('opens as many connections as there are requests at once', async () => {
    let release: () => void = () => undefined;
    const all = new Promise<void>((resolve) => (release = resolve));
    let waiting = 0;
    const peer = await http((_, response) => {
      waiting += 1;
      if (waiting === 8) release();
      void all.then(() => response.end('ok'));
    });
    const pool = newPool({ maxIdlePerEndpoint: 3 });
    await Promise.all(Array.from({ length: 8 }, () => post(pool, 'whe_1', urlOf(peer))));
    await eventually(() => peer.open() === 3);
    expect(pool.counts()).toEqual({ idle: 3, lanes: 1 });
  });

  it('limits idle connections over all endpoints, closing the oldest', async () => {
    const peer = await http();
    const pool = newPool({ maxIdle: 3 });
    for (let endpoint = 0; endpoint < 10; endpoint += 1) await post(pool, `whe_${endpoint}`, urlOf(peer));
    await eventually(() => peer.open() === 3);
    expect(pool.counts()).toEqual({ idle: 3, lanes: 3 });
    await post(pool, 'whe_9', urlOf(peer));
    expect(peer.accepted()).toBe(10);
    await post(pool, 'whe_0', urlOf(peer));
    expect(peer.accepted()).toBe(11);
  });

  it('closes connections that have been idle for too long', async () => {
    const peer = await http();
    const pool = newPool({ idleMs: 50 });
    await post(pool, 'whe_1', urlOf(peer));
    await peer.allClosed();
    await eventually(() => pool.counts().lanes === 0);
    expect(pool.counts().idle).toBe(0);
  });

  it('does not cut off a slow response on a connection that was idle before', async () => {
    let answers = 0;
    const peer = await http((_, response) => {
      answers += 1;
      if (answers === 1) response.end('ok');
      else setTimeout(() => response.end('slow'), 150);
    });
    const pool = newPool({ idleMs: 40 });
    await post(pool, 'whe_1', urlOf(peer));
    expect(bodyOf(await post(pool, 'whe_1', urlOf(peer)))).toBe('slow');
    expect(peer.accepted()).toBe(1);
  });

  it('retries when the kept connection was closed during the request', async () => {
    const peer = await kept(
      startRawPeer((socket) => {
        socket.once('data', () => {
          socket.write(OK);
          socket.once('data', () => socket.destroy());
        });
      }),
    );
    const pool = newPool();
    await post(pool, 'whe_1', urlOf(peer));
    expect(bodyOf(await post(pool, 'whe_1', urlOf(peer)))).toBe('ok');
    expect(peer.accepted()).toBe(2);
  });

  it('retries only once, and not after a failure on a new connection', async () => {
    const peer = await kept(startRawPeer((socket) => socket.once('data', () => socket.destroy())));
    await expect(post(newPool(), 'whe_1', urlOf(peer))).rejects.toMatchObject({ kind: 'reset' });
    expect(peer.accepted()).toBe(1);
  });

  it('does not mistake leftover bytes for the next response', async () => {
    const forged = 'HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged';
    const peer = await kept(startRawPeer((socket) => socket.on('data', () => socket.write(`${OK}${forged}`))));
    const pool = newPool();
    await post(pool, 'whe_1', urlOf(peer)).catch(() => undefined);
    await peer.allClosed();
    expect(pool.counts().idle).toBe(0);
  });

  it('closes a kept connection that sends unrequested data', async () => {
    let theirs: Socket | undefined;
    const peer = await kept(
      startRawPeer((socket) => {
        theirs = socket;
        socket.on('data', () => socket.write(OK));
      }),
    );
    const pool = newPool();
    await post(pool, 'whe_1', urlOf(peer));
    expect(pool.counts().idle).toBe(1);
    theirs?.write('HTTP/1.1 200 OK\r\n');
    await peer.allClosed();
  });

  it('does not keep a connection whose response was truncated, broken or late', async () => {
    const peer = await http((request, response) => {
      if (request.url === '/long') response.end('x'.repeat(100_000));
      if (request.url === '/broken') response.destroy();
    });
    const pool = newPool();
    expect(await post(pool, 'whe_1', `${urlOf(peer)}long`)).toMatchObject({ truncated: true });
    await expect(post(pool, 'whe_1', `${urlOf(peer)}broken`)).rejects.toMatchObject({ kind: 'reset' });
    const late = post(pool, 'whe_1', `${urlOf(peer)}late`, { timeoutMs: 100 });
    await expect(late).rejects.toMatchObject({ kind: 'timeout' });
    await peer.allClosed();
    await eventually(() => pool.counts().lanes === 0);
  });

  it.each([0, 1, 2, 3])(
    'ends at once if the caller aborts %i steps after asking, and has sent nothing if that was none',
    async (steps) => {
      let requests = 0;
      const peer = await http((_, response) => {
        requests += 1;
        if (requests === 1) response.end('ok');
      });
      const pool = newPool();
      await post(pool, 'whe_1', urlOf(peer));
      const caller = new AbortController();
      const asking = post(pool, 'whe_1', urlOf(peer), { signal: caller.signal });
      for (let step = 0; step < steps; step += 1) await Promise.resolve();
      caller.abort();
      await expect(asking).rejects.toMatchObject({ kind: 'cancelled' });
      if (steps === 0) expect(requests).toBe(1);
    },
  );

  it('sends nothing if asking whether it is still wanted ends it', async () => {
    let requests = 0;
    const peer = await http((_, response) => response.end(String((requests += 1))));
    const pool = newPool();
    await post(pool, 'whe_1', urlOf(peer));
    const caller = new AbortController();
    const stillWanted = (): boolean => {
      caller.abort();
      return true;
    };
    const asking = post(pool, 'whe_1', urlOf(peer), { signal: caller.signal, stillWanted });
    await expect(asking).rejects.toMatchObject({ kind: 'cancelled' });
    expect(requests).toBe(1);
  });

  it('remembers nothing of an endpoint that cannot be reached', async () => {
    const gone = await startRawPeer(() => undefined);
    await gone.close();
    const pool = newPool();
    await expect(post(pool, 'whe_1', urlOf(gone))).rejects.toMatchObject({ kind: 'connect_failed' });
    expect(pool.counts()).toEqual({ idle: 0, lanes: 0 });
  });

  it('closes idle connections when it is closed, and lets requests in flight finish', async () => {
    let answer: (() => void) | undefined;
    const peer = await http((request, response) => {
      if (request.url === '/') response.end('ok');
      else answer = () => response.end('finished');
    });
    const pool = newPool();
    await post(pool, 'whe_1', urlOf(peer));
    const underWay = post(pool, 'whe_2', `${urlOf(peer)}wait`);
    await eventually(() => peer.accepted() === 2);
    pool.close();
    await eventually(() => peer.open() === 1);
    await eventually(() => answer !== undefined);
    answer?.();
    expect(bodyOf(await underWay)).toBe('finished');
    await peer.allClosed();
    expect(bodyOf(await post(pool, 'whe_1', urlOf(peer)))).toBe('ok');
    await peer.allClosed();
  });
});
