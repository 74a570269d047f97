import { collection, type Document } from '../../platform/read-model/projection';
import { type ReadModel } from '../../platform/read-model/read-model.port';
import { readFeed } from './read-feed';

type Entry = Document & Readonly<{ cursor: number }>;
type Length = Document & Readonly<{ length: number }>;

const place = {
  entries: collection<Entry>('entries'),
  index: 'by_owner',
  feeds: collection<Length>('feeds'),
  owner: 'con_1',
  entryId: (owner: string, cursor: number) => `${owner}:${cursor}`,
};

describe('a page of a feed', () => {
  /** Reads that show entries before the feed's length, which is written last. */
  const reads = (length: number, cursors: readonly number[]) => {
    const find = jest.fn(() => Promise.resolve({ documents: cursors.map((cursor) => ({ cursor })), next: null }));
    const get = () => Promise.resolve({ id: 'con_1', length });
    return { find, model: { find, get } as unknown as ReadModel };
  };
  const view = ({ cursor }: Entry) => ({ cursor });

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
    const { model, find } = reads(4, [3]);
    expect(await readFeed(model, place, view, 2, 1)).toMatchObject({
      next_cursor: 3,
      newest_cursor: 4,
      has_more: true,
    });
    const after = { sort: 2, id: 'con_1:2' };
    expect(find).toHaveBeenCalledWith(
      place.entries,
      'by_owner',
      ['con_1'],
      expect.objectContaining({ after, limit: 1 }),
    );
  });
});
