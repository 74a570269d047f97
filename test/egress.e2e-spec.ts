import { Socket } from 'node:net';
import { type EgressPolicy } from '../src/platform/egress/destination';
import { EgressError } from '../src/platform/egress/egress-error';
import { type GuardedRequest, guardedRequest, type GuardedResponse } from '../src/platform/egress/guarded-http';
import { createResolver, type Resolver } from '../src/platform/egress/resolver';
import { type DnsResponder, startDnsResponder } from './support/dns-responder';
import { eventually } from './support/eventually';
import { forbiddenV4, forbiddenV6, localNames, misleadingUrls, spellings } from './support/forbidden-destinations';
import { type LoopbackPeer, startHttpsPeer, startRawPeer, testAuthority } from './support/loopback-peers';

/** A connection attempt there is neither accepted nor refused. */
const SILENCE = 'silence';

/** The guard is on in every test; it permits only the address and port of the receiver. */
describe('guarded requests', () => {
  let trap: LoopbackPeer;
  let receiver: LoopbackPeer;
  let dns: DnsResponder;
  let resolver: Resolver;
  let policy: EgressPolicy;
  let dialled: string[];
  let translate: Record<string, string>;

  beforeAll(async () => {
    trap = await startRawPeer((socket) => socket.destroy());
    receiver = await startHttpsPeer((request, response) => {
      response.end(JSON.stringify({ host: request.headers.host, url: request.url, method: request.method }));
    });
    dns = await startDnsResponder({ 'shop.example.test': { A: ['127.0.0.1'] } });
    resolver = createResolver({ servers: [dns.server], timeoutMs: 5000 });
    policy = {
      allowPrivateNetworks: false,
      ownHosts: ['pay.example.test'],
      alsoPermits: (address, port) => address === '127.0.0.1' && port === receiver.port,
    };
  });
  afterAll(() => Promise.all([trap.close(), receiver.close(), dns.close()]));

  beforeEach(() => {
    Error.stackTraceLimit = 100;
    dialled = [];
    translate = {};
    const { connect } = Socket.prototype as unknown as { connect: (this: Socket, ...args: unknown[]) => Socket };
    // Records every attempt; one that would leave this machine fails instead, so that a broken guard does no harm.
    jest.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: unknown[]) {
      const [target] = [args[0]].flat() as [{ host: string; port: number }];
      // Ignores attempts left over from an earlier suite in this process.
      if (new Error().stack?.includes('/platform/egress/')) dialled.push(`${target.host} ${target.port}`);
      target.host = translate[target.host] ?? target.host;
      if (target.host === SILENCE) return this;
      if (target.host === '127.0.0.1') return connect.apply(this, args);
      return this.destroy(new Error('left the machine'));
    });
  });
  afterEach(() => jest.restoreAllMocks());

  const ask = (url: string, more: Partial<GuardedRequest> = {}): Promise<GuardedResponse> =>
    guardedRequest({
      url,
      method: 'POST',
      body: Buffer.from('{}'),
      timeoutMs: 10_000,
      maxResponseBytes: 1000,
      policy,
      resolver,
      ca: testAuthority,
      ...more,
    });
  const failureOf = async (answer: Promise<unknown>): Promise<string> =>
    answer.then(
      () => 'delivered',
      (error: unknown) => (error instanceof EgressError ? error.kind : String(error)),
    );

  const inUrl = (address: string): string => (address.includes(':') ? `[${address}]` : address);
  const forbiddenUrls = (port: number): string[] => [
    ...forbiddenV4.flatMap(spellings).map((host) => `https://${host}:${port}/`),
    ...forbiddenV6.map((address) => `https://${inUrl(address)}:${port}/`),
    ...localNames.map((name) => `https://${name}:${port}/`),
    ...misleadingUrls(port),
    `https://pay.example.test:${port}/`,
  ];

  it('reaches no forbidden address by any URL', async () => {
    const urls = forbiddenUrls(trap.port);
    expect(urls.length).toBeGreaterThanOrEqual(300);
    const outcomes = await Promise.all(urls.map(async (url) => [url, await failureOf(ask(url))]));
    expect(outcomes).toEqual(urls.map((url) => [url, 'destination_not_allowed']));
    expect([dialled, trap.accepted()]).toEqual([[], 0]);
  });

  it('reaches no forbidden address through any DNS answer', async () => {
    const addresses = [...forbiddenV4, ...forbiddenV6];
    const names = addresses.flatMap((address, index) => {
      const type = address.includes(':') ? 'AAAA' : 'A';
      const publicToo = { A: ['8.8.8.8'], AAAA: ['2606:4700:4700::1111'] };
      dns.set(`alone-${index}.example.test`, { [type]: [address] });
      dns.set(`among-${index}.example.test`, { ...publicToo, [type]: [...publicToo[type], address] });
      dns.set(`alias-${index}.example.test`, { CNAME: `among-${index}.example.test` });
      return [`alone-${index}`, `among-${index}`, `alias-${index}`];
    });
    expect(names.length).toBeGreaterThanOrEqual(200);
    for (const name of names) {
      const url = `https://${name}.example.test:${trap.port}/`;
      expect([url, await failureOf(ask(url))]).toEqual([url, 'destination_not_allowed']);
    }
    expect([dialled, trap.accepted()]).toEqual([[], 0]);
  });

  it('delivers every request of the control set', async () => {
    dns.set('a.example.test', { CNAME: 'b.example.test' });
    dns.set('b.example.test', { CNAME: 'shop.example.test' });
    dns.set('bare.example.test', { CNAME: 'shop.example.test', aliasOnly: true });
    dns.set('twice.example.test', { A: ['127.0.0.1', '127.0.0.1'] });
    const names = ['shop', 'SHOP', 'a', 'b', 'bare', 'twice'].map((label) => `${label}.example.test`);
    const literals = spellings('127.0.0.1').filter((spelling) => !spelling.startsWith('['));
    for (const host of [...names, ...literals]) {
      const answer = await ask(`https://${host}:${receiver.port}/hook?a=b`);
      const expected = new URL(`https://${host}:${receiver.port}`).host;
      expect(answer).toMatchObject({ status: 200, truncated: false });
      expect(JSON.parse(answer.body.toString())).toEqual({ host: expected, url: '/hook?a=b', method: 'POST' });
    }
    expect(new Set(dialled)).toEqual(new Set([`127.0.0.1 ${receiver.port}`]));
    await receiver.allClosed();
  });

  it('resolves once, so that a second answer cannot lead elsewhere', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.2']];
    dns.set('rebind.example.test', { A: () => answers.shift() ?? ['127.0.0.2'] });
    expect(await ask(`https://rebind.example.test:${receiver.port}/`)).toMatchObject({ status: 200 });
    expect(dns.queries.filter((query) => query.endsWith(' rebind.example.test')).sort()).toEqual([
      'A rebind.example.test',
      'AAAA rebind.example.test',
    ]);
    expect(dialled).toEqual([`127.0.0.1 ${receiver.port}`]);
    expect(await failureOf(ask(`https://rebind.example.test:${receiver.port}/`))).toBe('destination_not_allowed');
  });

  it('checks the peer it is connected to before it sends a byte', async () => {
    const heard: Buffer[] = [];
    const listener = await startRawPeer((socket) => socket.on('data', (chunk) => heard.push(chunk)));
    // The address that was checked and the one that is reached differ, as behind NAT.
    dns.set('translated.example.test', { A: ['127.0.0.9', '127.0.0.8'] });
    translate = { '127.0.0.9': '127.0.0.1', '127.0.0.8': '127.0.0.1' };
    const exceptThePeer = { ...policy, alsoPermits: (address: string) => address !== '127.0.0.1' };
    const answer = ask(`https://translated.example.test:${listener.port}/`, { policy: exceptThePeer });
    expect(await failureOf(answer)).toBe('destination_not_allowed');
    // That is the end: its other addresses are not tried.
    expect(dialled).toEqual([`127.0.0.9 ${listener.port}`]);
    await eventually(
      async () => listener.accepted(),
      (count) => count === 1,
      'the connection',
    );
    await listener.allClosed();
    expect(heard).toEqual([]);
    await listener.close();
  });

  it('requires a certificate for the very address in the URL', async () => {
    translate = { '127.0.0.9': '127.0.0.1' };
    const open = { ...policy, alsoPermits: () => true };
    expect(await failureOf(ask(`https://127.0.0.9:${receiver.port}/`, { policy: open }))).toBe('tls_failed');
    expect(await failureOf(ask(`https://127.0.0.1:${receiver.port}/`, { policy: open }))).toBe('delivered');
  });

  it('uses no proxy from the environment', async () => {
    const variables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
    for (const name of variables) process.env[name] = `http://127.0.0.1:${trap.port}`;
    try {
      expect(await ask(`https://shop.example.test:${receiver.port}/`)).toMatchObject({ status: 200 });
    } finally {
      for (const name of variables) delete process.env[name];
    }
    expect(trap.accepted()).toBe(0);
  });

  it('returns a redirect and does not follow it', async () => {
    const redirecting = await startHttpsPeer((_, response) => {
      response.writeHead(307, { location: `https://127.0.0.1:${trap.port}/` }).end();
    });
    const open = { ...policy, alsoPermits: () => true };
    const answer = await ask(`https://shop.example.test:${redirecting.port}/`, { policy: open });
    expect(answer).toMatchObject({ status: 307, headers: { location: `https://127.0.0.1:${trap.port}/` } });
    expect(dialled).toEqual([`127.0.0.1 ${redirecting.port}`]);
    expect(trap.accepted()).toBe(0);
    await redirecting.close();
  });

  it('tries the next address if one refuses the connection', async () => {
    const either = { ...policy, alsoPermits: (address: string) => address.startsWith('127.0.0.') };
    dns.set('spread.example.test', { A: ['127.0.0.9', '127.0.0.1'] });
    expect(await ask(`https://spread.example.test:${receiver.port}/`, { policy: either })).toMatchObject({
      status: 200,
    });
    expect(dialled).toEqual([`127.0.0.9 ${receiver.port}`, `127.0.0.1 ${receiver.port}`]);
  });

  it('gives up on a silent address in time for the next one', async () => {
    const either = { ...policy, alsoPermits: (address: string) => address.startsWith('127.0.0.') };
    dns.set('half.example.test', { A: ['127.0.0.9', '127.0.0.1'] });
    translate = { '127.0.0.9': SILENCE };
    const url = `https://half.example.test:${receiver.port}/`;
    // Each address has three seconds: a pause of this process must not use up those of the second.
    expect(await ask(url, { policy: either, timeoutMs: 6000 })).toMatchObject({ status: 200 });
    // The last one has all the time there is: what ends it is the timeout.
    dns.set('silence.example.test', { A: ['127.0.0.9'] });
    expect(await failureOf(ask('https://silence.example.test/', { policy: either, timeoutMs: 100 }))).toBe('timeout');
  });

  it.each([
    ['unknown.example.test', {}],
    ['broken.example.test', { rcode: 'SERVFAIL' as const }],
    ['empty.example.test', {}],
  ])('says that %s could not be resolved', async (name, entry) => {
    if (name !== 'unknown.example.test') dns.set(name, entry);
    expect(await failureOf(ask(`https://${name}/`))).toBe('dns_failed');
    expect(dialled).toEqual([]);
  });

  it('includes the lookup in the timeout', async () => {
    dns.set('silent.example.test', { silent: true });
    expect(await failureOf(ask('https://silent.example.test/', { timeoutMs: 100 }))).toBe('timeout');
  });
});
