import fc from 'fast-check';
import { MongoBulkWriteError } from 'mongodb';
import { type StoredCollection, type StoredFields } from './connection';
import { storeGuarded } from './guarded-writes';

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

  async bulkWrite(operations: readonly Replace[], { ordered }: { ordered: boolean }): Promise<void> {
    this.roundTrips += 1;
    expect(ordered).toBe(true);
    for (const [index, { replaceOne }] of operations.entries()) {
      const { _id, position } = replaceOne.filter;
      const there = this.stored.get(_id);
      if (there !== undefined && there >= position.$lt) throw failed([{ index, code: 11000 }]);
      this.stored.set(_id, replaceOne.replacement.position);
    }
  }

  find({ _id }: { _id: { $in: string[] } }) {
    this.roundTrips += 1;
    const found = [...this.stored]
      .filter(([id]) => _id.$in.includes(id))
      .map(([id, position]) => ({ _id: id, position }));
    return { toArray: () => Promise.resolve(found) };
  }

  store(writes: readonly StoredFields[]): Promise<void> {
    return storeGuarded(this as unknown as StoredCollection, writes);
  }
}

const write = (_id: string, position: number): StoredFields => ({ _id, position: BigInt(position), document: {} });

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

  it('leave every document at its newest position, whatever is stored and written', async () => {
    const writes = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 9 })), {
      maxLength: 12,
    });
    const newest = async (before: [string, number][], given: [string, number][]): Promise<void> => {
      const collection = new StrictCollection();
      const expected = new Map<string, bigint>();
      for (const [id, position] of [...before, ...given])
        if ((expected.get(id) ?? -1n) < BigInt(position)) expected.set(id, BigInt(position));
      await collection.store(before.map(([id, position]) => write(id, position)));
      await collection.store(given.map(([id, position]) => write(id, position)));
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
