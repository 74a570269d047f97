import { newEvents } from '../../../../test/support/events';
import { follow } from '../../../../test/support/follow';
import { temporaryDirectories } from '../../../../test/support/temp-directory';
import { type EventStore, LOG_START } from '../event-store.port';
import { openEmbeddedEventStore } from './open-embedded-event-store';

describe('the embedded event store', () => {
  const newDirectory = temporaryDirectories();
  let store: EventStore;
  beforeEach(async () => {
    store = await openEmbeddedEventStore(newDirectory());
  });
  afterEach(() => store.close());

  it('lets others run while a subscription catches up', async () => {
    await store.append('thing-1', 0, newEvents(3000));
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 0);
    const follower = follow(store, LOG_START);
    await follower.until(() => follower.seen.length === 3000);
    clearInterval(counting);
    await follower.stop();
    expect(turns).toBeGreaterThan(0);
  });

  it('commits together what is appended together', async () => {
    const streams = Array.from({ length: 500 }, (_, index) => `thing-${index}`);
    const results = await Promise.all(streams.map((stream) => store.append(stream, 0, newEvents(2))));
    expect(results.map((result) => result.kind === 'appended' && result.position)).toEqual(
      streams.map((_, index) => BigInt(2 * index + 2)),
    );
  });

  it('passes on what was just written without reading it back, exactly as a read would return it', async () => {
    const [plain, other] = newEvents(2);
    if (plain === undefined || other === undefined) throw new Error('two events');
    await store.append('thing-1', 0, [plain, { ...other, data: { kept: 1, dropped: undefined } }]);
    const [first, second] = await store.readAll(LOG_START, 2);
    expect(first?.data).toBe(plain.data);
    expect(second?.data).toStrictEqual({ kept: 1 });
    expect([first?.position, first?.version, second?.position, second?.version]).toEqual([1n, 1, 2n, 2]);
  });

  it('does not pass on events of a repeated append that was not written again', async () => {
    const directory = newDirectory();
    const before = await openEmbeddedEventStore(directory);
    const [event] = newEvents(1);
    if (event === undefined) throw new Error('an event');
    await before.append('thing-1', 0, [event]);
    await before.close();
    const reopened = await openEmbeddedEventStore(directory);
    await reopened.append('thing-1', 0, [{ ...event, data: { another: true } }]);
    await expect(reopened.readAll(LOG_START, 9)).resolves.toMatchObject([{ data: event.data, version: 1 }]);
    await reopened.close();
  });

  it('finishes the appends in flight when it closes', async () => {
    const directory = newDirectory();
    const closing = await openEmbeddedEventStore(directory);
    const appends = Promise.all([1, 2, 3].map((number) => closing.append(`thing-${number}`, 0, newEvents(1))));
    await closing.close();
    expect((await appends).map((result) => result.kind)).toEqual(['appended', 'appended', 'appended']);
    const reopened = await openEmbeddedEventStore(directory);
    await expect(reopened.readAll(LOG_START, 10)).resolves.toHaveLength(3);
    await reopened.close();
  });
});
