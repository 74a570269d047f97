import { type PageCursor } from '../../../src/platform/read-model/read-model.port';
import { type Opened } from '../read-model.contract';
import { idsOf, store, things, walk, write } from './sample-documents';

export function paging(opened: Opened): void {
  describe('paging', () => {
    const page = async (after: PageCursor | undefined, limit = 3, order: 'asc' | 'desc' = 'asc') => {
      const { documents, next } = await opened.store.find(things, 'ranked', [], { limit, after, order });
      return { ids: idsOf(documents), next };
    };
    const ranked = (ids: string, from = 1) => [...ids].map((id, at) => ({ id, rank: from + at }));

    it('returns each document once, whatever the page size', async () => {
      await store(opened.store, ranked('abcdef'));
      for (const limit of [1, 2, 3, 6, 7, 100]) {
        expect(idsOf(await walk(opened.store, { index: 'ranked' }, limit))).toEqual([...'abcdef']);
        expect(idsOf(await walk(opened.store, { index: 'ranked', order: 'desc' }, limit))).toEqual([...'fedcba']);
        expect(idsOf(await walk(opened.store, { index: 'all', order: 'desc' }, limit))).toEqual([...'fedcba']);
      }
    });

    it('says whether there is more: a cursor at the last document of the page, or null', async () => {
      await store(opened.store, ranked('abcdef'));
      expect(await page(undefined)).toEqual({ ids: ['a', 'b', 'c'], next: { sort: 3, id: 'c' } });
      expect(await page({ sort: 3, id: 'c' })).toEqual({ ids: ['d', 'e', 'f'], next: null });
      expect(await page({ sort: 6, id: 'f' })).toEqual({ ids: [], next: null });
      const { next } = await opened.store.find(things, 'all', [], { limit: 1 });
      expect(next).toEqual({ sort: null, id: 'a' });
    });

    it('ends a page early at a size limit, but with at least one document', async () => {
      const large = [...'abcdef'].map((id, at) => ({ id, rank: at, text: 'x'.repeat(1_000) }));
      await store(opened.store, large);
      const pages = [];
      for (let after: PageCursor | null | undefined; after !== null;) {
        const page = await opened.store.find(things, 'ranked', [], { limit: 5, bytes: 1_500, after });
        pages.push(idsOf(page.documents).join(''));
        after = page.next;
      }
      expect(pages).toEqual(['ab', 'cd', 'ef']);
      const { documents, next } = await opened.store.find(things, 'ranked', [], { limit: 5, bytes: 1 });
      expect([idsOf(documents), next]).toEqual([['a'], { sort: 0, id: 'a' }]);
      const whole = await opened.store.find(things, 'ranked', [], { limit: 6, bytes: 6_000 });
      expect([whole.documents.length, whole.next]).toEqual([6, null]);
    });

    it('measures documents by their JSON, so that a page ends at the same document on every store', async () => {
      const numbers = Array.from({ length: 400 }, (_, at) => at);
      const large = [...'abcdef'].map((id, rank) => ({ id, rank, numbers, text: 'é\u{1f600}"', 'a.b': { $c: null } }));
      await store(opened.store, large, 1_000_000);
      const bytes = Buffer.byteLength(JSON.stringify(large[0]));
      const idsWithin = async (most: number): Promise<readonly string[]> =>
        idsOf((await opened.store.find(things, 'ranked', [], { limit: 6, bytes: most })).documents);
      expect(await idsWithin(bytes)).toEqual(['a']);
      expect(await idsWithin(bytes + 1)).toEqual(['a', 'b']);
      expect(await idsWithin(3 * bytes)).toEqual(['a', 'b', 'c']);
      expect(await idsWithin(5 * bytes + 1)).toEqual([...'abcdef']);
    });

    it('counts documents for a value, up to a maximum', async () => {
      await store(opened.store, [
        ...ranked('abc').map((thing) => ({ ...thing, status: 'open' })),
        { id: 'd', status: 'open' },
        { id: 'e', status: 'open2', rank: 1 },
      ]);
      const count = (index: string, equals: readonly string[], upTo: number): Promise<number> =>
        opened.store.count(things, index, equals, upTo);
      expect(await count('by_status', ['open'], 100)).toBe(4);
      expect(await count('by_status_ranked', ['open'], 100)).toBe(3);
      expect(await count('by_status', ['open'], 2)).toBe(2);
      expect(await count('by_status', ['none'], 2)).toBe(0);
    });

    it('pages through ties longer than a page', async () => {
      await store(
        opened.store,
        [...'ghcdefab'].map((id) => ({ id, rank: 'same' })),
      );
      expect(idsOf(await walk(opened.store, { index: 'ranked' }, 3))).toEqual([...'abcdefgh']);
      expect(idsOf(await walk(opened.store, { index: 'ranked', order: 'desc' }, 3))).toEqual([...'hgfedcba']);
    });

    it.each(['asc', 'desc'] as const)(
      'continues where it was while documents are added, removed and moved (%s)',
      async (order) => {
        const sign = order === 'asc' ? 1 : -1;
        const put = (id: string, rank: number | null, position: number) =>
          opened.store.apply([write({ id, rank: rank === null ? null : rank * sign }, position)], BigInt(position));
        await store(
          opened.store,
          ranked('abcdefghi').map(({ id, rank }) => ({ id, rank: rank * sign })),
        );
        const first = await page(undefined, 3, order);
        expect(first.ids).toEqual(['a', 'b', 'c']);

        await put('c', null, 20);
        await put('before', 0, 21);
        await put('within', 3.5, 22);
        await put('e', 0.5, 23);
        await put('f', null, 24);
        await put('a', 8.5, 25);
        const second = await page(first.next ?? undefined, 3, order);
        expect(second.ids).toEqual(['within', 'd', 'g']);

        await put('g', 1, 26);
        await put('i', 9.5, 27);
        await put('last', 10, 28);
        const third = await page(second.next ?? undefined, 10, order);
        expect(third).toEqual({ ids: ['h', 'a', 'i', 'last'], next: null });
      },
    );

    it('starts after any place a cursor names, whether or not a document is there', async () => {
      await store(opened.store, [{ id: 'n', rank: 5 }, { id: 't', rank: 'm' }, ...ranked('abc')]);
      expect((await page({ sort: 2, id: 'a' }, 10)).ids).toEqual(['b', 'c', 'n', 't']);
      expect((await page({ sort: 2, id: 'z' }, 10)).ids).toEqual(['c', 'n', 't']);
      expect((await page({ sort: 100, id: '' }, 10)).ids).toEqual(['t']);
      expect((await page({ sort: 'a', id: 'x' }, 10, 'desc')).ids).toEqual(['n', 'c', 'b', 'a']);
      expect((await page({ sort: 'z'.repeat(3000), id: 'x' }, 10)).ids).toEqual([]);
      expect((await page({ sort: 'a'.repeat(3000), id: 'x'.repeat(3000) }, 10)).ids).toEqual(['t']);
      expect((await page({ sort: 'z'.repeat(3000), id: 'x' }, 10, 'desc')).ids).toEqual(['t', 'n', 'c', 'b', 'a']);
    });

    it('starts at the first page if the cursor does not fit the index', async () => {
      await store(opened.store, ranked('ab'));
      expect((await page({ sort: null, id: 'a' })).ids).toEqual(['a', 'b']);
      const forged = { sort: { $gt: '' }, id: { $gt: '' } } as unknown as PageCursor;
      expect((await page(forged)).ids).toEqual(['a', 'b']);
      const { documents } = await opened.store.find(things, 'all', [], { limit: 5, after: { sort: 9, id: 'a' } });
      expect(idsOf(documents)).toEqual(['b']);
    });
  });
}
