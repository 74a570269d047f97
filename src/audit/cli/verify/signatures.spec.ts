import { checkpointOf, keyFrom, signedBy } from '../../proofs/signed-log.fixtures';
import { endorsementBytes } from '../../proofs';
import { type RecordedEvent } from '../../../platform/event-store/event-store.port';
import { Findings } from './findings';
import { SignatureCheck } from './signatures';

const [first, second, evil] = ['a', 'b', 'x'].map(keyFrom) as [Key, Key, Key];
type Key = ReturnType<typeof keyFrom>;

const event = (type: string, data: object): RecordedEvent =>
  ({ stream: 's', version: 1, type, data, metadata: { event_id: 'evt_1' } }) as unknown as RecordedEvent;
const published = ({ key_id, public_key }: Key, changes: object = {}) =>
  event('SigningKeyPublished', { key_id, public_key, ...changes });
const endorsed = ({ key_id, public_key }: Key, by: Key, changes: object = {}) => {
  const about = { key_id, public_key, by_key_id: by.key_id };
  return event('SigningKeyEndorsed', { ...about, signature: signedBy(by, endorsementBytes(about)), ...changes });
};
const checkpoint = (key: Key, changes: object = {}) =>
  event('CheckpointSigned', { ...checkpointOf([], key, { tree_size: 7 }), ...changes });

function said(trustedKeys: readonly string[] | undefined, ...events: readonly RecordedEvent[]): readonly string[] {
  const findings = new Findings();
  const check = new SignatureCheck(findings, trustedKeys);
  for (const one of events) check.check(one);
  return findings.kept.map(({ what }) => what);
}

describe('what verify says of checkpoints and keys', () => {
  const untrusted = (key: Key) => [`key ${key.key_id} is not one of those you trust`];

  it('finds nothing where each is signed by a key from before it, and counts them', () => {
    for (const keys of [undefined, [first.key_id], [first.public_key], ['other', first.key_id]])
      expect(said(keys, published(first), checkpoint(first))).toEqual([]);
    const check = new SignatureCheck(new Findings());
    for (const size of [7, 3]) {
      check.check(published(first));
      check.check(event('CheckpointSigned', checkpointOf([], first, { tree_size: size })));
    }
    expect([check.checkpoints, check.covered]).toEqual([2, 7]);
  });

  it('finds a key that was not published by then, and one under the id of another', () => {
    const unknown = [`key ${first.key_id} was never published`];
    expect(said(undefined, checkpoint(first), published(first))).toEqual(unknown);
    expect(said(undefined, published(second), checkpoint(first))).toEqual(unknown);
    const borrowed = published(evil, { key_id: first.key_id });
    expect(said([first.key_id], borrowed, checkpoint(evil, { key_id: first.key_id }))).toContain(
      `key ${first.key_id} is not what its id says`,
    );
  });

  it.each([
    { tree_size: 8 },
    { root: '0'.repeat(64) },
    { origin: 'o' },
    { time: 't' },
    { signature: '' },
    { signature: 'x' },
  ])('finds a checkpoint that was changed: %j', (changes) => {
    expect(said(undefined, published(first), checkpoint(first, changes))).toEqual([
      'the signature does not match its content',
    ]);
  });

  it('finds a key that nobody trusts, unless one that is trusted has endorsed it before', () => {
    const start = [published(first), published(second)];
    expect(said([first.key_id], ...start, checkpoint(second))).toEqual(untrusted(second));
    expect(said([first.key_id], ...start, endorsed(second, first), checkpoint(second))).toEqual([]);
    expect(said([first.key_id], ...start, checkpoint(second), endorsed(second, first))).toEqual(untrusted(second));
    // Not the other way round, and not by somebody whom nobody trusts.
    expect(said([second.key_id], ...start, endorsed(second, first), checkpoint(first))).toEqual(untrusted(first));
    const strangers = [published(evil), ...start, endorsed(second, evil), checkpoint(second)];
    expect(said([first.key_id], ...strangers)).toEqual(untrusted(second));
    const third = keyFrom('c');
    const chain = [...start, published(third), endorsed(second, first), endorsed(third, second), checkpoint(third)];
    expect(said([first.key_id], ...chain)).toEqual([]);
  });

  it.each<[string, RecordedEvent]>([
    ['nobody signed', endorsed(second, first, { signature: '' })],
    ['another signed', endorsed(second, evil, { by_key_id: first.key_id })],
    ['was for another key', endorsed(evil, first, { key_id: second.key_id, public_key: second.public_key })],
    ['names the key of another id', endorsed(evil, first, { key_id: second.key_id })],
    ['is by a key that is not there', endorsed(second, evil)],
  ])('finds an endorsement that %s', (_, endorsement) => {
    const by = (endorsement.data as { by_key_id: string }).by_key_id;
    expect(said([first.key_id], published(first), published(second), endorsement, checkpoint(second))).toEqual([
      `key ${by} did not endorse key ${second.key_id}`,
      ...untrusted(second),
    ]);
  });

  it('finds an endorsement under the id of another key, although its signature is right', () => {
    const about = { key_id: second.key_id, public_key: evil.public_key, by_key_id: first.key_id };
    const signature = signedBy(first, endorsementBytes(about));
    const borrowed = event('SigningKeyEndorsed', { ...about, signature });
    expect(said([first.key_id], published(first), published(second), borrowed, checkpoint(second))).toEqual([
      `key ${first.key_id} did not endorse key ${second.key_id}`,
      ...untrusted(second),
    ]);
  });
});
