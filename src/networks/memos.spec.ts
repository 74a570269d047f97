import { type NetworkName, checkPaymentFacts, networks } from './index';
import { vectors } from './vectors.fixtures';

describe('memos', () => {
  const problems = (network: NetworkName, memo: string): readonly string[] => {
    const [address = ''] = [...vectors[network].good, ...(vectors[network].unprotected ?? [])];
    const asset = networks.find(({ name }) => name === network)?.native.asset ?? '';
    const answer = checkPaymentFacts({ network, asset, address, memo });
    return answer.ok ? [] : answer.issues.map(({ field, code }) => `${field}: ${code}`);
  };

  it.each<[NetworkName, string, string]>([
    ['stellar_testnet', 'é'.repeat(14), 'é'.repeat(15)],
    ['solana_mainnet', 'a'.repeat(566), 'a'.repeat(567)],
    ['cosmos_hub', 'a'.repeat(256), 'a'.repeat(257)],
    ['hedera_mainnet', '€'.repeat(33), '€'.repeat(34)],
    ['ton_mainnet', 'a'.repeat(123), 'a'.repeat(124)],
    ['algorand_mainnet', 'a'.repeat(1000), 'a'.repeat(1001)],
    ['xrpl_mainnet', '4294967295', '4294967296'],
    ['xrpl_mainnet', '0', '00'],
    ['internet_computer', '18446744073709551615', '18446744073709551616'],
  ])('on %s have their bound', (network, most, more) => {
    expect(problems(network, most)).toEqual([]);
    expect(problems(network, more)).toEqual(['memo: invalid_memo']);
  });

  it.each(['-1', '+1', '1.0', '1e3', '0x10', ' 1', '', '007', '１'])('refuse %j as destination tag', (memo) => {
    expect(problems('xrpl_mainnet', memo)).toEqual(['memo: invalid_memo']);
  });

  it.each(['', ' x', 'x ', 'a\nb', 'a\u0000b', 'a\u202eb', '\ud800'])('refuse %j as text', (memo) => {
    expect(problems('stellar_testnet', memo)).toEqual(['memo: invalid_memo']);
  });

  it('refuse a secret, which would be published', () => {
    const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
    expect(problems('cosmos_hub', phrase)).toEqual(['memo: secret_not_accepted']);
  });

  it('are refused where the chain has none', () => {
    const without = networks.filter(({ memo, native }) => memo.kind === 'none' && native.rail !== undefined);
    expect(without.map(({ name }) => problems(name, '17'))).toEqual(without.map(() => ['memo: memo_not_accepted']));
    expect(networks.filter(({ memo }) => memo.kind !== 'none').map(({ name }) => name)).toEqual([
      'stellar_public',
      'solana_mainnet',
      'xrpl_mainnet',
      'ton_mainnet',
      'cosmos_hub',
      'hedera_mainnet',
      'algorand_mainnet',
      'internet_computer',
      'stellar_testnet',
    ]);
  });
});
