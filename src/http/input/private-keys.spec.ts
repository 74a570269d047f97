import { notedIssues } from './input-issues';
import { parseJsonBody } from './json-body';
import { isPrivateKey, namesPrivateKey } from './private-keys';

const SEED = 'SCZANGBA5YHTNYVVV4C3U252E2B6P6F5T3U6MM63WBSBZATAQI3EBTQ4';
const JWK = JSON.stringify({ kty: 'OKP', d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A', crv: 'Ed25519', x: 'x' });
const PEM = '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----';

describe('a private key', () => {
  it.each([
    'private_key',
    'privateKey',
    'PRIVATE-KEY',
    'agent_private_key',
    'privKey',
    'secret_key',
    'seed_phrase',
    'mnemonic',
  ])('is known by its name %s', (name) => expect(namesPrivateKey(name, 'whatever')).toBe(true));
  it.each([
    'public_key',
    'idempotency_key',
    'connect_key',
    'key',
    'seedling',
    'private',
    'secretary',
    'monkey',
    'token',
  ])('is not called %s', (name) => expect(namesPrivateKey(name, 'x'.repeat(64))).toBe(false));
  it('is not there when somebody says that one is', () => {
    expect([true, 1, null].map((value) => namesPrivateKey('has_private_key', value))).toEqual([false, false, false]);
  });
  it('is a seed when it is long enough for one', () => {
    expect(['tomato', 'x'.repeat(32), [1, 2]].map((value) => namesPrivateKey('seed', value))).toEqual([
      false,
      true,
      true,
    ]);
  });

  it.each<[string, unknown]>([
    ['a Stellar seed', SEED],
    ['a Stellar seed in a sentence', `pay with ${SEED}, please`],
    ['a PEM', PEM],
    ['an encrypted PEM', PEM.replaceAll('PRIVATE', 'ENCRYPTED PRIVATE')],
    ['a JWK', { kty: 'OKP', crv: 'Ed25519', d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A', x: 'x' }],
    ['a JWK as text', JWK],
    ['a JWK as text, as Python shows it', JWK.replaceAll('"', "'")],
    ['a JWK as text in text', JSON.stringify(JSON.stringify({ key: JWK }))],
    ['a JWK as text in a sentence', `my key is ${JWK}.`],
    ['a set of JWK as text', `{ "keys": [ { "d" : "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A", "kty": "OKP" } ] }`],
    ['a recovery phrase', `${'abandon '.repeat(11)}about`],
    ['a recovery phrase word by word', [...Array<string>(11).fill('abandon'), 'about']],
    ['a WIF', '5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ'],
    ['a key file', Array.from({ length: 64 }, (_, at) => at)],
  ])('looks like %s', (_, value) => expect(isPrivateKey(value)).toBe(true));
  it.each<[string, unknown]>([
    ['a Stellar account', 'GBRPYHIL2CI3FNQ4BXLFMNDLFJUNPU2HY3ZMFSHONUCEOASW7QC7OX2H'],
    ['a public JWK', { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }],
    ['a PEM of a public key', PEM.replaceAll('PRIVATE', 'PUBLIC')],
    ['a transaction’s hash', 'ab'.repeat(32)],
    ['a hash on Algorand with the shape of a WIF', 'QAABRVQMX4HW5QZ2EGLQDQCQTKRF3UP3JKDGKYPCXM26AVV35KQA'],
    ['twelve words', 'please send seven boxes with green paint before the next long weekend'],
    ['a list of numbers', [1, 2, 3]],
    ['a list of words', Array<string>(12).fill('abandon')],
    ['a public JWK as text', JWK.replace(/"d":"[^"]*",/, '')],
    ['a word about JWKs', 'a JWK has "kty", and "d": the private part, which nobody is to be sent'],
    ['an object with a letter d', { d: 'x', name: 'y' }],
    ['a text with a letter d and a token’s name', '{"d":"deposit-2026-11-16-0077","pool":"crvUSD/USDC"}'],
  ])('does not look like %s', (_, value) => expect(isPrivateKey(value)).toBe(false));

  it('is looked for by decoding in a hundred texts of a body; after that what looks like one is taken for one', () => {
    const alike = 'QAABRVQMX4HW5QZ2EGLQDQCQTKRF3UP3JKDGKYPCXM26AVV35KQA';
    const found = (count: number): readonly string[] =>
      notedIssues(parseJsonBody(Buffer.from(JSON.stringify({ hashes: Array(count).fill(alike) })))).map(
        ({ field }) => field,
      );
    expect(found(100)).toEqual([]);
    expect(found(102)).toEqual(['hashes.100', 'hashes.101']);
  });
});
