import fc from 'fast-check';
import { anyCharacter } from '../../test/support/any-character';
import { type PaymentFactsInput, checkPaymentFacts, networkNames, networks } from './index';
import { vectors } from './vectors.fixtures';

const EVM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const BASE_USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const ETHEREUM_USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const SOME_TOKEN = '0x6B175474E89094C44Da98b954EedeAC495271d0F';
const BROKEN_TOKEN = SOME_TOKEN.replace('Dd', 'dD').replace('Da9', 'da9');
const STELLAR = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
const ISSUER = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
const XRPL = 'r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59';

const stellar = { network: 'stellar_testnet', asset: 'XLM', address: STELLAR };
const ethereum = { network: 'ethereum_mainnet', asset: 'ETH', address: EVM };
const base = { network: 'base_mainnet', asset: 'USDC', address: EVM };

const factsOf = (input: PaymentFactsInput) => {
  const answer = checkPaymentFacts(input);
  return answer.ok ? answer.facts : answer.issues;
};
const problemsOf = (input: PaymentFactsInput): readonly string[] => {
  const answer = checkPaymentFacts(input);
  return answer.ok ? [] : answer.issues.map(({ field, code }) => `${field}: ${code}`);
};
const addressOn = (network: (typeof networkNames)[number]): string =>
  [...vectors[network].good, ...(vectors[network].unprotected ?? [])][0] ?? '';

describe('payment facts', () => {
  it('of every native asset are what the table says', () => {
    for (const network of networks.filter(({ native }) => native.rail !== undefined)) {
      const { asset, decimals, rail } = network.native;
      const address = addressOn(network.name);
      expect(factsOf({ network: network.name, asset, address })).toEqual({
        rail,
        network: network.name,
        asset,
        address,
        decimals,
        ...(network.chainId === undefined ? {} : { chain_id: network.chainId }),
      });
    }
  });

  it('fill in the contract of USDC on Base', () => {
    const facts = {
      rail: 'base_usdc',
      network: 'base_mainnet',
      asset: 'USDC',
      address: EVM,
      contract: BASE_USDC,
      decimals: 6,
      chain_id: 8453,
    };
    expect(factsOf(base)).toEqual(facts);
    expect(factsOf({ ...base, contract: BASE_USDC })).toEqual(facts);
  });

  it('put other tokens on the ERC-20 rail', () => {
    expect(factsOf({ ...ethereum, asset: 'USDC', contract: ETHEREUM_USDC })).toMatchObject({
      rail: 'evm_erc20',
      decimals: 6,
    });
    expect(factsOf({ ...ethereum, asset: 'DAI', contract: SOME_TOKEN })).toEqual({
      rail: 'evm_erc20',
      network: 'ethereum_mainnet',
      asset: 'DAI',
      address: EVM,
      contract: SOME_TOKEN,
      chain_id: 1,
    });
    expect(factsOf({ ...base, asset: 'DAI', contract: SOME_TOKEN })).toMatchObject({
      rail: 'evm_erc20',
      chain_id: 8453,
    });
    const bsc = {
      network: 'bsc_mainnet',
      asset: 'USDT',
      address: EVM,
      contract: '0x55d398326f99059fF775485246999027B3197955',
    };
    expect(factsOf(bsc)).toMatchObject({ rail: 'evm_erc20', decimals: 18 });
  });

  it('name Stellar credit by code and issuer', () => {
    expect(factsOf({ ...stellar, asset: 'USDC', issuer: ISSUER, memo: 'order 17' })).toEqual({
      rail: 'stellar_xlm',
      network: 'stellar_testnet',
      asset: 'USDC',
      address: STELLAR,
      memo: 'order 17',
      issuer: ISSUER,
      decimals: 7,
    });
  });

  it.each(['toLowerCase', 'toUpperCase'] as const)(
    'takes EVM addresses in one case (%s), spelt with checksum',
    (way) => {
      const one = (text: string): string => `0x${text.slice(2)[way]()}`;
      const asked = { ...base, address: one(base.address), contract: one(BASE_USDC) };
      expect(checkPaymentFacts(asked)).toMatchObject({
        ok: true,
        facts: { rail: 'base_usdc', address: base.address, contract: BASE_USDC },
      });
      const other = checkPaymentFacts({ ...ethereum, asset: 'DAI', contract: one(SOME_TOKEN) });
      expect(other).toMatchObject({ ok: true, facts: { contract: SOME_TOKEN } });
    },
  );

  it.each([
    ['0x48fa41160cf328a766fd6528915aa5836be1a1548b6da62201ba1c7175736ba'],
    ['0x048fa41160cf328a766fd6528915aa5836be1a1548b6da62201ba1c7175736ba'],
  ])('keep a Starknet address with all its digits: %s', (address) =>
    expect(checkPaymentFacts({ network: 'starknet_mainnet', asset: 'STRK', address })).toMatchObject({
      ok: true,
      facts: { address: '0x048fa41160cf328a766fd6528915aa5836be1a1548b6da62201ba1c7175736ba' },
    }),
  );

  it.each<[string, PaymentFactsInput, readonly string[]]>([
    ['ETH on Base, which has no rail', { ...base, asset: 'ETH' }, ['asset: asset_not_supported']],
    ['a stranger’s contract called USDC', { ...base, contract: SOME_TOKEN }, ['contract: contract_mismatch']],
    ['the same in small letters', { ...base, asset: 'usdc', contract: SOME_TOKEN }, ['contract: contract_mismatch']],
    ['USDC’s contract under another name', { ...base, asset: 'DAI', contract: BASE_USDC }, ['asset: asset_mismatch']],
    ['a symbol in the wrong case', { ...base, asset: 'usdc' }, ['asset: asset_mismatch']],
    ['another network’s USDC', { ...ethereum, asset: 'USDC', contract: BASE_USDC }, ['contract: contract_mismatch']],
    ['a token without contract', { ...ethereum, asset: 'USDC' }, ['contract: contract_required']],
    ['a native asset with contract', { ...ethereum, contract: SOME_TOKEN }, ['contract: contract_not_accepted']],
    [
      'a contract with a broken checksum',
      { ...ethereum, asset: 'DAI', contract: BROKEN_TOKEN },
      ['contract: checksum_mismatch'],
    ],
    ['an empty contract', { ...ethereum, asset: 'DAI', contract: '' }, ['contract: invalid_address']],
    ['an invalid symbol', { ...ethereum, asset: 'D AI', contract: SOME_TOKEN }, ['asset: asset_not_supported']],
    ['an issuer on an EVM network', { ...ethereum, issuer: ISSUER }, ['issuer: issuer_not_accepted']],
    ['payment to the token itself', { ...base, address: BASE_USDC }, ['address: unusable_address']],
    ['XLM with an issuer', { ...stellar, issuer: ISSUER }, ['issuer: issuer_not_accepted']],
    ['credit that reads as XLM', { ...stellar, asset: 'xlm', issuer: ISSUER }, ['asset: asset_mismatch']],
    ['a token that reads as ETH', { ...ethereum, asset: 'Eth', contract: SOME_TOKEN }, ['asset: asset_mismatch']],
    ['XLM in small letters', { ...stellar, asset: 'xlm' }, ['asset: asset_mismatch', 'issuer: issuer_required']],
    ['credit without issuer', { ...stellar, asset: 'USDC' }, ['issuer: issuer_required']],
    [
      'credit with a broken issuer',
      { ...stellar, asset: 'USDC', issuer: `${ISSUER.slice(0, -1)}A` },
      ['issuer: checksum_mismatch'],
    ],
    ['a code of thirteen', { ...stellar, asset: 'ABCDEFGHIJKLM', issuer: ISSUER }, ['asset: asset_not_supported']],
    ['a contract on Stellar', { ...stellar, contract: SOME_TOKEN }, ['contract: contract_not_accepted']],
    [
      'a token on the XRP Ledger',
      { network: 'xrpl_mainnet', asset: 'USD', address: XRPL, issuer: XRPL },
      ['asset: asset_not_supported', 'issuer: issuer_not_accepted'],
    ],
    [
      'a contract on Bitcoin',
      { network: 'bitcoin_mainnet', asset: 'BTC', address: addressOn('bitcoin_mainnet'), contract: EVM },
      ['contract: contract_not_accepted'],
    ],
    ['an unknown network', { ...stellar, network: 'stellar' }, ['network: unknown_network']],
    [
      'nothing at all',
      { network: '', asset: '', address: '' },
      ['network: required', 'asset: required', 'address: required'],
    ],
  ])('refuse %s', (_what, input, problems) => {
    expect(problemsOf(input)).toEqual(problems);
  });

  it('list every problem at once', () => {
    const input = {
      ...stellar,
      asset: 'not a code',
      address: `${STELLAR}A`,
      memo: 'x'.repeat(29),
      contract: EVM,
      issuer: 'G',
    };
    expect(problemsOf(input)).toEqual([
      'asset: asset_not_supported',
      'contract: contract_not_accepted',
      'issuer: invalid_address',
      'address: invalid_address',
      'memo: invalid_memo',
    ]);
  });

  it('warn of a secret in any field, even where the network is unknown', () => {
    const seed = 'snoPBrXtMeMyMHUVTgbuqAfg1SUTb';
    const answer = checkPaymentFacts({
      network: 'nowhere',
      asset: 'XLM',
      address: seed,
      memo: seed,
      contract: seed,
      issuer: seed,
    });
    expect(answer).toMatchObject({ ok: false });
    expect(JSON.stringify(answer)).not.toContain(seed);
    expect(problemsOf({ network: 'nowhere', asset: 'XLM', address: STELLAR, memo: seed })).toEqual([
      'network: unknown_network',
      'memo: secret_not_accepted',
    ]);
  });

  it('never throw and always explain, whatever is sent', () => {
    const word = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom(...networkNames, STELLAR, EVM, BASE_USDC, 'USDC', 'XLM', 'ETH'),
    );
    const input = fc.record({
      network: fc.oneof(fc.constantFrom(...networkNames), word),
      asset: word,
      address: word,
      memo: fc.option(word, { nil: undefined }),
      contract: fc.option(word, { nil: undefined }),
      issuer: fc.option(word, { nil: undefined }),
    });
    fc.assert(
      fc.property(input, (facts) => {
        const answer = checkPaymentFacts(facts);
        const explained = answer.ok || answer.issues.every(({ code, field, message }) => code && field && message);
        expect(explained && (answer.ok || answer.issues.length > 0)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
