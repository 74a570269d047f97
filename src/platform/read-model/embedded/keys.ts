import { hash } from 'node:crypto';
import { RecentlyUsed } from '../../../kernel/recently-used';
import { type SortValue } from '../read-model.port';
import { type IndexPlace, type IndexValue } from '../index-place';

/** The longest key LMDB accepts; no stored key is longer, so a cursor cut to this length points at the same place. */
export const MAX_KEY_BYTES = 1978;

/**
 * LMDB orders keys by their bytes, so the order of a search is the order of these bytes:
 * collection 0 index 0 hash(equals) sort id. UTF-8 sorts by code point, as MongoDB does.
 */
export const documentKey = (collection: string, id: string): Buffer => Buffer.from(`${collection}\0${id}`);

export const documentsOf = (collection: string): KeyRange => rangeUnder(Buffer.from(`${collection}\0`));

export const indexesOf = documentsOf;

export function indexKey(collection: string, index: string, place: IndexPlace, id: string): Buffer {
  const places = placesEqualTo(collection, index, place.equals);
  const { sort } = place;
  if (typeof sort !== 'string' || sort.includes('\0')) {
    return Buffer.concat([places, sortBytes(sort), Buffer.from(id)]);
  }
  // A fast path for text: nearly all indexes sort by a timestamp.
  const rest = `${TEXT_MARK}${sort}\0\0${id}`;
  const key = Buffer.allocUnsafe(places.length + Buffer.byteLength(rest));
  places.copy(key);
  key.write(rest, places.length);
  return key;
}

/** Where a search with these values begins and ends. */
export const searchRange = (collection: string, index: string, equals: readonly IndexValue[]): KeyRange =>
  rangeUnder(placesEqualTo(collection, index, equals));

export type KeyRange = Readonly<{ start: Buffer; end: Buffer }>;

const CACHE_SIZE = 2_000;
const prefixCache = new RecentlyUsed<string, Buffer>(CACHE_SIZE);

/** Equality needs no order, and a hash keeps the key short, however long the values. The same few recur. */
function placesEqualTo(collection: string, index: string, equals: readonly IndexValue[]): Buffer {
  const values = JSON.stringify(equals);
  const name = `${collection}\0${index}\0`;
  const known = prefixCache.get(name + values);
  if (known !== undefined) return known;
  const digest = hash('sha256', values, 'buffer').subarray(0, 16);
  // Unpooled: a slice of Node's buffer pool would keep eight kilobytes alive for as long as it is cached.
  const places = Buffer.allocUnsafeSlow(name.length + digest.length);
  places.write(name);
  places.set(digest, name.length);
  prefixCache.set(name + values, places);
  return places;
}

const NUMBER = 1;
const TEXT = 2;
const TEXT_MARK = String.fromCharCode(TEXT);

function sortBytes(sort: SortValue | null): Buffer {
  if (sort === null) return Buffer.alloc(0);
  if (typeof sort === 'number') return numberBytes(sort);
  // A zero ends the text, so that "a" sorts before "ab" whatever id follows; a zero inside is marked to sort above it.
  const text = sort.includes('\0') ? sort.split('\0').map((part) => Buffer.from(part)) : [Buffer.from(sort)];
  const parts = text.flatMap((part, at) => (at === 0 ? [part] : [Buffer.from([0, 0xff]), part]));
  return Buffer.concat([Buffer.from([TEXT]), ...parts, Buffer.from([0, 0])]);
}

/** IEEE 754 sorts as bytes once the sign bit is flipped: positive numbers above, negative ones inverted below. */
function numberBytes(value: number): Buffer {
  const bytes = Buffer.alloc(9);
  bytes[0] = NUMBER;
  bytes.writeDoubleBE(value === 0 ? 0 : value, 1);
  const negative = (bytes[1] ?? 0) >= 0x80;
  for (let at = 1; at < 9; at++)
    bytes[at] = negative ? ~(bytes[at] ?? 0) & 0xff : (bytes[at] ?? 0) ^ (at === 1 ? 0x80 : 0);
  return bytes;
}

/** Everything that begins with the prefix: up to the prefix with its last byte incremented, after dropping any 0xff. */
function rangeUnder(prefix: Buffer): KeyRange {
  let length = prefix.length;
  while (prefix[length - 1] === 0xff) length--;
  const end = Buffer.from(prefix.subarray(0, length));
  end[length - 1] = (end[length - 1] ?? 0) + 1;
  return { start: prefix, end };
}
