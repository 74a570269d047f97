import { type DnsResponder, startDnsResponder } from '../../../test/support/dns-responder';
import { createResolver, DnsError, type Resolver } from './resolver';

describe('resolver', () => {
  let responder: DnsResponder;
  let resolver: Resolver;

  beforeAll(async () => {
    responder = await startDnsResponder({
      'both.example.test': { A: ['192.0.2.1', '192.0.2.2'], AAAA: ['2001:db8::1'] },
      'four.example.test': { A: ['192.0.2.4'] },
      'six.example.test': { AAAA: ['2001:db8::6'] },
      'alias.example.test': { CNAME: 'middle.example.test' },
      'middle.example.test': { CNAME: 'both.example.test' },
      'bare.example.test': { CNAME: 'bare-too.example.test', aliasOnly: true },
      'bare-too.example.test': { CNAME: 'four.example.test', aliasOnly: true },
      'circle.example.test': { CNAME: 'circle-too.example.test', aliasOnly: true },
      'circle-too.example.test': { CNAME: 'circle.example.test', aliasOnly: true },
      'text.example.test': { TXT: ['one', ['split ', 'in ', 'three'], ''] },
      'text-alias.example.test': { CNAME: 'text.example.test' },
      'text-bare.example.test': { CNAME: 'text.example.test', aliasOnly: true },
      'long.example.test': { TXT: Array.from({ length: 20 }, (_, i) => [`${i}:`, 'x'.repeat(200)]) },
      'empty.example.test': {},
      'broken.example.test': { rcode: 'SERVFAIL' },
      'refusing.example.test': { rcode: 'REFUSED' },
      'silent.example.test': { silent: true },
    });
    resolver = createResolver({ servers: [responder.server], timeoutMs: 20_000 });
  });
  afterAll(() => responder.close());

  const failureOf = async (lookup: Promise<unknown>): Promise<unknown> => {
    const error: unknown = await lookup.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return error instanceof DnsError ? error.kind : error;
  };

  it('finds the addresses of both families, IPv4 first', async () => {
    expect(await resolver.addresses('both.example.test')).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1']);
    expect(await resolver.addresses('four.example.test')).toEqual(['192.0.2.4']);
    expect(await resolver.addresses('six.example.test')).toEqual(['2001:db8::6']);
  });

  it('follows aliases, whether or not the server does', async () => {
    expect(await resolver.addresses('alias.example.test')).toContain('192.0.2.1');
    expect(await resolver.addresses('bare.example.test')).toEqual(['192.0.2.4']);
  });

  it('does not follow a loop of aliases forever', async () => {
    expect(await failureOf(resolver.addresses('circle.example.test'))).toBe('no_data');
  });

  it('reads text records, joining the strings of each', async () => {
    expect(await resolver.txt('text.example.test')).toEqual(['one', 'split in three', '']);
    expect(await resolver.txt('text-alias.example.test')).toContain('one');
    expect(await resolver.txt('text-bare.example.test')).toContain('one');
  });

  it('falls back to TCP for what does not fit into a datagram', async () => {
    const texts = await resolver.txt('long.example.test');
    expect(texts).toHaveLength(20);
    expect(texts[7]).toBe(`7:${'x'.repeat(200)}`);
    expect(responder.overTcp()).toBeGreaterThan(0);
  });

  it.each([
    ['unknown.example.test', 'not_found'],
    ['empty.example.test', 'no_data'],
    ['broken.example.test', 'server_failed'],
    ['refusing.example.test', 'server_failed'],
  ])('tells failures apart: %s is %s', async (name, kind) => {
    expect(await failureOf(resolver.addresses(name))).toBe(kind);
    expect(await failureOf(resolver.txt(name))).toBe(kind);
  });

  it('gives up on a silent server when time is up', async () => {
    const impatient = createResolver({ servers: [responder.server], timeoutMs: 50 });
    expect(await failureOf(impatient.addresses('silent.example.test'))).toBe('timeout');
    expect(await failureOf(impatient.txt('silent.example.test'))).toBe('timeout');
  });

  it('gives up when it is aborted, with the given reason', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const lookup = resolver.addresses('silent.example.test', { signal: controller.signal });
    controller.abort(reason);
    expect(await failureOf(lookup)).toBe(reason);
    expect(await failureOf(resolver.txt('text.example.test', { signal: controller.signal }))).toBe(reason);
  });

  it('caches nothing, so that a change is seen at once', async () => {
    responder.set('changing.example.test', { TXT: ['old'] });
    expect(await resolver.txt('changing.example.test')).toEqual(['old']);
    responder.set('changing.example.test', { TXT: ['new'] });
    expect(await resolver.txt('changing.example.test')).toEqual(['new']);
  });

  it('reports a server at which nobody listens as failed', async () => {
    const gone = await startDnsResponder();
    await gone.close();
    const lost = createResolver({ servers: [gone.server], timeoutMs: 2000 });
    expect(await failureOf(lost.addresses('both.example.test'))).toBe('server_failed');
  });

  it('refuses a server that is not an address at once', () => {
    expect(() => createResolver({ servers: ['dns.example.test:53'] })).toThrow();
  });

  it('resolves localhost itself where private names are wanted', async () => {
    const before = responder.queries.length;
    for (const name of ['localhost', 'shop.localhost']) {
      expect(await resolver.addresses(name, { privateNames: true })).toEqual(['127.0.0.1', '::1']);
    }
    expect(responder.queries).toHaveLength(before);
    expect(await failureOf(resolver.addresses('localhost'))).toBe('not_found');
  });

  it('keeps to the configured servers for other single labels', async () => {
    expect(await failureOf(resolver.addresses('intranet', { privateNames: true }))).toBe('not_found');
    expect(responder.queries).toContain('A intranet');
  });
});
