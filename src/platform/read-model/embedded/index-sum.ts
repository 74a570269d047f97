import { crc32 } from 'node:zlib';
import { encodeNote } from './stored-codec';
import { noteAt, type Tables } from './tables';

/** The sum of all index keys' checksums modulo 2^32: order does not matter. (XOR of consecutive keys cancels out.) */
export const INDEX_SUM = 'index sum';

/** Called for each entry that is added, and with -1 for each that is removed. */
export type Counted = (key: Buffer, sign: 1 | -1) => void;

/**
 * Inside a write transaction: tracks what `work` does to the indexes. A changed document is detected by its checksum, a
 * changed index key is not: the document behind it would be missing from a list unnoticed. A file from before this sum
 * existed continues without it.
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
