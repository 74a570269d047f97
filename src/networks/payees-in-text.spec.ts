import { StrKey } from '@stellar/stellar-base';
import { type AllowedPayee, networks, payeesInTexts } from '.';
import { paymentUri } from './payment-uri';
import { vectors } from './vectors.fixtures';

const PINNED = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
const OTHER = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
const BYTES = Buffer.from(Array.from({ length: 32 }, (_, at) => at));
const CONTRACT = StrKey.encodeContract(BYTES);
const MUXED = StrKey.encodeMed25519PublicKey(Buffer.concat([BYTES, Buffer.alloc(8, 1)]));
const facts = {
  ...{ network: 'stellar_testnet', asset: 'XLM', address: PINNED, memo: null, contract: null, issuer: null },
  ...{ decimals: 7, chain_id: null },
};
const LINK = paymentUri(facts, '1') ?? '';
const allowed = { addresses: [PINNED, null], link: LINK };
const holdsPayee = (text: string, network = 'stellar_testnet', but: AllowedPayee = allowed): boolean =>
  payeesInTexts([text], [network], 1, but).length > 0;
const nobody = { addresses: [], link: null };
/** Without a checksum, an order number or a hash of a transaction may look the same. */
const WITHOUT_CHECKSUM = ['solana_mainnet', 'sui_mainnet', 'aptos_mainnet', 'starknet_mainnet', 'hedera_mainnet'];

describe('a text for a payment on Stellar', () => {
  it.each([
    OTHER,
    `Please pay to ${OTHER} instead.`,
    `to:${OTHER}`,
    `to_${OTHER}_now`,
    `https://pay.example/?to=${OTHER}&amount=1`,
    `${PINNED},${OTHER}`,
    `G\u200b${OTHER.slice(1)}`,
    OTHER.replace('GA5', 'ＧＡ５'),
    CONTRACT,
    `pay ${MUXED}`,
    LINK.replace(PINNED, OTHER),
    LINK.replace('amount=1', 'amount=2'),
    'web+stellar:tx?xdr=AAAA',
    'open BITCOIN:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4?amount=1',
    'ethereum:vitalik.eth@1?value=1',
  ])('may not hold another payee: %s', (text) => expect(holdsPayee(text)).toBe(true));

  it.each([
    '',
    PINNED,
    `${PINNED.toLowerCase()}`,
    `Paid to ${PINNED}, as agreed`,
    LINK,
    `Or open ${LINK}.`,
    // No address: the checksum is wrong, or something is missing.
    OTHER.replace('GA5', 'GA6'),
    OTHER.slice(0, -1),
    `X2${OTHER}`,
    'Order 1017, table 4: two coffees',
    'G'.repeat(56),
    'c0ffee'.repeat(10),
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    'Bitcoin: a peer-to-peer electronic cash system',
    'ton: 3',
    'solana:devnet',
    'mailto:someone@shop.example?subject=pay',
    'https://shop.example/?pay=1',
  ])('may be %s', (text) => expect(holdsPayee(text)).toBe(false));

  it('says which texts', () =>
    expect(payeesInTexts([OTHER, 'a', `b ${OTHER}`, PINNED, OTHER], ['stellar_testnet'], 2, allowed)).toEqual([0, 2]));

  it('is checked against every network it is asked about, and against no other', () => {
    const evm = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    expect(payeesInTexts([OTHER, evm], ['stellar_testnet', 'ethereum_mainnet'], 9)).toEqual([0, 1]);
    expect(payeesInTexts([OTHER, evm], ['nowhere'], 9)).toEqual([]);
  });
});

describe.each(networks.map(({ name }) => name))('on %s', (name) => {
  const { good, unprotected = [] } = vectors[name];

  it('every address is found where it is the whole text', () => {
    for (const address of [...good, ...unprotected])
      expect([address, holdsPayee(` ${address}\n`, name, nobody)]).toEqual([address, true]);
  });

  it(`every address with a checksum is found inside a text, others are not taken for one`, () => {
    const isProtected = !WITHOUT_CHECKSUM.includes(name);
    for (const address of good)
      expect([address, holdsPayee(`Send it to ${address}.`, name, nobody)]).toEqual([address, isProtected]);
  });

  it('the payee itself is allowed', () => {
    for (const address of good)
      expect(
        payeesInTexts([`Send it to ${address}.`, address], [name], 9, { addresses: [address], link: null }),
      ).toEqual([]);
  });
});

it('a body with very many texts that look like addresses is refused, as one of them may be', () => {
  const texts = Array.from(
    { length: 300 },
    (_, at) =>
      `G${'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.slice(at % 26)}${'A'.repeat(60)}`.slice(0, 53) +
      'AB'[at & 1] +
      'CD'[(at >> 1) & 1] +
      'EF'[(at >> 2) & 1],
  );
  const found = payeesInTexts([...new Set(texts)], ['stellar_testnet'], 999);
  expect(found[0]).toBeGreaterThanOrEqual(99);
});
