import { aNewEvent, aStream, newEvents } from '../../support/events';
import { type Opened } from '../event-store.contract';
import { appended, endOfLog, idsOf, readOwn } from './steps';

export function appending(opened: Opened): void {
  describe('appending', () => {
    it('finds no events in a stream that does not exist', async () => {
      await expect(opened.store.readStream(aStream())).resolves.toEqual([]);
      await expect(opened.store.readStream(aStream(), 3)).resolves.toEqual([]);
    });

    it('counts versions from 1', async () => {
      const stream = aStream();
      const events = newEvents(3);
      expect(appended(await opened.store.append(stream, 0, events.slice(0, 2))).version).toBe(2);
      expect(appended(await opened.store.append(stream, 2, events.slice(2))).version).toBe(3);

      const read = await opened.store.readStream(stream);
      expect(read.map((event) => event.version)).toEqual([1, 2, 3]);
      expect(read.map((event) => event.stream)).toEqual([stream, stream, stream]);
      expect(idsOf(read)).toEqual(idsOf(events));
    });

    it('reads after a version, and nothing after the last', async () => {
      const stream = aStream();
      const events = newEvents(5);
      await opened.store.append(stream, 0, events);

      expect(idsOf(await opened.store.readStream(stream, 0))).toEqual(idsOf(events));
      expect(idsOf(await opened.store.readStream(stream, 3))).toEqual(idsOf(events.slice(3)));
      await expect(opened.store.readStream(stream, 5)).resolves.toEqual([]);
      await expect(opened.store.readStream(stream, 50)).resolves.toEqual([]);
    });

    it('reads a stream longer than any page', async () => {
      const stream = aStream();
      const events = newEvents(1200);
      await opened.store.append(stream, 0, events.slice(0, 600));
      await opened.store.append(stream, 600, events.slice(600));
      expect(idsOf(await opened.store.readStream(stream))).toEqual(idsOf(events));
    });

    it.each([
      ['no longer new', 0],
      ['behind', 1],
      ['ahead', 7],
    ])('refuses a whole batch if the stream is %s', async (_, expectedVersion) => {
      const stream = aStream();
      const start = await endOfLog(opened.store);
      const first = newEvents(2);
      await opened.store.append(stream, 0, first);

      await expect(opened.store.append(stream, expectedVersion, newEvents(3))).resolves.toEqual({ kind: 'conflict' });
      expect(idsOf(await opened.store.readStream(stream))).toEqual(idsOf(first));
      expect(idsOf(await readOwn(opened.store, start, [stream]))).toEqual(idsOf(first));
    });

    it('refuses to begin a stream that is expected to exist', async () => {
      const stream = aStream();
      await expect(opened.store.append(stream, 1, [aNewEvent()])).resolves.toEqual({ kind: 'conflict' });
      await expect(opened.store.readStream(stream)).resolves.toEqual([]);
    });

    it('lets exactly one of 50 racing appends win', async () => {
      const stream = aStream();
      const batches = Array.from({ length: 50 }, (_, writer) => newEvents(2, (index) => ({ writer, index })));
      const results = await Promise.all(batches.map((batch) => opened.store.append(stream, 0, batch)));

      const winners = batches.filter((_, writer) => results[writer]?.kind === 'appended');
      expect(winners).toHaveLength(1);
      expect(idsOf(await opened.store.readStream(stream))).toEqual(idsOf(winners.flat()));
    });

    it('never shows part of a batch', async () => {
      const stream = aStream();
      let writing = true;
      const writer = (async () => {
        for (let version = 0; version < 200; version += 10) await opened.store.append(stream, version, newEvents(10));
        writing = false;
      })();
      const partial: number[] = [];
      while (writing) {
        const { length } = await opened.store.readStream(stream);
        if (length % 10 !== 0) partial.push(length);
        await new Promise(setImmediate);
      }
      await writer;
      expect(partial).toEqual([]);
      await expect(opened.store.readStream(stream)).resolves.toHaveLength(200);
    });

    it('keeps streams apart whose names have a common prefix', async () => {
      const stream = aStream();
      await opened.store.append(stream, 0, [aNewEvent('Short')]);
      await opened.store.append(`${stream}-1`, 0, [aNewEvent('Long'), aNewEvent('Long')]);
      expect((await opened.store.readStream(stream)).map((event) => event.type)).toEqual(['Short']);
      expect((await opened.store.readStream(`${stream}-1`)).map((event) => event.type)).toEqual(['Long', 'Long']);
    });
  });
}
