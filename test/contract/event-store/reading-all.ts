import { LOG_START } from '../../../src/platform/event-store/event-store.port';
import { aStream, newEvents } from '../../support/events';
import { type Opened } from '../event-store.contract';
import { appended, endOfLog, expectStrictlyIncreasing, placesOf, readOwn } from './steps';

export function readingAll(opened: Opened): void {
  describe('reading the whole log', () => {
    it('keeps the order of every stream, with strictly increasing positions', async () => {
      const start = await endOfLog(opened.store);
      const streams = Array.from({ length: 8 }, () => aStream());
      const write = async (stream: string): Promise<void> => {
        for (let version = 0; version < 20; version += 2) await opened.store.append(stream, version, newEvents(2));
      };
      await Promise.all(streams.map(write));

      const all = await readOwn(opened.store, start, streams);
      expect(all).toHaveLength(160);
      expectStrictlyIncreasing(all.map((event) => event.position));
      for (const stream of streams) {
        const own = all.filter((event) => event.stream === stream);
        expect(own).toEqual(await opened.store.readStream(stream));
      }
    });

    it('shows the last event at the position that append returned', async () => {
      const start = await endOfLog(opened.store);
      const stream = aStream();
      const first = appended(await opened.store.append(stream, 0, newEvents(3)));
      const second = appended(await opened.store.append(stream, 3, newEvents(1)));

      const positions = (await readOwn(opened.store, start, [stream])).map((event) => event.position);
      expect(positions[2]).toBe(first.position);
      expect(positions[3]).toBe(second.position);
    });

    it('names the event at a position, and none where no event begins', async () => {
      const events = newEvents(2);
      const { position } = appended(await opened.store.append(aStream(), 0, events));
      expect(await opened.store.idAt(position)).toBe(events[1]?.metadata.event_id);
      // Between two events where positions are bytes, beyond the last one where they are counted.
      expect(await opened.store.idAt(position + 1n)).toBeUndefined();
      expect(await opened.store.idAt(position + 2n ** 40n)).toBeUndefined();
      expect(await opened.store.idAt(LOG_START)).toBeUndefined();
    });

    it('includes an event as soon as its append has returned', async () => {
      const missing: string[] = [];
      for (let round = 0; round < 20; round += 1) {
        const stream = aStream();
        const start = await endOfLog(opened.store);
        await opened.store.append(stream, 0, newEvents(1));
        if ((await readOwn(opened.store, start, [stream])).length !== 1) missing.push(stream);
      }
      expect(missing).toEqual([]);
    });

    it.each([1, 2, 7, 50, 1000])('returns pages of %d without gaps or duplicates', async (limit) => {
      const start = await endOfLog(opened.store);
      const streams = [aStream(), aStream()];
      const expected: string[] = [];
      for (let version = 0; version < 15; version += 3) {
        for (const stream of streams) {
          await opened.store.append(stream, version, newEvents(3));
          expected.push(...[1, 2, 3].map((step) => `${stream}@${version + step}`));
        }
      }
      expect(placesOf(await readOwn(opened.store, start, streams, limit))).toEqual(expected);
    });

    it('fills a page if there is more', async () => {
      const start = await endOfLog(opened.store);
      await opened.store.append(aStream(), 0, newEvents(30));
      await expect(opened.store.readAll(start, 10)).resolves.toHaveLength(10);
    });

    it('reports as its head the newest event’s position, or a later one where only others have written', async () => {
      const stream = aStream();
      const { position } = appended(await opened.store.append(stream, 0, newEvents(2)));
      const head = await opened.store.head();
      expect(head).toBeGreaterThanOrEqual(position);
      await opened.store.append(stream, 2, newEvents(3));
      const later = await readOwn(opened.store, head, [stream]);
      expect(later.map((event) => event.version)).toEqual([3, 4, 5]);
    });

    it('finds nothing after the end', async () => {
      const stream = aStream();
      const { position } = appended(await opened.store.append(stream, 0, newEvents(2)));
      await expect(readOwn(opened.store, position, [stream])).resolves.toEqual([]);
    });
  });
}
