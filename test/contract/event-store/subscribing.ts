import { LOG_START, type RecordedEvent } from '../../../src/platform/event-store/event-store.port';
import { aNewEvent, aStream, newEvents } from '../../support/events';
import { follow } from '../../support/follow';
import { type Opened } from '../event-store.contract';
import { appended, endOfLog, expectStrictlyIncreasing, idsOf, placesOf, readOwn } from './steps';

const of = (stream: string) => ({ only: (event: RecordedEvent) => event.stream === stream });

export function subscribing(opened: Opened): void {
  describe('subscribing', () => {
    it('delivers everything from the start in log order', async () => {
      const stream = aStream();
      await opened.store.append(stream, 0, newEvents(5));
      const end = await endOfLog(opened.store);

      const follower = follow(opened.store, LOG_START);
      await follower.until(() => (follower.seen.at(-1)?.position ?? 0n) >= end);
      await follower.stop();

      const upToEnd = follower.seen.filter((event) => event.position <= end);
      expectStrictlyIncreasing(follower.seen.map((event) => event.position));
      expect(upToEnd.filter((event) => event.stream === stream)).toEqual(await opened.store.readStream(stream));
      expect(upToEnd.slice(0, 3)).toEqual(await opened.store.readAll(LOG_START, 3));
    });

    it('delivers exactly what follows a position', async () => {
      const stream = aStream();
      const start = await endOfLog(opened.store);
      await opened.store.append(stream, 0, newEvents(4));
      await opened.store.append(stream, 4, newEvents(4));
      const all = await readOwn(opened.store, start, [stream]);

      for (const [index, event] of all.slice(0, -1).entries()) {
        const follower = follow(opened.store, event.position, of(stream));
        await follower.until(() => follower.seen.length === all.length - index - 1);
        await follower.stop();
        expect(follower.seen).toEqual(all.slice(index + 1));
      }
    });

    it('reports when it has caught up, and continues with new events', async () => {
      const stream = aStream();
      const start = await endOfLog(opened.store);
      await opened.store.append(stream, 0, newEvents(10));

      const follower = follow(opened.store, start, of(stream));
      await follower.until(() => follower.caughtUp.length > 0);
      expect(follower.caughtUp[0]).toBe(10);
      for (let version = 10; version < 30; version += 1) await opened.store.append(stream, version, newEvents(1));
      await follower.until(() => follower.seen.length === 30);
      await follower.stop();
      expect(follower.seen).toEqual(await opened.store.readStream(stream));
    });

    it('reports at once that it has caught up if there is nothing yet', async () => {
      const stream = aStream();
      const follower = follow(opened.store, await endOfLog(opened.store), of(stream));
      await follower.until(() => follower.caughtUp.length > 0);
      await opened.store.append(stream, 0, newEvents(1));
      await follower.until(() => follower.seen.length === 1);
      await follower.stop();
    });

    it('loses nothing between existing and new events', async () => {
      const stream = aStream();
      const start = await endOfLog(opened.store);
      const followers = [];
      for (let version = 0; version < 60; version += 1) {
        const append = opened.store.append(stream, version, newEvents(1));
        if (version % 5 === 0) followers.push(follow(opened.store, start, of(stream)));
        await append;
      }
      const expected = await opened.store.readStream(stream);
      for (const follower of followers) {
        await follower.until(() => follower.seen.length >= 60);
        await follower.stop();
        expect(follower.seen).toEqual(expected);
      }
    });

    it('loses nothing for a slow consumer', async () => {
      const stream = aStream();
      let release = (): void => undefined;
      const gate = new Promise<void>((resolve) => {
        release = resolve;
      });
      const handle = async (event: RecordedEvent): Promise<void> => {
        if (event.version === 1) await gate;
        else if (event.version % 50 === 0) await new Promise(setImmediate);
      };
      const follower = follow(opened.store, await endOfLog(opened.store), { ...of(stream), handle });
      await follower.until(() => follower.caughtUp.length > 0);
      await opened.store.append(stream, 0, newEvents(1));
      await follower.until(() => follower.seen.length === 1);

      // More bytes than the connection and both ends keep for a consumer that does not read.
      const text = 'x'.repeat(4_000);
      for (let version = 1; version < 801; version += 50) {
        await opened.store.append(
          stream,
          version,
          newEvents(50, (index) => ({ index, text })),
        );
      }
      release();
      await follower.until(() => follower.seen.length >= 801);
      const last = await opened.store.append(stream, 801, [aNewEvent('Last')]);
      await follower.until(() => follower.seen.at(-1)?.position === appended(last).position);
      await follower.stop();
      expect(placesOf(follower.seen)).toEqual(Array.from({ length: 802 }, (_, index) => `${stream}@${index + 1}`));
    });

    it('serves many consumers at once, each with the same events', async () => {
      const stream = aStream();
      const start = await endOfLog(opened.store);
      const followers = Array.from({ length: 40 }, () => follow(opened.store, start, of(stream)));
      const events = newEvents(40);
      for (let version = 0; version < 40; version += 4) {
        await opened.store.append(stream, version, events.slice(version, version + 4));
      }
      await Promise.all(followers.map((follower) => follower.until(() => follower.seen.length >= 40)));
      await Promise.all(followers.map((follower) => follower.stop()));
      for (const follower of followers) expect(idsOf(follower.seen)).toEqual(idsOf(events));
    });
  });

  describe('ending a subscription', () => {
    it('happens at once if it was aborted before it began', async () => {
      const start = await endOfLog(opened.store);
      await opened.store.append(aStream(), 0, newEvents(2));
      const iterator = opened.store.subscribe(start, { signal: AbortSignal.abort() })[Symbol.asyncIterator]();
      await expect(iterator.next()).resolves.toMatchObject({ done: true });
    });

    it('happens if it is aborted while waiting for events', async () => {
      const stopping = new AbortController();
      let onCaughtUp = (): void => undefined;
      const caughtUp = new Promise<void>((resolve) => {
        onCaughtUp = resolve;
      });
      const subscription = opened.store.subscribe(await endOfLog(opened.store), {
        signal: stopping.signal,
        onCaughtUp,
      });
      const ended = (async () => {
        // Others may write to the same server meanwhile; their events are skipped.
        for await (const event of subscription) expect(event.position).toBeGreaterThan(0n);
      })();
      await caughtUp;
      stopping.abort();
      await expect(ended).resolves.toBeUndefined();
    });

    it('happens if it is aborted between two events', async () => {
      const start = await endOfLog(opened.store);
      const stream = aStream();
      await opened.store.append(stream, 0, newEvents(10));
      const stopping = new AbortController();
      const seen: number[] = [];
      for await (const event of opened.store.subscribe(start, { signal: stopping.signal })) {
        if (event.stream === stream) seen.push(event.version);
        if (seen.length === 3) stopping.abort();
      }
      expect(seen).toEqual([1, 2, 3]);
    });

    it('happens if the consumer leaves the loop', async () => {
      const start = await endOfLog(opened.store);
      const stream = aStream();
      await opened.store.append(stream, 0, newEvents(10));
      const seen: number[] = [];
      for await (const event of opened.store.subscribe(start, { signal: new AbortController().signal })) {
        if (event.stream === stream) seen.push(event.version);
        if (seen.length === 3) break;
      }
      expect(seen).toEqual([1, 2, 3]);
    });
  });
}
