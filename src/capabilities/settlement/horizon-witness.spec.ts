import { transactionOf } from '../../../test/support/horizon';
import { startHttpPeer } from '../../../test/support/loopback-peers';
import { type Resolver } from '../../platform/egress/resolver';
import { HorizonWitness } from './horizon-witness';
import { NetworkServer } from './network-server';
import { PASSPHRASES } from './stellar-library';

const witnessOf = (parts: ConstructorParameters<typeof NetworkServer>[0]) =>
  new HorizonWitness(new NetworkServer(parts), PASSPHRASES['stellar_testnet'] ?? '');

describe('a witness on Stellar', () => {
  it.each([
    ['in capitals', 'AB'.repeat(32)],
    ['with one capital', `${'ab'.repeat(31)}aB`],
    ['in another notation', `0x${'ab'.repeat(31)}`],
  ])('asks for no transaction whose hash is spelled %s', async (_, hash) => {
    const asked = jest.fn().mockRejectedValue(new Error('asked'));
    const witness = witnessOf({
      url: 'https://horizon.example',
      resolver: asked as unknown as Resolver,
      policy: { allowPrivateNetworks: false, ownHosts: [] },
      timeoutMs: 1_000,
    });
    // Otherwise one transaction, reported in two spellings, would settle two requests, and nobody would see that.
    expect(await witness.look(hash, new AbortController().signal)).toEqual({ kind: 'not_found' });
    expect(asked).not.toHaveBeenCalled();
  });

  it('reads the payments where a server keeps no list of all operations', async () => {
    const [hash, closedAt] = ['ab'.repeat(32), '2030-01-01T12:00:00Z'];
    const peer = await startHttpPeer(({ url }, response) => {
      const list = { _embedded: { records: [] } };
      if (url === `/transactions/${hash}`)
        response.end(JSON.stringify(transactionOf(hash, { ledger: 7, closedAt, operations: [] })));
      else if (url?.startsWith(`/transactions/${hash}/payments?`)) response.end(JSON.stringify(list));
      else response.writeHead(404).end('{}');
    });
    try {
      const witness = witnessOf({
        url: `http://127.0.0.1:${peer.port}`,
        resolver: {} as Resolver,
        policy: { allowPrivateNetworks: true, ownHosts: [] },
        timeoutMs: 30_000,
      });
      expect(await witness.look(hash, new AbortController().signal)).toMatchObject({
        kind: 'found',
        transaction: { ledgerHash: hash, ledger: 7, closedAt, transfers: [] },
      });
    } finally {
      await peer.close();
    }
  });
});
