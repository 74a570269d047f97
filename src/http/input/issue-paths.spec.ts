import { freeFormWithoutPayee } from './free-form';
import { MAX_PATH_LENGTH, pathTo } from './issue-paths';
import { refuseMainNetworks } from './named-networks';
import { strayPayees } from './stray-payees';

const SEED = 'SCZANGBA5YHTNYVVV4C3U252E2B6P6F5T3U6MM63WBSBZATAQI3EBTQ4';
const under = (...keys: readonly string[]) =>
  keys.reduce<Parameters<typeof pathTo>[0]>((parent, key) => ({ key, parent }), undefined);

describe('the path of an issue', () => {
  it('is what the caller wrote, and no longer than it may be', () => {
    expect(pathTo(under('metadata', 'a', '0'))).toBe('metadata.a.0');
    expect(pathTo(under('a'.repeat(70_000), 'b'))).toHaveLength(MAX_PATH_LENGTH);
  });

  it('ends before a key that is a secret, or holds one', () => {
    expect(pathTo(under('metadata', SEED, 'memo'))).toBe('metadata');
    expect(pathTo(under('metadata', `${'-'.repeat(MAX_PATH_LENGTH - 55)}${SEED}`))).toBe('metadata');
    const problems = freeFormWithoutPayee('').problems({ [SEED]: { memo: 1 }, a: { [SEED]: { memo: 1 } } });
    expect(problems.map(({ path }) => path)).toEqual([undefined, 'a']);
  });

  it('ends before a key that is a secret above an address', () => {
    const address = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
    const issues = strayPayees({ metadata: { [SEED]: { a: address }, b: { [`${SEED} ${address}`]: 1 } } }, [
      'stellar_testnet',
    ]);
    expect(issues.map(({ field }) => field)).toEqual(['metadata', 'metadata.b']);
  });

  // As libraries write it that sort by name: what tells that it is one comes after more than a path shows.
  it('ends before a long key that only its end shows to be a secret', () => {
    const parts = { d: 'nWGxne'.repeat(57), dp: 'x'.repeat(171), dq: 'y'.repeat(171) };
    const jwk = JSON.stringify({ alg: 'RS256', ...parts, kty: 'RSA' });
    expect(pathTo(under('metadata', jwk, 'memo'))).toBe('metadata');
    expect(freeFormWithoutPayee('').problems({ [jwk]: { memo: 1 } })[0]?.path).toBeUndefined();
  });

  // Decoding a hundred of them, each below others, would cost more than all the rest of a body.
  it('ends before a key that only decoding could tell from a secret', () => {
    expect(pathTo(under('metadata', `s${'b'.repeat(28)}`, 'memo'))).toBe('metadata');
  });

  it('does not show a secret where a main network is named under it', () => {
    const body = { [SEED]: { network: 'base_mainnet' } };
    expect(() => refuseMainNetworks({ headers: {}, url: '/', body })).toThrow(expect.objectContaining({ field: '' }));
  });
});
