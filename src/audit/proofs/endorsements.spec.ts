import nacl from 'tweetnacl';
import { endorsementBytes, keyIdOf } from './checkpoint';
import { type Endorsement, trustedIds } from './endorsements';
import { formProblems } from './file-form';

const keyFrom = (letter: string) => {
  const { publicKey, secretKey } = nacl.sign.keyPair.fromSeed(Buffer.alloc(32, letter));
  const public_key = Buffer.from(publicKey).toString('hex');
  return { key_id: keyIdOf(public_key), public_key, secretKey };
};
type Key = ReturnType<typeof keyFrom>;

const [first, second, third, evil, accomplice] = ['a', 'b', 'c', 'x', 'y'].map(keyFrom) as [Key, Key, Key, Key, Key];

function endorsed(by: Key, { key_id, public_key }: Key): Endorsement {
  const about = { key_id, public_key, by_key_id: by.key_id };
  const signature = Buffer.from(nacl.sign.detached(endorsementBytes(about), by.secretKey)).toString('hex');
  return { ...about, by_public_key: by.public_key, signature };
}
const shown = ({ key_id, public_key }: Key) => ({ key_id, public_key });
const isTrusted = (key: Key, endorsements: readonly Endorsement[], named = first.key_id, keys = [shown(key)]) =>
  trustedIds({ keys, endorsements }, [named])?.has(key.key_id);

describe('the keys that follow from one that is trusted', () => {
  const chain = [endorsed(first, second), endorsed(second, third)];

  it('are those it has signed for, through any number of rotations and in any order of the file', () => {
    expect([isTrusted(second, chain), isTrusted(third, chain), isTrusted(third, [...chain].reverse())]).toEqual([
      true,
      true,
      true,
    ]);
    expect(isTrusted(third, chain, first.public_key)).toBe(true);
  });

  it('are itself alone in files from before', () => {
    expect(trustedIds({ keys: [shown(first), shown(second)] }, [first.key_id])).toEqual(new Set([first.key_id]));
    expect(trustedIds({ keys: [shown(first)] }, undefined)).toBeUndefined();
  });

  it('are not those before it', () => {
    expect(isTrusted(first, chain, third.key_id)).toBe(false);
  });

  it('are none where two follow each other only', () => {
    expect(isTrusted(evil, [endorsed(evil, accomplice), endorsed(accomplice, evil)])).toBe(false);
  });

  it.each<[string, readonly Endorsement[]]>([
    ['a link is missing', [endorsed(second, evil)]],
    ['somebody else signed', [{ ...endorsed(evil, evil), by_key_id: first.key_id, by_public_key: first.public_key }]],
    ['the key was exchanged', [{ ...endorsed(first, second), key_id: evil.key_id, public_key: evil.public_key }]],
    ['the signature is malformed', [{ ...endorsed(first, evil), signature: 'f'.repeat(127) }]],
    ['a key goes by the id of the trusted one', [{ ...endorsed(evil, evil), by_key_id: first.key_id }]],
    // The trusted key under the id of another, which then signs under its own.
    [
      'the trusted key is borrowed',
      [{ ...endorsed(first, second), by_key_id: accomplice.key_id }, endorsed(accomplice, evil)],
    ],
  ])('are none where %s', (_, endorsements) => {
    expect(isTrusted(evil, endorsements)).toBe(false);
    expect(isTrusted(evil, endorsements, first.public_key)).toBe(false);
  });

  it('are none where the trusted key stands under the id of another', () => {
    const keys = [{ key_id: accomplice.key_id, public_key: first.public_key }, shown(evil)];
    expect(isTrusted(evil, [endorsed(accomplice, evil)], first.public_key, keys)).toBe(false);
  });
});

describe('a file of a log whose key was rotated', () => {
  const file = {
    format: 'x',
    keys: [shown(third), shown(second)],
    endorsements: [endorsed(first, second), endorsed(second, third)],
  };
  const text = JSON.stringify(file);
  const problemsOf = (changed: string) => [...formProblems(JSON.parse(changed) as typeof file, ['format'])];

  it('has no problem as it is', () => {
    expect(problemsOf(text)).toEqual([]);
  });

  it('cannot be changed in any of its names, keys and signatures, also where nobody named a key', () => {
    // The first of each word.
    const letters = [...text.matchAll(/\w+/g)].map(({ 0: word, index: at }) => [word.charAt(0), at] as const);
    const unseen = letters.filter(([letter, at]) => {
      const changed = `${text.slice(0, at)}${letter === '0' ? '1' : '0'}${text.slice(at + 1)}`;
      try {
        return problemsOf(changed).length === 0;
      } catch {
        return false;
      }
    });
    const format = text.indexOf('"x"') + 1;
    expect(unseen).toEqual([['x', format]]);
  });

  it('may not carry more than can be looked at', () => {
    // Half a signature is refused without any arithmetic.
    const endorsements = Array.from({ length: 401 }, () => ({
      ...(file.endorsements[0] as Endorsement),
      signature: 'ab'.repeat(32),
    }));
    const [problem, ...others] = problemsOf(JSON.stringify({ ...file, endorsements }));
    expect(problem).toBe('it has more than 400 endorsements');
    expect(others).toHaveLength(400);
  });
});
