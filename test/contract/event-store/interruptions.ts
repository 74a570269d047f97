import { type RecordedEvent } from '../../../src/platform/event-store/event-store.port';
import { aNewEvent, aStream, newEvents } from '../../support/events';
import { follow } from '../../support/follow';
import { type Opened } from '../event-store.contract';
import { appended, appendSurely, endOfLog, idsOf, placesOf, reachable } from './steps';

const INTERRUPTIONS = 3;

export function interruptions(opened: Opened): void {
  describe('when the engine drops its connections', () => {
    it('a subscription resumes where it was', async () => {
      const { store } = opened;
      const stream = aStream();
      const only = (event: RecordedEvent): boolean => event.stream === stream;
      const follower = follow(store, await endOfLog(store), { only });
      await follower.until(() => follower.caughtUp.length > 0);

      let version = 0;
      for (let round = 0; round < INTERRUPTIONS; round += 1) {
        await appendSurely(store, stream, version, newEvents(10));
        await follower.until(() => follower.seen.length >= version + 10);
        await opened.interrupt();
        await appendSurely(store, stream, version + 10, newEvents(10));
        version += 20;
        await follower.until(() => follower.seen.length >= version);
      }
      await follower.stop();
      expect(follower.seen).toEqual(await store.readStream(stream));
      expect(follower.seen).toHaveLength(version);
    });

    it('a subscription that is behind resumes too', async () => {
      const { store } = opened;
      const stream = aStream();
      const start = await endOfLog(store);
      // More bytes than the connection and both ends keep: the subscription is interrupted in the middle.
      const text = 'x'.repeat(4_000);
      for (let version = 0; version < 500; version += 50) {
        await store.append(
          stream,
          version,
          newEvents(50, (index) => ({ index, text })),
        );
      }

      let interrupted: Promise<void> | undefined;
      const handle = async (event: RecordedEvent): Promise<void> => {
        if (event.version === 50) interrupted = opened.interrupt();
        if (event.version % 100 === 0) await new Promise(setImmediate);
      };
      const follower = follow(store, start, { only: (event) => event.stream === stream, handle });
      await follower.until(() => follower.seen.length >= 500);
      await interrupted;
      await appendSurely(store, stream, 500, [aNewEvent('Last')]);
      await follower.until(() => follower.seen.at(-1)?.type === 'Last');
      await follower.stop();
      expect(placesOf(follower.seen)).toEqual(Array.from({ length: 501 }, (_, index) => `${stream}@${index + 1}`));
    });

    it('an append of unknown outcome, repeated with the same ids, is written once', async () => {
      const { store } = opened;
      const streams = Array.from({ length: 10 }, () => aStream());
      const only = (event: RecordedEvent): boolean => streams.includes(event.stream);
      const follower = follow(store, await endOfLog(store), { only });

      let interrupting = true;
      const written = new Map<string, string[]>();
      const write = async (stream: string): Promise<void> => {
        const ids: string[] = [];
        written.set(stream, ids);
        while (interrupting || ids.length < 20) {
          const batch = newEvents(2);
          const { version } = appended(await appendSurely(store, stream, ids.length, batch));
          ids.push(...idsOf(batch));
          expect(version).toBe(ids.length);
        }
      };
      const writing = Promise.all(streams.map(write));
      for (let round = 0; round < INTERRUPTIONS; round += 1) {
        await opened.interrupt();
        await reachable(store);
      }
      interrupting = false;
      await writing;

      const total = [...written.values()].flat().length;
      await follower.until(() => follower.seen.length >= total);
      await follower.stop();
      for (const stream of streams) {
        expect(idsOf(await store.readStream(stream))).toEqual(written.get(stream));
        const followed = follower.seen.filter((event) => event.stream === stream);
        expect(idsOf(followed)).toEqual(written.get(stream));
      }
    });

    it('reads work again afterwards', async () => {
      const { store } = opened;
      const stream = aStream();
      const start = await endOfLog(store);
      const events = newEvents(3);
      await store.append(stream, 0, events);
      await opened.interrupt();
      await reachable(store);
      expect(idsOf(await store.readStream(stream))).toEqual(idsOf(events));
      expect((await store.readAll(start, 10)).map((event) => event.stream)).toContain(stream);
    });
  });
}
