import { EventStoreDBClient } from '@eventstore/db-client';
import { appendSurely, endOfLog, idsOf, reachable } from '../../../../test/contract/event-store/steps';
import { startEventStoreDb, type TestEventStoreDb } from '../../../../test/support/eventstoredb/server';
import { aNewEvent, aStream, newEvents } from '../../../../test/support/events';
import { follow } from '../../../../test/support/follow';
import { type AppendResult, StoreUnavailable } from '../event-store.port';
import { openEventStoreDb } from './eventstoredb-store';

describe('the connection to EventStoreDB', () => {
  let server: TestEventStoreDb;
  beforeAll(async () => {
    server = await startEventStoreDb();
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => server.stop());

  it('is shared by all stores of a process on the same URL, until the last is closed', async () => {
    const connect = jest.spyOn(EventStoreDBClient, 'connectionString');
    const first = await openEventStoreDb(server.url);
    const second = await openEventStoreDb(server.url);
    expect(connect).toHaveBeenCalledTimes(1);

    await first.close();
    await expect(first.ping()).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(second.append(aStream(), 0, newEvents(1))).resolves.toMatchObject({ version: 1 });
    await second.close();

    const third = await openEventStoreDb(server.url);
    expect(connect).toHaveBeenCalledTimes(2);
    await third.ping();
    await third.close();
  });

  it('finishes appends before it ends, including those of another store', async () => {
    const elsewhere = await startEventStoreDb();
    const [closing, staying] = [await openEventStoreDb(server.url), await openEventStoreDb(elsewhere.url)];
    await closing.append(aStream(), 0, newEvents(1));
    await staying.append(aStream(), 0, newEvents(1));

    const appends = [closing, staying, closing, staying].map((store) => store.append(aStream(), 0, newEvents(2)));
    const closed = closing.close();
    appends.push(staying.append(aStream(), 0, newEvents(2)));
    await expect(Promise.all(appends)).resolves.toEqual(
      Array.from({ length: 5 }, () => expect.objectContaining({ kind: 'appended', version: 2 })),
    );
    await closed;
    await staying.close();
    await elsewhere.stop();
  });

  it('is recreated when discovery failed, because the old client would never append again', async () => {
    const url = `esdb+discover://127.0.0.1:${server.port}?tls=false&maxDiscoverAttempts=2&discoveryInterval=10`;
    const store = await openEventStoreDb(url);
    const stream = aStream();
    await store.append(stream, 0, newEvents(1));
    await server.goDown();
    for (let round = 0; round < 3; round += 1) {
      await expect(store.append(stream, 1, newEvents(1))).rejects.toMatchObject({ outcome: 'unknown' });
      await expect(store.ping()).rejects.toBeInstanceOf(StoreUnavailable);
    }
    await server.comeUp();
    await reachable(store);
    await expect(appendSurely(store, stream, 1, newEvents(1))).resolves.toMatchObject({ version: 2 });
    await store.close();
  });

  it('is not needed to open a store', async () => {
    await server.goDown();
    const store = await openEventStoreDb(server.url);
    await expect(store.ping()).rejects.toBeInstanceOf(StoreUnavailable);
    await server.comeUp();
    await reachable(store);
    await expect(appendSurely(store, aStream(), 0, newEvents(1))).resolves.toMatchObject({ version: 1 });
    await store.close();
  });

  it.each([
    ['an unknown option', 'esdb://ops:hidden@127.0.0.1:1?tls=false&colour=red'],
    ['a check that cannot be turned off', 'esdb://ops:hidden@127.0.0.1:1?tlsVerifyCert=false'],
    ['an invalid port', 'esdb://ops:hidden@127.0.0.1:port'],
    ['another protocol', 'http://ops:hidden@127.0.0.1:1'],
  ])('is refused for a URL with %s, without revealing the password', async (_, url) => {
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    const error: unknown = await openEventStoreDb(url).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(JSON.stringify([error, String(error), (error as Error).cause])).not.toContain('hidden');
    expect(warn).not.toHaveBeenCalled();
  });

  it('survives an append that cannot be written', async () => {
    const store = await openEventStoreDb(server.url);
    const stream = aStream();
    await expect(store.append(stream, 0, [aNewEvent('Odd', { n: 1n })])).rejects.toThrow(TypeError);
    const sized = (bytes: number) => aNewEvent('Huge', { t: 'x'.repeat(bytes - JSON.stringify({ t: '' }).length) });
    for (const bytes of [1_048_576, 1_048_577])
      await expect(store.append(stream, 0, [sized(bytes)])).rejects.toThrow(RangeError);
    await expect(store.append('NotOurs', 0, newEvents(1))).rejects.toThrow('no stream name');
    await expect(store.append(stream, 0, [])).rejects.toThrow('needs an event');
    await expect(store.append(stream, 0, [aNewEvent('')])).rejects.toThrow('needs a type');
    await expect(store.append(stream, 0, newEvents(1))).resolves.toMatchObject({ version: 1 });
    await store.close();
  });

  it('accepts appends although the clocks differ and the engine compares our deadline with its own', async () => {
    const store = await openEventStoreDb(server.url);
    for (const seconds of [-45, 45]) {
      server.setClockAhead(seconds * 1_000);
      await expect(store.append(aStream(), 0, newEvents(1))).resolves.toMatchObject({ version: 1 });
    }
    server.setClockAhead(0);
    await store.close();
  });

  it('is replaced under load when the engine asks for it, and nothing is lost, duplicated or missed', async () => {
    const store = await openEventStoreDb(server.url);
    const streams = Array.from({ length: 8 }, () => aStream());
    const seen = follow(store, await endOfLog(store), { only: ({ stream }) => streams.includes(stream) });
    let leaving = 3;
    const work = async (stream: string): Promise<number> => {
      for (let version = 0; ; version += 2) {
        if (leaving === 0) return version;
        await appendSurely(store, stream, version, newEvents(2));
      }
    };
    const working = Promise.all(streams.map(work));
    for (; leaving > 0; leaving -= 1) {
      const enough = seen.seen.length + 100;
      await seen.until(() => seen.seen.length >= enough);
      server.sendAway();
    }
    const written = (await working).reduce((sum, count) => sum + count, 0);
    await seen.until(() => seen.seen.length >= written);
    await seen.stop();
    expect(seen.seen).toHaveLength(written);
    await store.close();
  });

  it('retries again if it breaks before an append is committed and the engine times out on the first retry', async () => {
    const store = await openEventStoreDb(server.url);
    const [stream, events] = [aStream(), newEvents(2)];
    await store.append(aStream(), 0, newEvents(1));
    const { appends } = server.asked();
    server.setCommitTime(500);
    // As commands do it: at once, with the same ids.
    const untilCertain = async (): Promise<AppendResult> => {
      for (;;) {
        try {
          return await store.append(stream, 0, events);
        } catch (error) {
          expect(error).toMatchObject({ outcome: 'unknown' });
        }
      }
    };
    const appending = untilCertain();
    while (server.asked().appends === appends) await new Promise(setImmediate);
    await server.dropConnections();
    await expect(appending).resolves.toMatchObject({ kind: 'appended', version: 2 });
    server.setCommitTime(0);
    expect(idsOf(await store.readStream(stream))).toEqual(idsOf(events));
    await store.close();
  });
});
