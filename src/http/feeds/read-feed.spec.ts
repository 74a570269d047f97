import { collection, type Document } from '../../platform/read-model/projection';
import { type ReadModel } from '../../platform/read-model/read-model.port';
import { PAGE_BYTES } from '../input/page-bytes';
import { readEntries, readFeed } from './read-feed';

type Entry = Document & Readonly<{ cursor: number }>;
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
  const reads = (length: number, cursors: readonly number[]) => {
    const stored = new Map(cursors.map((cursor) => [`con_1:${cursor}`, { cursor }]));
    const asked: (readonly string[])[] = [];
    const sizes: (number | undefined)[] = [];
    const getAll = (_: unknown, ids: readonly string[], bytes?: number) => {
      asked.push(ids);
      sizes.push(bytes);
      return Promise.resolve(ids.flatMap((id) => stored.get(id) ?? []));
    };
    const get = () => Promise.resolve({ id: 'con_1', length });
    return { asked, sizes, model: { getAll, get } as unknown as ReadModel };
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

  it('has as many as asked for, without gaps, and passes on how large it may be', async () => {
    const { model, asked, sizes } = reads(500, upTo(500));
    const { shown, next } = await readEntries(model, place, 7, { limit: 120 });
    expect([shown.map(({ cursor }) => cursor), next]).toEqual([upTo(127).slice(7), 127]);
    await readFeed(model, place, view, 499, 120);
    expect([asked.map(({ length }) => length), sizes]).toEqual([
      [120, 1],
      [undefined, PAGE_BYTES],
    ]);
  });

  it('passes over what the store has set aside, also where nothing is left', async () => {
    const { model } = reads(8, [1, 2, 5, 6]);
    const page = { events: [{ cursor: 2 }], next_cursor: 2, newest_cursor: 8, has_more: true };
    expect(await readFeed(model, place, view, 1, 2)).toEqual(page);
    expect(await readFeed(model, place, view, 2, 2)).toMatchObject({ events: [], next_cursor: 4, has_more: true });
    expect(await readFeed(model, place, view, 6, 5)).toMatchObject({ events: [], next_cursor: 8, has_more: false });
  });
});
