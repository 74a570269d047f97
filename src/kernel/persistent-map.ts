/**
 * A map whose every version stays valid: decider states are shared and must not change, and copying a hundred thousand
 * entries for each new one would cost more than the rest of the command. A trie over the key's hash: an update copies
 * the few small nodes on its path and shares the rest.
 */
export type PersistentMap<V> = Readonly<{ size: number; root: Node<V> | undefined }>;

type Leaf<V> = Readonly<{ key: string; value: V }>;
type Branch<V> = readonly (Node<V> | undefined)[];
/** A plain map at the depth where the hash has no bits left to tell keys apart. */
type Node<V> = Leaf<V> | Branch<V> | ReadonlyMap<string, V>;

const BITS = 5;
const LAST_DEPTH = 6;

export const emptyMap: PersistentMap<never> = { size: 0, root: undefined };

export function lookUp<V>({ root }: PersistentMap<V>, key: string): V | undefined {
  const hash = hashOf(key);
  let node = root;
  for (let depth = 0; isBranch(node); depth += 1) node = node[slotAt(hash, depth)];
  if (node === undefined) return undefined;
  if (node instanceof Map) return (node as ReadonlyMap<string, V>).get(key);
  return (node as Leaf<V>).key === key ? (node as Leaf<V>).value : undefined;
}

export function withEntry<V>(map: PersistentMap<V>, key: string, value: V): PersistentMap<V> {
  const size = lookUp(map, key) === undefined ? map.size + 1 : map.size;
  return { size, root: put(map.root, { key, value }, hashOf(key), 0) };
}

export function withoutEntry<V>(map: PersistentMap<V>, key: string): PersistentMap<V> {
  if (lookUp(map, key) === undefined) return map;
  return { size: map.size - 1, root: drop(map.root, key, hashOf(key), 0) };
}

/** Every key with its value, in no particular order. */
export function entriesOf<V>({ root }: PersistentMap<V>): readonly (readonly [key: string, value: V])[] {
  return leavesIn(root);
}

function leavesIn<V>(node: Node<V> | undefined): readonly (readonly [string, V])[] {
  if (node === undefined) return [];
  if (isBranch(node)) return node.flatMap(leavesIn);
  if (node instanceof Map) return [...(node as ReadonlyMap<string, V>)];
  const { key, value } = node as Leaf<V>;
  return [[key, value]];
}

function put<V>(node: Node<V> | undefined, leaf: Leaf<V>, hash: number, depth: number): Node<V> {
  if (depth === LAST_DEPTH) return new Map(node as ReadonlyMap<string, V> | undefined).set(leaf.key, leaf.value);
  if (node === undefined) return leaf;
  if (isBranch(node)) {
    const slot = slotAt(hash, depth);
    return replaced(node, slot, put(node[slot], leaf, hash, depth + 1));
  }
  const other = node as Leaf<V>;
  if (other.key === leaf.key) return leaf;
  return put(put<V>([], other, hashOf(other.key), depth), leaf, hash, depth);
}

function drop<V>(node: Node<V> | undefined, key: string, hash: number, depth: number): Node<V> | undefined {
  if (isBranch(node)) {
    const slot = slotAt(hash, depth);
    const next = replaced(node, slot, drop(node[slot], key, hash, depth + 1));
    return next.some((child) => child !== undefined) ? next : undefined;
  }
  if (!(node instanceof Map)) return undefined;
  const rest = new Map(node as ReadonlyMap<string, V>);
  rest.delete(key);
  return rest.size === 0 ? undefined : rest;
}

const isBranch = <V>(node: Node<V> | undefined): node is Branch<V> => Array.isArray(node);

const slotAt = (hash: number, depth: number): number => (hash >>> (depth * BITS)) & ((1 << BITS) - 1);

function replaced<V>(branch: Branch<V>, slot: number, child: Node<V> | undefined): Branch<V> {
  const next = branch.slice();
  next[slot] = child;
  return next;
}

/** FNV-1a: spreads ids with a common beginning, such as those made in the same second. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
