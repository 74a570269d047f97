import { collection } from '../../../src/platform/read-model/projection';
import { type FirstPage } from '../../../src/platform/read-model/read-model.port';
import { type Opened } from '../read-model.contract';
import { idsOf, others, store, things, walk, write, type Search, type Thing } from './sample-documents';

const ranks = (documents: readonly Thing[]): unknown[] => documents.map(({ rank }) => rank);
const TEXTS_IN_ORDER = [
  '',
  ' ',
  '!',
  '0',
  '10',
  '2',
  'A',
  'Z',
  'a',
  'a b',
  'aa',
  'ab',
  'z',
  '~',
  'ß',
  'é',
  'ж',
  '日',
  '힣',
  '😀',
  '😁',
];
const NUMBERS_IN_ORDER = [
  -1e300, -9007199254740991, -2147483649, -10, -1, -0.5, 0, 5e-324, 0.5, 1, 2, 10, 2147483648, 9007199254740991,
];

export function finding(opened: Opened): void {
  describe('finding', () => {
    const found = async (search: Search, target = things): Promise<string[]> =>
      idsOf(await walk(opened.store, search, 2, target));

    it('gets several by their ids, in the order of those', async () => {
      const documents = ['a', 'b', 'c'].map((id, rank) => ({ id, status: 'same', rank }));
      await store(opened.store, documents);
      const got = await opened.store.getAll(things, ['c', 'a', 'c']);
      expect(idsOf(got)).toEqual(['c', 'a', 'c']);
      expect(got[0]).toEqual(await opened.store.get(things, 'c'));
      expect(await opened.store.getAll(things, [])).toEqual([]);
    });

    it('ends with the document that reaches the size, the same as a page does', async () => {
      const documents = Array.from({ length: 120 }, (_, rank) => ({ id: `t${rank + 100}`, status: 'same', rank }));
      await store(opened.store, documents);
      const ids = documents.map(({ id }) => id);
      for (const bytes of [1, 1_000, 5_000, 1_000_000]) {
        const page = { limit: 120, bytes };
        const found = await opened.store.find(things, 'by_status_ranked', ['same'], page);
        expect(idsOf(await opened.store.getAll(things, ids, bytes))).toEqual(idsOf(found.documents));
      }
      expect(await opened.store.getAll(things, ids, 1)).toHaveLength(1);
      expect(await opened.store.getAll(things, ids)).toHaveLength(120);
    });

    it('finds the first page for each of several values, however many, in their order', async () => {
      const documents = Array.from({ length: 12 }, (_, at) => ({
        id: `t${at}`,
        status: at < 9 ? 'many' : 'few',
        rank: at,
      }));
      await store(opened.store, documents);
      let page: FirstPage = { limit: 3, order: 'desc' };
      const each = async (...statuses: string[]): Promise<string[][]> =>
        (
          await opened.store.findEach(
            things,
            'by_status_ranked',
            statuses.map((status) => [status]),
            page,
          )
        ).map(idsOf);
      const [many, few] = [
        ['t8', 't7', 't6'],
        ['t11', 't10', 't9'],
      ];
      expect(await each('few')).toEqual([few]);
      expect(await each('few', 'none')).toEqual([few, []]);
      expect(await each('many', 'few', 'many')).toEqual([many, few, many]);
      expect(await each('none', 'many', 'nothing')).toEqual([[], many, []]);
      expect(await each()).toEqual([]);
      page = { ...page, bytes: 1 };
      expect(await each('many', 'few', 'none')).toEqual([['t8'], ['t11'], []]);
      expect(await each('few')).toEqual([['t11']]);
      page = { ...page, bytes: 1 + Buffer.byteLength(JSON.stringify(documents[8])) };
      expect(await each('many', 'none')).toEqual([['t8', 't7'], []]);
    });

    it('finds all documents in id order without equals and sort', async () => {
      await store(
        opened.store,
        ['b', 'a', 'B', 'c', 'é', '1'].map((id) => ({ id })),
      );
      expect(await found({ index: 'all' })).toEqual(['1', 'B', 'a', 'b', 'c', 'é']);
      expect(await found({ index: 'all', order: 'desc' })).toEqual(['é', 'c', 'b', 'a', 'B', '1']);
    });

    it('finds each once, in order, even beyond the basic plane, where code points and code units differ', async () => {
      const [low, wide, smile] = ['\u{e000}', '\u{ff5e}', '\u{1f600}'];
      const inOrder = opened.textOrder === 'code points' ? [low, wide, smile] : [smile, low, wide];
      await store(
        opened.store,
        [smile, wide, low].map((text) => ({ id: text, status: 's', rank: text })),
      );
      for (const search of [{ index: 'all' }, { index: 'by_status_ranked', equals: ['s'] }]) {
        expect(await found(search)).toEqual(inOrder);
        expect(await found({ ...search, order: 'desc' })).toEqual([...inOrder].reverse());
      }
    });

    it('finds by one equal field, distinguishing types', async () => {
      const values = ['1', 1, true, 'true', 'x', 'X', '', 0, false];
      await store(
        opened.store,
        values.map((status, at) => ({ id: `i${at}`, status })),
      );
      for (const [at, status] of values.entries())
        expect(await found({ index: 'by_status', equals: [status] })).toEqual([`i${at}`]);
      expect(await found({ index: 'by_status', equals: ['none'] })).toEqual([]);
    });

    it('finds by three equal fields together', async () => {
      await store(opened.store, [
        { id: 'a', status: 's', owner: 'o', flag: true, rank: 2 },
        { id: 'b', status: 's', owner: 'o', flag: true, rank: 1 },
        { id: 'c', status: 's', owner: 'o', flag: false, rank: 1 },
        { id: 'd', status: 's', owner: 'p', flag: true, rank: 1 },
        { id: 'e', status: 'so', owner: '', flag: true, rank: 1 },
        { id: 'f', status: '', owner: 'so', flag: true, rank: 1 },
      ]);
      expect(await found({ index: 'by_three', equals: ['s', 'o', true] })).toEqual(['b', 'a']);
      expect(await found({ index: 'by_three', equals: ['s', 'o', false] })).toEqual(['c']);
      expect(await found({ index: 'by_three', equals: ['so', '', true] })).toEqual(['e']);
      expect(await found({ index: 'by_three', equals: ['', 'so', true] })).toEqual(['f']);
    });

    it('searches two indexes over the same fields independently', async () => {
      await store(opened.store, [
        { id: 'b', status: 's', rank: 1 },
        { id: 'a', status: 's', rank: 1 },
        { id: 'c', status: 's', rank: 0 },
      ]);
      expect(await found({ index: 'by_status_and_rank', equals: ['s', 1] })).toEqual(['a', 'b']);
      expect(await found({ index: 'by_status_ranked', equals: ['s'] })).toEqual(['c', 'a', 'b']);
    });

    it('finds by long values', async () => {
      const [long, longer] = ['x'.repeat(5000), 'x'.repeat(5001)];
      await store(opened.store, [
        { id: 'a', status: long },
        { id: 'b', status: longer },
      ]);
      expect(await found({ index: 'by_status', equals: [longer] })).toEqual(['b']);
    });

    it.each([
      ['numbers', NUMBERS_IN_ORDER],
      ['text by its bytes', TEXTS_IN_ORDER],
      ['numbers before text', [-1, 0, 1, '', '-1', '0', 'a']],
    ])('sorts %s', async (_, inOrder: readonly (string | number)[]) => {
      const shuffled = inOrder.map((rank, at) => ({ id: `i${(at * 5) % inOrder.length}`, status: 's', rank }));
      await store(
        opened.store,
        [...shuffled].sort((one, other) => (one.id < other.id ? -1 : 1)),
      );
      expect(ranks(await walk(opened.store, { index: 'ranked' }))).toEqual(inOrder);
      expect(ranks(await walk(opened.store, { index: 'ranked', order: 'desc' }))).toEqual([...inOrder].reverse());
      expect(ranks(await walk(opened.store, { index: 'by_status_ranked', equals: ['s'] }, 3))).toEqual(inOrder);
    });

    it('breaks ties by id, in both directions', async () => {
      await store(
        opened.store,
        ['c', 'a', 'b', 'd', 'B'].map((id) => ({ id, rank: id === 'd' ? 0 : 1 })),
      );
      expect(await found({ index: 'ranked' })).toEqual(['d', 'B', 'a', 'b', 'c']);
      expect(await found({ index: 'ranked', order: 'desc' })).toEqual(['c', 'b', 'a', 'B', 'd']);
    });

    it('does not confuse the end of a sort value with the start of an id', async () => {
      await store(opened.store, [
        { id: 'b', rank: 'a' },
        { id: 'a', rank: 'ab' },
        { id: 'ba', rank: 'a' },
        { id: '\u0001', rank: 'a\u0000' },
        { id: '~', rank: 'a' },
      ]);
      expect(await found({ index: 'ranked' })).toEqual(['b', 'ba', '~', '\u0001', 'a']);
    });

    it('omits documents that lack a field of the index or hold null there', async () => {
      await store(opened.store, [
        { id: 'a', status: 's', rank: 1 },
        { id: 'b', status: 's' },
        { id: 'c', status: 's', rank: null },
        { id: 'd', status: null, rank: 1 },
        { id: 'e', rank: 1 },
        { id: 'f', in: { status: 's', rank: 1 } },
      ]);
      expect(await found({ index: 'by_status', equals: ['s'] })).toEqual(['a', 'b', 'c']);
      expect(await found({ index: 'by_status_ranked', equals: ['s'] })).toEqual(['a']);
      expect(await found({ index: 'ranked' })).toEqual(['a', 'd', 'e']);
      expect(await found({ index: 'all' })).toHaveLength(6);
    });

    it('moves a document within the indexes when a later write changes it', async () => {
      await store(opened.store, [
        { id: 'a', status: 's', rank: 1 },
        { id: 'b', status: 's', rank: 2 },
      ]);
      await opened.store.apply([write({ id: 'a', status: 's', rank: 3 }, 10)], 10n);
      expect(await found({ index: 'by_status_ranked', equals: ['s'] })).toEqual(['b', 'a']);
      await opened.store.apply([write({ id: 'a', status: 't', rank: 3 }, 11)], 11n);
      expect(await found({ index: 'by_status_ranked', equals: ['s'] })).toEqual(['b']);
      expect(await found({ index: 'by_status_ranked', equals: ['t'] })).toEqual(['a']);
      await opened.store.apply([write({ id: 'a', status: 't' }, 12)], 12n);
      expect(await found({ index: 'ranked' })).toEqual(['b']);
      expect(await walk(opened.store, { index: 'by_status', equals: ['t'] })).toEqual([{ id: 'a', status: 't' }]);
    });

    it('searches fields with special names, and only at the top level of the document', async () => {
      await store(
        opened.store,
        [
          { id: 'a', 'a.b': 'x', $rank: 2 },
          { id: 'b', 'a.b': 'x', $rank: 1 },
          { id: 'c', a: { b: 'x' }, $rank: 0 },
        ],
        1,
        others,
      );
      expect(await found({ index: 'ranked', equals: ['x'] }, others)).toEqual(['b', 'a']);
    });

    it('treats values that look like operators as plain text', async () => {
      await store(opened.store, [
        { id: 'a', status: '$gt', rank: 1 },
        { id: 'b', status: 'x', rank: 1 },
      ]);
      expect(await found({ index: 'by_status', equals: ['$gt'] })).toEqual(['a']);
    });

    it('finds documents that existed before an index was declared, and drops an index that is no longer declared', async () => {
      await store(opened.store, [
        { id: 'a', kind: 'k', status: 's', rank: 1 },
        { id: 'b', kind: 'l', status: 's', rank: 0 },
      ]);
      const changed = collection<Thing>('things', {
        by_kind: { equals: ['kind'] },
        by_status: { equals: ['status'], sort: 'rank' },
      });
      await opened.store.prepare([changed]);
      expect(await found({ index: 'by_kind', equals: ['k'] }, changed)).toEqual(['a']);
      expect(await found({ index: 'by_status', equals: ['s'] }, changed)).toEqual(['b', 'a']);
      await opened.store.apply([{ ...write({ id: 'b', status: 's', rank: 2 }, 10), collection: changed }], 10n);
      await opened.store.prepare([things]);
      await opened.store.prepare([things]);
      expect(await found({ index: 'ranked' })).toEqual(['a', 'b']);
    });
  });
}
