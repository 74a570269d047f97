import { checkConsistency, type ConsistencyProof } from './check-proof';
import { leafHash } from './leaf';
import { checkpointOf, consistencyOf, eventOf, keyFrom, shown } from './signed-log.fixtures';
import { keyIsPinned, NEVER_PROVEN, unpinned } from './verdict';

const key = keyFrom('a');
const evil = keyFrom('x');
const trusted = { trustedKeys: [key.key_id] };
const log = [1, 2, 3].map((version) => eventOf('merchant-1', version, 'Changed', {}));
const third = log.slice(2).map((event) => Buffer.from(leafHash(event)).toString('hex'));
const [older, newer] = [checkpointOf(log.slice(0, 2), key), checkpointOf(log, key)];
const honest = consistencyOf(older, newer, key, third);

describe('a consistency proof', () => {
  it('holds if the newer log is the older one with events added, and says what it leaves open', () => {
    const [known, unknown] = [checkConsistency(honest, trusted), checkConsistency(honest)];
    expect([known.ok, known.problems]).toEqual([true, []]);
    expect(known.proven).toEqual([
      keyIsPinned(true, key.key_id),
      expect.stringContaining('holds the 2 events that were signed at'),
    ]);
    expect(known.proven[1]).toContain('and 1 more');
    expect(known.notProven).toEqual([expect.stringContaining(`compare its root, ${older.root}`), ...NEVER_PROVEN]);
    expect(unknown.proven[0]).toBe(keyIsPinned(false, key.key_id));
    expect(unknown.notProven).toEqual([...unpinned(false, key.key_id), ...known.notProven]);
  });

  const other = checkpointOf([log[1], log[0]] as typeof log, key);
  const both = [shown(key), shown(evil)];
  const unsigned = '0'.repeat(128);
  it.each<[string, ConsistencyProof]>([
    ['the older log was another', { ...honest, from: other }],
    ['the newer log is another', { ...honest, to: checkpointOf([...log].reverse(), key) }],
    ['two logs of one size differ', { ...honest, from: other, to: older, proof: [] }],
    ['the newer log is the shorter one', { ...honest, from: newer, to: older }],
    ['its path is missing', { ...honest, proof: [] }],
    ['its path is too long', { ...honest, proof: [...third, ...third] }],
    ['nobody signed the older log', { ...honest, from: { ...older, signature: unsigned } }],
    ['nobody signed the newer log', { ...honest, to: { ...newer, signature: unsigned } }],
    ['the older log has no signature', { ...honest, from: { ...older, signature: '' } }],
    ['somebody else signed the older log', { ...honest, keys: both, from: checkpointOf(log.slice(0, 2), evil) }],
    ['somebody else signed the newer log', { ...honest, keys: both, to: checkpointOf(log, evil) }],
    ['the key is missing', { ...honest, keys: [] }],
    ['a key goes by the id of another', { ...honest, keys: [{ ...shown(evil), key_id: key.key_id }] }],
    ['it carries more', { ...honest, note: 'x' } as never],
    ['the older checkpoint carries more', { ...honest, from: { ...older, note: 'x' } as never }],
    ['the newer checkpoint carries more', { ...honest, to: { ...newer, note: 'x' } as never }],
  ])('does not hold if %s', (_, proof) => {
    const { ok, problems, proven } = checkConsistency(proof, trusted);
    expect([ok, problems.length > 0, proven]).toEqual([false, true, []]);
  });
});
