import { LOG_START } from '../../../src/platform/event-store/event-store.port';
import { type Opened } from '../read-model.contract';
import { collections, dumpOf, idsOf, others, plain, store, things, walk, write } from './sample-documents';

export function forgetting(opened: Opened): void {
  describe('resetting and reopening', () => {
    it('has no fingerprint until it is set', async () => {
      expect((await opened.store.state()).fingerprint).toBeUndefined();
      await opened.store.apply([write({ id: 'a' }, 1)], 1n);
      expect((await opened.store.state()).fingerprint).toBeUndefined();
    });

    it('drops every document and the checkpoint, and stores the fingerprint', async () => {
      await store(opened.store, [{ id: 'a', status: 's', rank: 1 }], 900);
      await store(opened.store, [{ id: 'a' }], 901, plain);
      await opened.store.reset('second');
      expect((await opened.store.state()).fingerprint).toBe('second');
      expect((await opened.store.state()).position).toBe(LOG_START);
      expect(await opened.store.get(things, 'a')).toBeUndefined();
      expect(await opened.store.load([{ collection: plain, id: 'a' }])).toEqual([undefined]);
      for (const target of collections) expect(await dumpOf(opened.store, target)).toEqual([]);
      expect(await walk(opened.store, { index: 'by_status', equals: ['s'] })).toEqual([]);
    });

    it('can be rebuilt from lower positions after that', async () => {
      await store(opened.store, [{ id: 'a', status: 's', rank: 1 }], 900);
      await opened.store.reset('second');
      await store(opened.store, [{ id: 'a', status: 's', rank: 2 }], 3);
      expect(await walk(opened.store, { index: 'by_status_ranked', equals: ['s'] })).toEqual([
        { id: 'a', status: 's', rank: 2 },
      ]);
      expect((await opened.store.state()).position).toBe(3n);
    });

    it('drops collections that are no longer declared', async () => {
      await store(opened.store, [{ id: 'a' }], 1, others);
      const later = await opened.reopen();
      await later.prepare([things]);
      await later.reset('second');
      expect(await dumpOf(later, others)).toEqual([]);
    });

    it('keeps bookmarks separate: they never move back and outlive the documents', async () => {
      expect(await opened.store.bookmark('webhooks')).toBe(LOG_START);
      await opened.store.setBookmark('webhooks', 2n ** 60n + 1n);
      await opened.store.setBookmark('expiry', 5n);
      await opened.store.setBookmark('webhooks', 7n);
      await opened.store.setBookmark('checkpoint', 3n);
      await opened.store.reset('second');
      expect(await opened.store.bookmark('webhooks')).toBe(2n ** 60n + 1n);
      expect(await opened.store.bookmark('expiry')).toBe(5n);
      expect((await opened.store.state()).position).toBe(LOG_START);
      expect(await (await opened.reopen()).bookmark('webhooks')).toBe(2n ** 60n + 1n);
    });

    it('moves back bookmarks that are beyond a restored log, and keeps those of events set aside', async () => {
      for (const [name, mark] of [
        ['beyond', 900n],
        ['within', 9n],
        ['red#aside-0', 19n],
        ['red#aside-1', 20n],
        ['red#aside-2', 21n],
      ] as const)
        await opened.store.setBookmark(name, mark);
      await opened.store.reset('second', 10n);
      const marks = ['beyond', 'within', 'red#aside-0', 'red#aside-1', 'red#aside-2'];
      const found = await Promise.all(marks.map((name) => opened.store.bookmark(name)));
      expect(found).toEqual([10n, 9n, 19n, 20n, 20n]);
    });

    it('keeps its state when it is closed and reopened', async () => {
      const high = 2n ** 62n + 1n;
      await opened.store.reset('first');
      await store(opened.store, [
        { id: 'b', rank: 1 },
        { id: 'a', rank: 1 },
        { id: 'c', rank: 0 },
      ]);
      await opened.store.apply([write({ id: 'a', rank: 1 }, high, plain)], high);
      const later = await opened.reopen();
      expect((await later.state()).fingerprint).toBe('first');
      expect((await later.state()).position).toBe(high);
      expect(idsOf(await walk(later, { index: 'ranked' }))).toEqual(['c', 'a', 'b']);
      expect(await dumpOf(later, plain)).toEqual([`${high} {"id":"a","rank":1}`]);
      await later.prepare(collections);
      await later.apply([write({ id: 'a', rank: 9 }, high - 1n, plain)], high - 1n);
      expect(await dumpOf(later, plain)).toEqual([`${high} {"id":"a","rank":1}`]);
    });

    it('dumps every document in id order', async () => {
      const ids = Array.from({ length: 1201 }, (_, at) => `id${(at * 7919) % 1201}`);
      await store(
        opened.store,
        ids.map((id) => ({ id })),
      );
      await store(opened.store, [{ id: 'elsewhere' }], 1, plain);
      const dumped: string[] = [];
      for await (const { document } of opened.store.dump(things)) dumped.push(document.id);
      expect(dumped).toEqual([...ids].sort());
    });

    it('answers a ping', async () => {
      await expect(opened.store.ping()).resolves.toBeUndefined();
    });

    it('refuses everything once closed, and may be closed twice', async () => {
      await opened.store.close();
      await opened.store.close();
      await expect(opened.store.get(things, 'a')).rejects.toThrow();
      await expect(opened.store.apply([write({ id: 'a' }, 1)], 1n)).rejects.toThrow();
      await expect(opened.store.state()).rejects.toThrow();
      await opened.reopen();
    });
  });
}
