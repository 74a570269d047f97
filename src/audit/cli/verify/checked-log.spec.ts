import { type EventStore, type RecordedEvent } from '../../../platform/event-store/event-store.port';
import { CheckedLog } from './checked-log';
import { Findings } from './findings';

const metadata = { occurred_at: '2030-01-01T00:00:00.000Z', actor: { kind: 'k', id: 'i' }, request_id: 'r', schema: 1 };
const event = (stream: string, version: number, position: number, type = 'CredentialKeyClaimed', data: object = {}) =>
  ({
    stream,
    version,
    type,
    data: { key_id: stream.slice(stream.indexOf('-') + 1), ...data },
    position: BigInt(position),
    metadata: { ...metadata, event_id: `evt_${position}` },
  }) as unknown as RecordedEvent;

/** Checks these events, as far as they are before the end. */
async function found(events: readonly RecordedEvent[], end = 100n, inStreams = events) {
  const findings = new Findings();
  const store = {
    readStream: async (stream: string) => inStreams.filter((one) => one.stream === stream),
    readAll: async (after: bigint) => events.filter(({ position }) => position > after).slice(0, 1),
  } as unknown as EventStore;
  const log = new CheckedLog(store, end, findings);
  const seen = events.filter(({ position }) => position <= end);
  for (const one of seen) await log.check(one);
  log.done(seen.length);
  return { found: findings.kept.map(({ invariant, where, what }) => [invariant, where, what]), log };
}
const saidOf = async (...args: Parameters<typeof found>) => (await found(...args)).found;

const [one, two, three] = [
  event('credential_key-a', 1, 1),
  event('credential_key-b', 1, 2),
  event('credential_key-a', 2, 3),
];

describe('a log of which each stream is checked once', () => {
  it('has nothing wrong with it', async () => {
    expect(await saidOf([one, two, three])).toEqual([]);
  });

  it('is wrong if a stream has no first event, or fewer events than are in the log', async () => {
    const fewer = (count: number) => [
      ['whole-streams', 'the log', `3 events are in the log, but ${count} in its streams`],
    ];
    expect(await saidOf([event('credential_key-a', 2, 1), two, event('credential_key-a', 3, 3)])).toEqual(fewer(1));
    expect(await saidOf([one, two, three], 100n, [one, two])).toEqual(fewer(2));
  });

  it('is wrong where an invariant is broken', async () => {
    expect(await saidOf([one, event('credential_key-a', 3, 2)])).toEqual([
      ['whole-streams', 'credential_key-a 3', 'event 2 of the stream is missing'],
    ]);
  });

  it('ends where the check began: what was added since is left to the next one', async () => {
    const { found: none, log } = await found([one, two, three], 2n);
    expect(none).toEqual([]);
    expect(await log.stream('credential_key', 'a' as never)).toEqual([one]);
    expect([await log.next(one), await log.next(two)]).toEqual([two, undefined]);
    // What is at the end itself belongs to it.
    const longer = [one, two, three, event('credential_key-a', 3, 4)];
    expect(await (await found(longer, 3n)).log.stream('credential_key', 'a' as never)).toEqual([one, three]);
  });

  it('is wrong where a stream is of no category, or too broken to be checked', async () => {
    expect(await saidOf([event('invoice-a', 1, 1)])).toEqual([
      ['own-streams', 'invoice-a 1', 'there is no category invoice'],
    ]);
    const broken = event('recipient-r', 1, 1, 'RecipientVersionVerified', { recipient_id: 'r' });
    expect(await saidOf([broken])).toContainEqual([
      'evidence',
      'recipient-r 1',
      expect.stringContaining('it cannot be checked: '),
    ]);
  });
});
