import { collection, type Document } from '../../platform/read-model/projection';
import { type ReadModel } from '../../platform/read-model/read-model.port';
import { PAGE_BYTES } from '../input/page-bytes';
import { readEntries, readFeed } from './read-feed';

type Entry = Document & Readonly<{ cursor: number; text?: string }>;
type Length = Document & Readonly<{ length: number }>;

const place = {
  entries: collection<Entry>('entries'),
  feeds: collection<Length>('feeds'),
  owner: 'con_1',
  entryId: (owner: string, cursor: number) => `${owner}:${cursor}`,
};
const view = ({ cursor }: Entry) => ({ cursor });

describe('a page of a feed', () => {
  /** A store with these entries, whose feed says that it has so many. */
  const reads = (length: number, cursors: readonly number[], text?: string) => {
    const stored = new Map(cursors.map((cursor) => [`con_1:${cursor}`, { cursor, ...(text && { text }) }]));
    const asked: (readonly string[])[] = [];
    const getAll = (_: unknown, ids: readonly string[]) => {
      asked.push(ids);
      return Promise.resolve(ids.flatMap((id) => stored.get(id) ?? []));
    };
    const get = () => Promise.resolve({ id: 'con_1', length });
    return { asked, model: { getAll, get } as unknown as ReadModel };
  };
  const upTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);

  it('shows nothing that reads do not show completely yet', async () => {
    const { model } = reads(2, [1, 2, 3]);
    expect(await readFeed(model, place, view, 0, 100)).toEqual({
      events: [{ cursor: 1 }, { cursor: 2 }],
      next_cursor: 2,
      newest_cursor: 2,
      has_more: false,
    });
  });

  it('continues after the last entry seen', async () => {
    const { model, asked } = reads(4, upTo(4));
    const page = { events: [{ cursor: 3 }], next_cursor: 3, newest_cursor: 4, has_more: true };
    expect(await readFeed(model, place, view, 2, 1)).toEqual(page);
    expect(asked).toEqual([['con_1:3']]);
  });

  it.each([4, 5, 1000])('is empty after cursor %d of four, and asks for no entry', async (since) => {
    const { model, asked } = reads(4, upTo(4));
    const page = { events: [], next_cursor: since, newest_cursor: 4, has_more: false };
    expect(await readFeed(model, place, view, since, 100)).toEqual(page);
    expect(asked).toEqual([]);
  });

  it('has as many as asked for, without gaps, however many are read at once', async () => {
    const { model, asked } = reads(500, upTo(500));
    const { shown, next } = await readEntries(model, place, 7, { limit: 120, bytes: 1_000_000 });
    expect(shown.map(({ cursor }) => cursor)).toEqual(upTo(127).slice(7));
    expect([next, asked.map(({ length }) => length)]).toEqual([127, [50, 50, 20]]);
    expect((await readEntries(model, place, 7, { limit: 120 })).shown).toEqual(shown);
    expect(asked).toHaveLength(4);
  });

  it('ends with the entry that makes it large enough', async () => {
    const { model } = reads(60, upTo(60), 'x'.repeat(PAGE_BYTES / 52));
    const { events, next_cursor, has_more } = await readFeed(model, place, view, 0, 60);
    expect([events.length, next_cursor, has_more]).toEqual([52, 52, true]);
  });

  it('passes over what the store has set aside, also at the end', async () => {
    const { model } = reads(8, [1, 2, 5, 6]);
    const page = { events: [2, 5].map((cursor) => ({ cursor })), next_cursor: 5, newest_cursor: 8, has_more: true };
    expect(await readFeed(model, place, view, 1, 2)).toEqual(page);
    expect(await readFeed(model, place, view, 6, 2)).toMatchObject({ events: [], next_cursor: 8, has_more: false });
  });
});
