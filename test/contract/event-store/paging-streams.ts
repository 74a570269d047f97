import { type RecordedEvent } from '../../../src/platform/event-store/event-store.port';
import { aStream, newEvents } from '../../support/events';
import { type Opened } from '../event-store.contract';
import { idsOf } from './steps';

export function pagingStreams(opened: Opened): void {
  describe('reading a stream in pages', () => {
    const written = async (count: number): Promise<{ stream: string; ids: string[] }> => {
      const stream = aStream();
      const events = newEvents(count);
      await opened.store.append(stream, 0, events);
      return { stream, ids: idsOf(events) };
    };

    it.each([1, 2, 7, 30, 31, 1000])('returns pages of %d without gaps or duplicates', async (limit) => {
      const { stream, ids } = await written(30);
      const found: RecordedEvent[] = [];
      const sizes: number[] = [];
      do {
        const page = await opened.store.readStream(stream, found.length, limit);
        found.push(...page);
        sizes.push(page.length);
      } while (sizes.at(-1) === limit);
      expect(idsOf(found)).toEqual(ids);
      expect(found.map(({ version }) => version)).toEqual(ids.map((_, index) => index + 1));
      const expected = [...Array<number>(Math.floor(30 / limit)).fill(limit), 30 % limit];
      expect(sizes).toEqual(expected);
    });

    it('starts anywhere, and returns nothing after the end', async () => {
      const { stream, ids } = await written(10);
      expect(idsOf(await opened.store.readStream(stream, 4, 3))).toEqual(ids.slice(4, 7));
      expect(idsOf(await opened.store.readStream(stream, 8, 3))).toEqual(ids.slice(8));
      await expect(opened.store.readStream(stream, 10, 3)).resolves.toEqual([]);
      await expect(opened.store.readStream(stream, 99, 3)).resolves.toEqual([]);
      await expect(opened.store.readStream(aStream(), 0, 3)).resolves.toEqual([]);
    });

    it('never continues into a stream whose name has the same prefix', async () => {
      const { stream, ids } = await written(3);
      await opened.store.append(`${stream}-1`, 0, newEvents(5));
      expect(idsOf(await opened.store.readStream(stream, 1, 10))).toEqual(ids.slice(1));
    });
  });
}
