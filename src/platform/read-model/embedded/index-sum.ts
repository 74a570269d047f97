import { crc32 } from 'node:zlib';
import { encodeNote } from './stored-codec';
import { noteAt, type Tables } from './tables';

/** The checksums of all index keys, added up modulo 2^32, so that entries may come and go in any order. (Combined by XOR, those of keys that count up cancel out.) */
export const INDEX_SUM = 'index sum';

/** Is told of each entry that comes, and with -1 of each that goes. */
export type Counted = (key: Buffer, sign: 1 | -1) => void;

/**
 * Inside a write transaction: counts what `work` does to the indexes. A changed document gives itself away, a changed key of an index
 * does not: the document behind it would be missing from a list, and nobody would know. A file from before they were
 * counted goes on without.
 */
export function countingIndexes(tables: Tables, work: (counted: Counted) => void): void {
  const before = sumIn(tables);
  let sum = before ?? 0;
  work((key, sign) => (sum = (sum + sign * crc32(key)) >>> 0));
  if (before !== undefined && sum !== before) tables.state.putSync(INDEX_SUM, encodeNote(String(sum)));
}

function sumIn(tables: Tables): number | undefined {
  const note = noteAt(tables, INDEX_SUM);
  if (note !== undefined) return Number(note);
  const { entryCount } = tables.indexes.getStats() as { entryCount: number };
  return entryCount === 0 ? 0 : undefined;
}
