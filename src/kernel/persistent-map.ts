/**
 * A map whose every version stays valid: states of deciders are shared and must not change, and copying a hundred thousand
 * entries for each new one would cost more than the rest of the command. Only the bucket that changes is copied.
 */
export type PersistentMap<V> = Readonly<{ size: number; buckets: readonly (ReadonlyMap<string, V> | undefined)[] }>;

const BUCKETS = 256;

export const emptyMap: PersistentMap<never> = { size: 0, buckets: [] };

export const lookUp = <V>({ buckets }: PersistentMap<V>, key: string): V | undefined =>
  buckets[bucketOf(key)]?.get(key);

export function withEntry<V>(map: PersistentMap<V>, key: string, value: V): PersistentMap<V> {
  const bucket = new Map(map.buckets[bucketOf(key)]);
  const size = bucket.has(key) ? map.size : map.size + 1;
  return { size, buckets: replaced(map.buckets, bucketOf(key), bucket.set(key, value)) };
}

export function withoutEntry<V>(map: PersistentMap<V>, key: string): PersistentMap<V> {
  const bucket = new Map(map.buckets[bucketOf(key)]);
  if (!bucket.delete(key)) return map;
  return { size: map.size - 1, buckets: replaced(map.buckets, bucketOf(key), bucket) };
}

function replaced<V>(
  buckets: PersistentMap<V>['buckets'],
  index: number,
  bucket: ReadonlyMap<string, V>,
): PersistentMap<V>['buckets'] {
  const next = buckets.slice();
  next[index] = bucket;
  return next;
}

/** FNV-1a: spreads ids that begin alike, as those made in the same second do. */
function bucketOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  return (hash >>> 0) % BUCKETS;
}
