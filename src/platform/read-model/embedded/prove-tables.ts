import type * as Lmdb from 'lmdb';
import type * as Zlib from 'node:zlib';

export type Proof = Readonly<{ damage?: string; documents?: number }>;

/**
 * Reads everything and, for a process that will write, tries a write. The text of this function runs in a child process
 * (proving.ts), because the engine may crash on a damaged file; so it may use only its parameters, not even the
 * counters of a coverage report. The formats are those of stored-codec.ts and keys.ts.
 */
/* istanbul ignore next */
export function proveTables(require: NodeJS.Require, lmdbPath: string, directory: string, who: string): Proof {
  const lmdb = require(lmdbPath) as typeof Lmdb;
  const { crc32 } = require('node:zlib') as typeof Zlib;
  const isWhole = (text: string): boolean => crc32(text.slice(8)).toString(16).padStart(8, '0') === text.slice(0, 8);

  type Table = Lmdb.Database<string, Buffer>;
  const inOrder = function* (table: Table): Generator<Readonly<{ key: Buffer; value: string }>> {
    const { entryCount } = table.getStats() as { entryCount: number };
    let count = 0;
    let before: Buffer | undefined;
    for (const { key, value } of table.getRange({})) {
      if (before !== undefined && Buffer.compare(before, key) >= 0) throw new Error('keys are out of order');
      before = Buffer.from(key);
      count += 1;
      yield { key: before, value };
    }
    if (count !== entryCount) throw new Error(`there are ${count} entries where ${entryCount} are counted`);
  };

  try {
    const readOnly = who === 'reads';
    const root = lmdb.open<string, string>({
      path: directory,
      encoding: 'string',
      noSubdir: false,
      readOnly,
      noSync: true,
    });
    const tableOf = (name: string): Table =>
      root.openDB<string, Buffer>(name, { encoding: 'string', keyEncoding: 'binary' });
    const [documents, indexes] = [tableOf('documents'), tableOf('indexes')];
    const state = root.openDB<string, string>('state', { encoding: 'string' });
    // Opened read-only, tables that do not exist yet are undefined, whatever the types say.
    if ([documents, indexes, state].some((table: unknown) => table === undefined)) return { documents: 0 };
    let count = 0;
    for (const { key, value } of inOrder(documents)) {
      if (!value.startsWith('[') && !isWhole(value)) throw new Error('a document does not match its checksum');
      const [, { id }] = JSON.parse(value.startsWith('[') ? value : value.slice(8)) as [string, { id: string }];
      if (!key.toString().endsWith(`\0${id}`)) throw new Error('a document stands under the name of another');
      count += 1;
    }
    let sum = 0;
    for (const { key, value } of inOrder(indexes)) {
      sum = (sum + crc32(key)) >>> 0;
      const collection = key.toString('utf8', 0, key.indexOf(0));
      const isThere = documents.doesExist(Buffer.from(`${collection}\0${value}`));
      if (!isThere || !key.subarray(-Buffer.byteLength(value)).equals(Buffer.from(value)))
        throw new Error('an index has an entry for what is not there');
    }
    const summed = state.get('index sum');
    if (summed !== undefined && Number(summed.slice(9)) !== sum)
      throw new Error('the indexes are not what was written');
    for (const { value } of state.getRange({}))
      if (/^[0-9a-f]{8}=/.test(value) && !isWhole(value)) throw new Error('a note does not match its checksum');
    if (count > 0 && !state.doesExist('checkpoint')) throw new Error('how far it had come is lost');
    if (readOnly) return { documents: count };
    // Requesting more space than can be free makes the engine read its whole free list; nothing is kept.
    root.transactionSync(() => {
      state.putSync('tried', 'x'.repeat(16 * 1024 * 1024));
      // A failed write may not report it; a read after it does.
      state.doesExist('tried');
      return lmdb.ABORT;
    });
    return { documents: count };
  } catch (error) {
    return { damage: (error as Error).message };
  }
}
