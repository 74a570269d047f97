import { LOG_START } from '../../../src/platform/event-store/event-store.port';
import { type Opened } from '../read-model.contract';
import { dumpOf, others, plain, store, things, walk, write } from './sample-documents';

const BEYOND_DOUBLES = 2n ** 53n;

export function applying(opened: Opened): void {
  describe('applying', () => {
    it('starts empty, at the start of the log', async () => {
      expect((await opened.store.state()).position).toBe(LOG_START);
      expect(await opened.store.get(things, 'a')).toBeUndefined();
      expect(await dumpOf(opened.store, things)).toEqual([]);
    });

    it('stores documents and checkpoint atomically', async () => {
      await opened.store.apply([write({ id: 'a', n: 1 }, 4), write({ id: 'b', n: 2 }, 6, others)], 7n);
      expect(await opened.store.get(things, 'a')).toEqual({ id: 'a', n: 1 });
      expect(await opened.store.get(others, 'b')).toEqual({ id: 'b', n: 2 });
      expect(await opened.store.get(others, 'a')).toBeUndefined();
      expect((await opened.store.state()).position).toBe(7n);
    });

    it('moves the checkpoint even if an event changes no document', async () => {
      await opened.store.apply([], 3n);
      expect((await opened.store.state()).position).toBe(3n);
    });

    it.each([4n, 5n])('ignores a write at position %s over a document of position 5', async (position) => {
      await opened.store.apply([write({ id: 'a', status: 'new', rank: 1 }, 5)], 5n);
      await opened.store.apply([write({ id: 'a', status: 'old', rank: 2 }, position)], 6n);
      expect(await opened.store.get(things, 'a')).toEqual({ id: 'a', status: 'new', rank: 1 });
      expect(await walk(opened.store, { index: 'by_status', equals: ['old'] })).toEqual([]);
      expect((await opened.store.state()).position).toBe(6n);
    });

    it('keeps the newest of several writes to a document that was just loaded', async () => {
      await opened.store.apply([write({ id: 'a', status: 'open' }, 1)], 1n);
      await opened.store.load([{ collection: things, id: 'a' }]);
      const writes = [write({ id: 'a', status: 'done' }, 5), write({ id: 'a', status: 'late' }, 4)];
      await opened.store.apply([...writes, write({ id: 'a', status: 'last' }, 6)], 6n);
      expect(await dumpOf(opened.store, things)).toEqual(['6 {"id":"a","status":"last"}']);
      for (const status of ['open', 'done', 'late'])
        expect(await walk(opened.store, { index: 'by_status', equals: [status] })).toEqual([]);
    });

    it('never moves the checkpoint back', async () => {
      await opened.store.apply([], 9n);
      await opened.store.apply([write({ id: 'a' }, 1)], 8n);
      expect((await opened.store.state()).position).toBe(9n);
      await opened.store.apply([write({ id: 'b' }, 2)], 9n);
      expect((await opened.store.state()).position).toBe(9n);
      expect(await dumpOf(opened.store, things)).toEqual(['1 {"id":"a"}', '2 {"id":"b"}']);
    });

    it('keeps the id of the event at the checkpoint, and none that was given with an earlier checkpoint', async () => {
      const nothing = { position: LOG_START, event: undefined, fingerprint: undefined };
      expect(await opened.store.state()).toEqual(nothing);
      await opened.store.apply([], 5n, [], 'evt_five');
      await opened.store.apply([], 4n, [], 'evt_four');
      expect(await (await opened.reopen()).state()).toEqual({ ...nothing, position: 5n, event: 'evt_five' });
      // As versions before this one do.
      await opened.store.apply([], 6n);
      expect(await opened.store.state()).toEqual({ ...nothing, position: 6n });
      await opened.store.apply([], 7n, [], 'evt_seven');
      await opened.store.reset('second');
      expect(await opened.store.state()).toEqual({ ...nothing, fingerprint: 'second' });
      await opened.store.apply([], 8n, [], 'evt_eight');
      const state = { position: 8n, event: 'evt_eight', fingerprint: 'second' };
      expect(await (await opened.reopen()).state()).toEqual(state);
    });

    it('continues after an ignored write, in every collection', async () => {
      await store(opened.store, [{ id: 'stale', n: 1 }], 50);
      await opened.store.apply(
        [
          write({ id: 'a' }, 51),
          write({ id: 'stale', n: 2 }, 3),
          write({ id: 'b' }, 52),
          write({ id: 'c' }, 53, plain),
          write({ id: 'stale', n: 3 }, 50),
          write({ id: 'd' }, 54),
        ],
        54n,
      );
      expect(await dumpOf(opened.store, things)).toEqual([
        '51 {"id":"a"}',
        '52 {"id":"b"}',
        '54 {"id":"d"}',
        '50 {"id":"stale","n":1}',
      ]);
      expect(await dumpOf(opened.store, plain)).toEqual(['53 {"id":"c"}']);
    });

    it('stores several versions of one document in the order given', async () => {
      await opened.store.apply(
        [1, 2, 3].map((rank) => write({ id: 'a', rank }, rank)),
        3n,
      );
      expect(await dumpOf(opened.store, things)).toEqual(['3 {"id":"a","rank":3}']);
      expect(await walk(opened.store, { index: 'ranked' })).toEqual([{ id: 'a', rank: 3 }]);
      await opened.store.apply([write({ id: 'a', rank: 5 }, 5), write({ id: 'a', rank: 4 }, 4)], 5n);
      expect(await dumpOf(opened.store, things)).toEqual(['5 {"id":"a","rank":5}']);
    });

    it('stores what is said to be new as any other write, whatever is there already', async () => {
      await opened.store.apply([write({ id: 'older', status: 'before' }, 1), write({ id: 'newer' }, 9)], 9n);
      const ids = ['first', 'older', 'newer', 'last'];
      const writes = ids.map((id) => ({ ...write({ id, status: 'after' }, 5), isNew: true }));
      for (const checkpoint of [10n, 11n]) await opened.store.apply(writes, checkpoint);
      expect(await dumpOf(opened.store, things)).toEqual([
        '5 {"id":"first","status":"after"}',
        '5 {"id":"last","status":"after"}',
        '9 {"id":"newer"}',
        '5 {"id":"older","status":"after"}',
      ]);
      expect(await walk(opened.store, { index: 'by_status', equals: ['before'] })).toEqual([]);
      expect((await opened.store.state()).position).toBe(11n);
    });

    it('has the same result if a batch is applied again', async () => {
      const batch = [write({ id: 'a', rank: 1 }, 1), write({ id: 'b' }, 2, plain), write({ id: 'c', rank: 2 }, 3)];
      await opened.store.apply(batch, 3n);
      await opened.store.apply(batch, 3n);
      await opened.store.apply([...batch, write({ id: 'd', rank: 0 }, 4)], 4n);
      expect(await walk(opened.store, { index: 'ranked' })).toEqual([
        { id: 'd', rank: 0 },
        { id: 'a', rank: 1 },
        { id: 'c', rank: 2 },
      ]);
    });

    it('accepts overlapping batches', async () => {
      const batches = Array.from({ length: 20 }, (_, at) =>
        opened.store.apply([write({ id: 'a', at }, at + 1), write({ id: `b${at}` }, at + 1, plain)], BigInt(at + 1)),
      );
      await Promise.all(batches);
      expect(await dumpOf(opened.store, things)).toEqual(['20 {"id":"a","at":19}']);
      expect(await dumpOf(opened.store, plain)).toHaveLength(20);
      expect((await opened.store.state()).position).toBe(20n);
    });

    it('loads in the order of the refs, with positions beyond 2^53 exactly', async () => {
      const high = BEYOND_DOUBLES * 512n + 1n;
      await opened.store.apply([write({ id: 'a' }, high), write({ id: 'a' }, high + 1n, others)], high + 2n);
      const refs = [
        { collection: others, id: 'a' },
        { collection: things, id: 'none' },
        { collection: things, id: 'a' },
        { collection: others, id: 'a' },
      ];
      const loaded = await opened.store.load(refs);
      expect(loaded.map((one) => one?.position)).toEqual([high + 1n, undefined, high, high + 1n]);
      expect(loaded[2]?.document).toEqual({ id: 'a' });
      expect((await opened.store.state()).position).toBe(high + 2n);
      expect(await opened.store.load([])).toEqual([]);
    });

    it('distinguishes neighbouring positions that doubles cannot', async () => {
      const even = BEYOND_DOUBLES * 4n;
      await opened.store.apply([write({ id: 'a', n: 1 }, even)], even);
      await opened.store.apply([write({ id: 'a', n: 2 }, even + 1n)], even + 1n);
      await opened.store.apply([write({ id: 'a', n: 3 }, even)], even);
      expect(await opened.store.get(things, 'a')).toEqual({ id: 'a', n: 2 });
      expect((await opened.store.state()).position).toBe(even + 1n);
    });

    it('accepts the last position a signed 64-bit log can have', async () => {
      await opened.store.apply([write({ id: 'a' }, 2n ** 63n - 1n)], 2n ** 63n - 1n);
      expect(await dumpOf(opened.store, things)).toEqual(['9223372036854775807 {"id":"a"}']);
      expect((await opened.store.state()).position).toBe(2n ** 63n - 1n);
    });
  });
}
