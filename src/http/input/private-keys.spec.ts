import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { base58 } from '@scure/base';
import nacl from 'tweetnacl';
import { notedIssues } from './input-issues';
import { parseJsonBody } from './json-body';
import { isPrivateKey, namesPrivateKey } from './private-keys';

const SEED = 'SCZANGBA5YHTNYVVV4C3U252E2B6P6F5T3U6MM63WBSBZATAQI3EBTQ4';
const JWK = JSON.stringify({ kty: 'OKP', d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A', crv: 'Ed25519', x: 'x' });
const PEM = '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----';

/** Key and public key, as Solana wallets export them; the last byte of the public key is what tells most of them from signatures. */
const solanaKeys = Array.from({ length: 300 }, (_, at) => {
  const seed = createHash('sha256').update(`seed ${at}`).digest();
  // Three hundred keys by tweetnacl take seconds.
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const publicKey = createPublicKey(createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }));
  return new Uint8Array(Buffer.concat([seed, publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)]));
});
const SIGNATURE = nacl.sign.detached(Buffer.from('a transaction'), solanaKeys[0] ?? new Uint8Array(64));

describe('a private key', () => {
  it('looks like a Solana key in base58, whichever it is', () => {
    const [plain = [], alike = []] = [false, true].map((isAlike) =>
      solanaKeys.filter((key) => (key[63] ?? 0) <= 0x10 === isAlike).map((key) => base58.encode(key)),
    );
    expect([plain.length > 200, alike.length > 3]).toEqual([true, true]);
    expect([...plain, ...alike].filter((key) => !isPrivateKey(key) || !isPrivateKey(` ${key}\n`))).toEqual([]);
  });

  it('is not what digests, ids and signatures look like', () => {
    const alike = Array.from({ length: 2_000 }, (_, at) => {
      const digest = createHash('sha512').update(`thing ${at}`).digest();
      return [16, 20, 25, 26, 32, 48, 64].flatMap((length) => {
        const hex = digest.toString('hex', 0, length);
        return [hex, hex.toUpperCase(), `0x${hex}`, `sha256:${hex}`, digest.toString('base64url', 0, length)];
      });
    }).flat();
    expect(alike.filter((text) => isPrivateKey(text))).toEqual([]);
    expect(isPrivateKey(base58.encode(SIGNATURE))).toBe(false);
  });

  it('is distinguished from signatures by deriving its public key, four times per body', () => {
    const alike = base58.encode(solanaKeys.find((key) => (key[63] ?? 0) <= 0x10) ?? SIGNATURE);
    const found = (before: number): readonly string[] => {
      const texts = [...Array<string>(before).fill(base58.encode(SIGNATURE)), alike];
      return notedIssues(parseJsonBody(Buffer.from(JSON.stringify({ texts })))).map(({ field }) => field);
    };
    expect([found(3), found(4)]).toEqual([['texts.3'], []]);
    // After a hundred texts nothing of that shape is looked at any more, and all of it is refused.
    expect(found(102)).toEqual(['texts.100', 'texts.101', 'texts.102']);
  });

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

  it('is searched for by decoding a hundred texts of a body; after that, whatever looks like one counts as one', () => {
    const alike = 'QAABRVQMX4HW5QZ2EGLQDQCQTKRF3UP3JKDGKYPCXM26AVV35KQA';
    const found = (count: number): readonly string[] =>
      notedIssues(parseJsonBody(Buffer.from(JSON.stringify({ hashes: Array(count).fill(alike) })))).map(
        ({ field }) => field,
      );
    expect(found(100)).toEqual([]);
    expect(found(102)).toEqual(['hashes.100', 'hashes.101']);
  });
});
