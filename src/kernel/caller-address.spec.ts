import { callerAddresses, trustedProxies } from './caller-address';

describe('the address a caller is counted by', () => {
  const seen = (trust: string | undefined, peer: string, forwarded?: string): string =>
    callerAddresses(trust === undefined ? undefined : trustedProxies(trust))({
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
      socket: { remoteAddress: peer } as never,
    });

  it.each([
    ['nobody is believed', undefined, '10.0.0.1', '1.2.3.4', '10.0.0.1'],
    ['the socket’s IPv4 address is shown as IPv6', undefined, '::ffff:10.0.0.1', undefined, '10.0.0.1'],
    ['one proxy is believed', '1', '10.0.0.1', '1.2.3.4', '1.2.3.4'],
    ['the caller made up the beginning', '1', '10.0.0.1', '9.9.9.9, 1.2.3.4', '1.2.3.4'],
    ['two proxies are believed', '2', '10.0.0.1', '9.9.9.9, 1.2.3.4, 10.0.0.2', '1.2.3.4'],
    ['fewer have spoken than are believed', '3', '10.0.0.1', '1.2.3.4', '1.2.3.4'],
    ['nothing was forwarded', '1', '10.0.0.1', undefined, '10.0.0.1'],
    ['what was forwarded is no address', '1', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['what was forwarded is long', '1', '10.0.0.1', `${'x'.repeat(15_000)}, 1.2.3.4`, '1.2.3.4'],
    ['the proxy’s network is believed', '10.0.0.0/8', '10.0.0.1', '1.2.3.4', '1.2.3.4'],
    ['the peer is in no believed network', '10.0.0.0/8', '11.0.0.1', '1.2.3.4', '11.0.0.1'],
    ['a chain of believed ones', '10.0.0.0/8,fd00::/8', 'fd00::1', '9.9.9.9, 1.2.3.4, 10.1.1.1', '1.2.3.4'],
    ['the address has a port', '1', '10.0.0.1', '1.2.3.4:555', '1.2.3.4'],
    ['the address is IPv6 with a port', '1', '10.0.0.1', '[2001:DB8::1]:555', '2001:db8:0:0::/64'],
    [
      'the address is one of many of an IPv6 network',
      undefined,
      '2001:db8:1:02:a:b:c:d',
      undefined,
      '2001:db8:1:2::/64',
    ],
    ['the zeros are in the second half', undefined, '2001:db8:1:2::d', undefined, '2001:db8:1:2::/64'],
    ['the zeros are at the beginning', undefined, '::1', undefined, '0:0:0:0::/64'],
    ['the zeros are at the end', undefined, '2001:db8::', undefined, '2001:db8:0:0::/64'],
    ['it has a zone', undefined, 'fe80::1%eth0', undefined, 'fe80:0:0:0::/64'],
    ['its zone has a dot', '1', '10.0.0.1', 'fe80:0:0:0:1:2:3:4%eth0.100', 'fe80:0:0:0::/64'],
    ['it is in a believed network and has a zone', 'fe80::/10', 'fe80::1%eth0', '1.2.3.4', '1.2.3.4'],
    ['it ends in an IPv4 address', undefined, '64:ff9b::8.8.8.8', undefined, '64:ff9b:0:0::/64'],
    ['it ends in one and has no zeros left out', undefined, '1:2:3:4:5:6:8.8.8.8', undefined, '1:2:3:4::/64'],
    ['a single address is believed', '127.0.0.1', '127.0.0.1', '1.2.3.4', '1.2.3.4'],
  ])('%s', (_, trust, peer, forwarded, expected) => expect(seen(trust, peer, forwarded)).toBe(expected));

  it.each(['0', '11', 'true', 'loopback', '10.0.0.0/33', '10.0.0/8', '::/129', '', '1,10.0.0.0/8', 'a.example'])(
    'cannot follow from %j',
    (text) => expect(trustedProxies(text)).toBeUndefined(),
  );
});
