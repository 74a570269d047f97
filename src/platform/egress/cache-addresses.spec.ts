import { cacheAddresses } from './cache-addresses';
import { DnsError, type Resolver } from './resolver';

describe('cached addresses', () => {
  let asked: string[];
  let answer: (name: string) => Promise<readonly string[]>;
  const resolver: Resolver = {
    addresses: (name, options) => {
      asked.push(options?.privateNames ? `private ${name}` : name);
      return answer(name);
    },
    txt: (name) => {
      asked.push(`TXT ${name}`);
      return Promise.resolve(['text']);
    },
  };
  let now: number;

  beforeEach(() => {
    asked = [];
    answer = () => Promise.resolve(['192.0.2.1']);
    now = 1000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => jest.restoreAllMocks());

  it('expire and are then looked up again', async () => {
    const remembering = cacheAddresses(resolver, { forMs: 100 });
    expect(await remembering.addresses('a.example.test')).toEqual(['192.0.2.1']);
    now += 99;
    answer = () => Promise.resolve(['192.0.2.2']);
    expect(await remembering.addresses('a.example.test')).toEqual(['192.0.2.1']);
    now += 1;
    expect(await remembering.addresses('a.example.test')).toEqual(['192.0.2.2']);
    expect(asked).toEqual(['a.example.test', 'a.example.test']);
  });

  it('are looked up once for simultaneous callers, each of which may abort alone', async () => {
    let found: (addresses: string[]) => void = () => undefined;
    answer = () => new Promise((resolve) => (found = resolve));
    const remembering = cacheAddresses(resolver);
    const controller = new AbortController();
    const leaving = remembering.addresses('a.example.test', { signal: controller.signal });
    const staying = remembering.addresses('a.example.test', { signal: new AbortController().signal });
    controller.abort(new Error('enough'));
    await expect(leaving).rejects.toThrow('enough');
    found(['192.0.2.1']);
    expect(await staying).toEqual(['192.0.2.1']);
    expect(asked).toEqual(['a.example.test']);
    await expect(remembering.addresses('a.example.test', { signal: controller.signal })).rejects.toThrow('enough');
  });

  it('do not include failures', async () => {
    const remembering = cacheAddresses(resolver);
    answer = () => Promise.reject(new DnsError('not_found'));
    const { signal } = new AbortController();
    await expect(remembering.addresses('a.example.test', { signal })).rejects.toThrow('not_found');
    answer = () => Promise.resolve(['192.0.2.1']);
    expect(await remembering.addresses('a.example.test', { signal })).toEqual(['192.0.2.1']);
  });

  it('are kept apart for private names', async () => {
    const remembering = cacheAddresses(resolver);
    await remembering.addresses('a.example.test');
    await remembering.addresses('a.example.test', { privateNames: true });
    expect(asked).toEqual(['a.example.test', 'private a.example.test']);
  });

  it('are bounded in number, the oldest going first', async () => {
    const remembering = cacheAddresses(resolver, { max: 2 });
    for (const name of ['a.test', 'b.test', 'c.test', 'c.test', 'b.test', 'a.test']) await remembering.addresses(name);
    expect(asked).toEqual(['a.test', 'b.test', 'c.test', 'a.test']);
  });

  it('are known without waiting from when they are found until they expire', async () => {
    let found: (addresses: string[]) => void = () => undefined;
    answer = () => new Promise((resolve) => (found = resolve));
    const remembering = cacheAddresses(resolver, { forMs: 100 });
    const known = (privateNames = false) => remembering.known?.('a.example.test', { privateNames });
    expect(known()).toBeUndefined();
    const asking = remembering.addresses('a.example.test');
    expect(known()).toBeUndefined();
    found(['192.0.2.1']);
    await asking;
    expect([known(), known(true)]).toEqual([['192.0.2.1'], undefined]);
    now += 100;
    expect(known()).toBeUndefined();
  });

  it('do not include text records', async () => {
    const remembering = cacheAddresses(resolver);
    await remembering.txt('a.test');
    await remembering.txt('a.test');
    expect(asked).toEqual(['TXT a.test', 'TXT a.test']);
  });
});
