import { startDnsResponder } from '../../../test/support/dns-responder';
import { startRawPeer } from '../../../test/support/loopback-peers';
import { createResolver } from '../../platform/egress/resolver';
import { proveByDns, proveByHttps } from './domain-proof';

/** The bounds of time; everything else is shown over HTTP with the whole service. */
describe('a domain proof', () => {
  const published = { domain: 'silent.example.test', challenge: 'c1' };

  it('does not wait for a DNS server that says nothing', async () => {
    const dns = await startDnsResponder({ '_svc-challenge.silent.example.test': { silent: true } });
    const resolver = createResolver({ servers: [dns.server], timeoutMs: 100 });
    expect(await proveByDns(published, resolver)).toEqual({
      proven: false,
      expected: 'svc-domain-verification=c1',
      found: [],
      reason: 'timeout',
    });
    await dns.close();
  });

  it('does not wait for a web server that says nothing', async () => {
    const [dns, peer] = [await startDnsResponder(), await startRawPeer(() => undefined)];
    const proof = proveByHttps(published, {
      url: `https://127.0.0.1:${peer.port}/`,
      resolver: createResolver({ servers: [dns.server] }),
      policy: { allowPrivateNetworks: true, ownHosts: [] },
      timeoutMs: 100,
    });
    expect(await proof).toEqual({ proven: false, expected: 'c1', found: [], reason: 'timeout' });
    await Promise.all([dns.close(), peer.close()]);
  });
});
