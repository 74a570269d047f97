import fc from 'fast-check';
import { MongoBulkWriteError } from 'mongodb';
import { type StoredCollection, type StoredFields } from './connection';
import { type GuardedWrite, storeGuarded } from './guarded-writes';

type Insert = { insertOne: { document: StoredFields } };
type Replace = { replaceOne: { filter: { _id: string; position: { $lt: bigint } }; replacement: StoredFields } };
type Failure = { index: number; code: number };

const failed = (failures: readonly Failure[]): MongoBulkWriteError =>
  Object.assign(Object.create(MongoBulkWriteError.prototype) as MongoBulkWriteError, {
    code: failures[0]?.code,
    writeErrors: failures as never,
  });

/** A collection that stops an ordered bulk write at its first error, as MongoDB does and not every server for tests. */
class StrictCollection {
  readonly collectionName = 'things';
  readonly stored = new Map<string, bigint>();
  roundTrips = 0;
  inserted = 0;

  async bulkWrite(operations: readonly (Insert | Replace)[], { ordered }: { ordered: boolean }): Promise<void> {
    this.roundTrips += 1;
    expect(ordered).toBe(true);
    for (const [index, operation] of operations.entries()) {
      const isInsert = 'insertOne' in operation;
      const _id = isInsert ? operation.insertOne.document._id : operation.replaceOne.filter._id;
      const there = this.stored.get(_id);
      const isRefused = isInsert || (there ?? 0n) >= operation.replaceOne.filter.position.$lt;
      if (there !== undefined && isRefused) throw failed([{ index, code: 11000 }]);
      this.stored.set(_id, (isInsert ? operation.insertOne.document : operation.replaceOne.replacement).position);
      this.inserted += Number(isInsert);
    }
  }

  find({ _id }: { _id: { $in: string[] } }) {
    this.roundTrips += 1;
    const found = [...this.stored]
      .filter(([id]) => _id.$in.includes(id))
      .map(([id, position]) => ({ _id: id, position }));
    return { toArray: () => Promise.resolve(found) };
  }

  store(writes: readonly GuardedWrite[]): Promise<void> {
    return storeGuarded(this as unknown as StoredCollection, writes);
  }
}

const write = (_id: string, position: number, isNew = false): GuardedWrite => ({
  fields: { _id, position: BigInt(position), document: {} },
  isNew,
});

describe('guarded writes', () => {
  it('are stored in one round trip if nothing is stale', async () => {
    const collection = new StrictCollection();
    await collection.store([write('a', 1), write('b', 2), write('a', 3)]);
    expect([...collection.stored]).toEqual([
      ['a', 3n],
      ['b', 2n],
    ]);
    expect(collection.roundTrips).toBe(1);
  });

  it('leave out what is stale and store the rest, in few round trips', async () => {
    const collection = new StrictCollection();
    const batch = Array.from({ length: 500 }, (_, at) => write(`id${at}`, at + 1));
    await collection.store(batch);
    collection.roundTrips = 0;
    await collection.store([...batch, write('new', 501), ...batch, write('id0', 502)]);
    expect(collection.stored.get('new')).toBe(501n);
    expect(collection.stored.get('id0')).toBe(502n);
    expect(collection.roundTrips).toBe(3);
  });

  it('insert what is new, and replace it after all if it was there', async () => {
    const collection = new StrictCollection();
    await collection.store([write('a', 1, true), write('b', 2, true), write('c', 3)]);
    expect([collection.inserted, collection.roundTrips]).toEqual([2, 1]);
    await collection.store([write('a', 1, true), write('b', 4, true), write('d', 5, true)]);
    expect([...collection.stored]).toEqual([
      ['a', 1n],
      ['b', 4n],
      ['c', 3n],
      ['d', 5n],
    ]);
    expect(collection.roundTrips).toBe(4);
  });

  it('leave every document at its newest position, whatever is stored, written and taken to be new', async () => {
    const one = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 9 }), fc.boolean());
    const writes = fc.array(one, { maxLength: 12 });
    type Given = [string, number, boolean][];
    const newest = async (before: Given, given: Given): Promise<void> => {
      const collection = new StrictCollection();
      const expected = new Map<string, bigint>();
      for (const [id, position] of [...before, ...given])
        if ((expected.get(id) ?? -1n) < BigInt(position)) expected.set(id, BigInt(position));
      await collection.store(before.map((one) => write(...one)));
      await collection.store(given.map((one) => write(...one)));
      expect(new Map([...collection.stored].sort())).toEqual(new Map([...expected].sort()));
    };
    await fc.assert(fc.asyncProperty(writes, writes, newest));
  });

  it('are retried if another writer created the document first with an older position', async () => {
    const collection = new StrictCollection();
    const bulkWrite = collection.bulkWrite.bind(collection);
    // Between filter and insert of the upsert the other one was faster.
    collection.bulkWrite = async () => {
      collection.bulkWrite = bulkWrite;
      collection.stored.set('a', 1n);
      throw failed([{ index: 0, code: 11000 }]);
    };
    await collection.store([write('a', 5), write('b', 6)]);
    expect([...collection.stored]).toEqual([
      ['a', 5n],
      ['b', 6n],
    ]);
  });

  it('fail for a document that is neither older nor newer, and on any other error', async () => {
    const collection = new StrictCollection();
    collection.bulkWrite = () => Promise.reject(failed([{ index: 0, code: 11000 }]));
    await expect(collection.store([write('a', 5)])).rejects.toThrow(/things holds a document at a/);
    collection.bulkWrite = () => Promise.reject(failed([{ index: 0, code: 121 }]));
    await expect(collection.store([write('a', 5)])).rejects.toBeInstanceOf(MongoBulkWriteError);
  });
});
