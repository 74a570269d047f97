import fc from 'fast-check';
import { networksBesideBody, refuseMainNetworks } from './named-networks';

const MANY = 4_000;
const told = (asked: Partial<Parameters<typeof refuseMainNetworks>[0]>): unknown => {
  try {
    refuseMainNetworks({ headers: {}, url: '/', ...asked });
    return undefined;
  } catch (error) {
    const { code, field } = error as { code: string; field: string };
    return [code, field];
  }
};

describe('a main network among many test networks', () => {
  it('is found anywhere in a body', () => {
    const many = Array.from({ length: MANY }, () => ({ network: 'stellar_testnet' }));
    expect(told({ body: { many, network: 'stellar_testnet' } })).toBeUndefined();
    expect(told({ body: { many, network: 'base_mainnet' } })).toEqual(['phase_0_mainnet_disabled', 'network']);
    const last = { a: [{ network: many.map(({ network }) => network) }, { network: ['base_mainnet'] }] };
    expect(told({ body: last })).toEqual(['phase_0_mainnet_disabled', 'a.network']);
  });

  it('is found in header and query', () => {
    const many = Array.from({ length: 200 }, () => 'stellar_testnet');
    const header = [...many, 'base_mainnet'].join(',');
    expect(told({ headers: { 'x-svc-network': header } })).toEqual(['phase_0_mainnet_disabled', 'x-svc-network']);
    const url = `/?${[...many, 'base_mainnet'].map((name) => `network=${name}`).join('&')}`;
    expect(told({ url })).toEqual(['phase_0_mainnet_disabled', 'network']);
  });
});

describe('networks in a query', () => {
  const part = fc.constantFrom(
    'network',
    'n%65twork',
    '%6E%65%74%77%6F%72%6B',
    'Network',
    'networks',
    'netw%6',
    '=',
    '&',
    '+',
    '%20',
    '%41',
    'x',
    '%',
  );

  it('are those that a URL has there', () => {
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const query = parts.join('');
        const names = networksBesideBody({ headers: {}, url: `/?${query}` }).map(({ name }) => name);
        expect(names).toEqual(new URLSearchParams(query).getAll('network'));
      }),
      { numRuns: 2_000 },
    );
  });
});
