import fc from 'fast-check';
import { anyCharacter } from '../../../test/support/any-character';
import {
  forbiddenV4,
  forbiddenV6,
  localNames,
  misleadingUrls,
  publicAddresses,
  spellings,
} from '../../../test/support/forbidden-destinations';
import { type EgressPolicy, parseDestination, spellingProblems } from './destination';

const guarded: EgressPolicy = { allowPrivateNetworks: false, ownHosts: ['pay.example.test'] };
const open: EgressPolicy = { allowPrivateNetworks: true, ownHosts: ['pay.example.test'] };
const inUrl = (address: string): string => (address.includes(':') ? `[${address}]` : address);
const problemOf = (url: string, policy = guarded): string | undefined => {
  const parsed = parseDestination(url, policy);
  return parsed.ok ? undefined : parsed.problem;
};

describe('destinations', () => {
  it('are parsed into what a connection needs', () => {
    expect(parseDestination('https://Shop.Example.test/hooks?a=b', guarded)).toMatchObject({
      ok: true,
      host: 'shop.example.test',
      port: 443,
      secure: true,
      isAddress: false,
    });
    expect(parseDestination('https://[2606:4700:4700::1111]:8443/', guarded)).toMatchObject({
      ok: true,
      host: '2606:4700:4700::1111',
      port: 8443,
      isAddress: true,
    });
    expect(parseDestination('http://127.0.0.1/', open)).toMatchObject({ ok: true, port: 80, secure: false });
  });

  it('are parsed once for each policy, since one may permit what another does not', () => {
    const local = 'https://127.0.0.1/';
    expect(parseDestination(local, open)).toBe(parseDestination(local, open));
    expect(problemOf(local)).toBe('address_not_allowed');
    expect(problemOf(local, open)).toBeUndefined();
  });

  it('may have an international name, an underscore and any port', () => {
    expect(parseDestination('https://bücher.example.test/', guarded)).toMatchObject({
      host: 'xn--bcher-kva.example.test',
    });
    expect(problemOf('https://my_app.example.test:8443/')).toBeUndefined();
  });

  it.each(forbiddenV4)('are refused in every spelling of %s', (address) => {
    for (const spelling of spellings(address))
      expect([spelling, problemOf(`https://${spelling}/`)]).toEqual([spelling, 'address_not_allowed']);
  });

  it.each(forbiddenV6)('are refused at %s', (address) => {
    expect(problemOf(`https://${inUrl(address)}/`)).toBe('address_not_allowed');
  });

  it.each(publicAddresses)('are accepted at %s', (address) => {
    expect(problemOf(`https://${inUrl(address)}/`)).toBeUndefined();
  });

  it.each(localNames)('are refused at the local name %s', (name) => {
    expect(problemOf(`https://${name}/`)).toBe('host_not_allowed');
  });

  it.each(misleadingUrls(443).map((url) => [url]))('are refused when misleading: %j', (url) => {
    expect(problemOf(url)).toBeDefined();
  });

  it.each([
    ['https://shop.example.test@127.0.0.1/', 'credentials_not_allowed'],
    ['https://@shop.example.test/', 'credentials_not_allowed'],
    ['https://shop.example.test/#', 'fragment_not_allowed'],
    ['http://shop.example.test/', 'scheme_not_allowed'],
    ['ftp://shop.example.test/', 'scheme_not_allowed'],
    ['https://shop.example.test:0/', 'port_not_allowed'],
    ['https:shop.example.test/', 'malformed'],
    ['shop.example.test', 'malformed'],
    [`https://shop.example.test/${'a'.repeat(2023)}`, 'too_long'],
  ])('say what is wrong with %j', (url, problem) => {
    expect(problemOf(url)).toBe(problem);
  });

  it('are distinguished from texts that are no URL, with everything that is wrong with those', () => {
    for (const url of [
      'http://127.0.0.1/',
      'https://localhost/',
      'ftp://u:p@shop.example.test/#a',
      'https://a.test:0/',
    ]) {
      expect([url, spellingProblems(url)]).toEqual([url, []]);
      expect([url, problemOf(url) === undefined]).toEqual([url, false]);
    }
    expect(spellingProblems('nope')).toEqual(['malformed']);
    expect(spellingProblems(`https://u:p@shop.example.test/${'ü'.repeat(500)}#a`)).toEqual([
      'credentials_not_allowed',
      'fragment_not_allowed',
      'too_long',
    ]);
  });

  it('are accepted up to the maximum length', () => {
    expect(problemOf(`https://shop.example.test/${'a'.repeat(2022)}`)).toBeUndefined();
  });

  it.each(['pay.example.test', 'PAY.example.test', 'pay.example.test:8787', 'p%61y.example.test'])(
    'never lead back to ourselves: %s',
    (host) => {
      expect(problemOf(`https://${host}/`)).toBe('host_not_allowed');
    },
  );

  it('must not be our own host, by name, with a port, or by address', () => {
    expect(problemOf('https://pay.example/', { ...guarded, ownHosts: ['PAY.example:8787'] })).toBe('host_not_allowed');
    expect(problemOf('https://8.8.8.8/', { ...guarded, ownHosts: ['8.8.8.8'] })).toBe('host_not_allowed');
  });

  it('may be any address when private networks are allowed', () => {
    for (const host of ['localhost:8080', 'receiver', '10.0.0.1', '[::1]:9', 'pay.example.test', 'a.internal']) {
      expect([host, problemOf(`http://${host}/`, open)]).toEqual([host, undefined]);
    }
  });

  it('stay unambiguous even then', () => {
    for (const url of [
      'https://a.test\\@b.test/',
      'https://u@a.test/',
      'https://a.test/#x',
      'ftp://a.test/',
      'https://a..b/',
    ]) {
      expect([url, problemOf(url, open) !== undefined]).toEqual([url, true]);
    }
  });

  it('can be opened one address and port at a time', () => {
    const policy = {
      ...guarded,
      alsoPermits: (address: string, port: number) => address === '127.0.0.1' && port === 4443,
    };
    expect(problemOf('https://127.0.0.1:4443/', policy)).toBeUndefined();
    expect(problemOf('https://0x7f.1:4443/', policy)).toBeUndefined();
    expect(problemOf('https://127.0.0.1:4444/', policy)).toBe('address_not_allowed');
    expect(problemOf('https://127.0.0.2:4443/', policy)).toBe('address_not_allowed');
    expect(problemOf('https://localhost:4443/', policy)).toBe('host_not_allowed');
  });

  it('are accepted or refused without an exception, whatever the text', () => {
    const text = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.webUrl(),
      fc.string({ unit: anyCharacter }).map((rest) => `https://${rest}`),
    );
    fc.assert(
      fc.property(text, (url) => {
        const parsed = parseDestination(url, guarded);
        if (!parsed.ok) return;
        // What is accepted means the same to the next reader: one scheme, no user, no fragment.
        expect(parsed.url.protocol).toBe('https:');
        expect([parsed.url.username, parsed.url.password, parsed.url.hash]).toEqual(['', '', '']);
        expect(parseDestination(parsed.url.href, guarded)).toEqual(parsed);
      }),
      { numRuns: 1000 },
    );
  });
});
