import { type Resolver } from '../../platform/egress/resolver';
import { HorizonWitness } from './horizon-witness';

describe('a witness on Stellar', () => {
  it.each([
    ['in capitals', 'AB'.repeat(32)],
    ['with one capital', `${'ab'.repeat(31)}aB`],
    ['in another notation', `0x${'ab'.repeat(31)}`],
  ])('asks for no transaction whose hash is spelled %s', async (_, hash) => {
    const asked = jest.fn().mockRejectedValue(new Error('asked'));
    const witness = new HorizonWitness({
      url: 'https://horizon.example',
      resolver: asked as unknown as Resolver,
      policy: { allowPrivateNetworks: false, ownHosts: [] },
      timeoutMs: 1_000,
    });
    // Otherwise one transaction, reported in two spellings, would settle two requests, and nobody would see that.
    expect(await witness.look(hash, new AbortController().signal)).toEqual({ kind: 'not_found' });
    expect(asked).not.toHaveBeenCalled();
  });
});
