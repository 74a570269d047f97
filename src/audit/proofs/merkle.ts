import { sha256 } from '@noble/hashes/sha256';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils';

/** Trees as in RFC 9162, section 2.1. Everything here is recomputed from hashes; nothing is taken on trust. */
export type Hash = Uint8Array;

const HASH_HEX = /^[0-9a-f]{64}$/;

export const nodeHash = (left: Hash, right: Hash): Hash => sha256(concatBytes(Uint8Array.of(1), left, right));

/** Only one form is accepted, so that no character of a hash can be changed unnoticed. */
export function parseHash(text: unknown): Hash {
  if (typeof text !== 'string' || !HASH_HEX.test(text)) throw new TypeError('not a hash in lower-case hex');
  return hexToBytes(text);
}

/** The root that a leaf and its path lead to; undefined if the path does not have the length for such a tree. */
export function rootFromInclusion(
  leaf: Hash,
  index: number,
  treeSize: number,
  path: readonly Hash[],
): string | undefined {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(treeSize) || index < 0 || index >= treeSize)
    return undefined;
  let node = index;
  let last = treeSize - 1;
  let root = leaf;
  for (const sibling of path) {
    if (last === 0) return undefined;
    if (node % 2 === 1 || node === last) {
      root = nodeHash(sibling, root);
      while (node % 2 === 0 && node !== 0) {
        node = Math.floor(node / 2);
        last = Math.floor(last / 2);
      }
    } else {
      root = nodeHash(root, sibling);
    }
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 ? bytesToHex(root) : undefined;
}

/** Whether the second tree is the first one with leaves appended. */
export function isConsistent(
  first: Readonly<{ size: number; root: string }>,
  second: Readonly<{ size: number; root: string }>,
  proof: readonly Hash[],
): boolean {
  // A file may give anything as a size, and for some values, like null, the loops below would never end.
  if (!Number.isSafeInteger(first.size) || !Number.isSafeInteger(second.size)) return false;
  if (first.size > second.size || first.size < 0) return false;
  if (first.size === second.size) return proof.length === 0 && first.root === second.root;
  if (first.size === 0) return proof.length === 0;
  const path = isPowerOfTwo(first.size) ? [parseHash(first.root), ...proof] : [...proof];
  const begin = path.shift();
  if (begin === undefined) return false;
  let node = first.size - 1;
  let last = second.size - 1;
  while (node % 2 === 1) {
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  let firstRoot = begin;
  let secondRoot = begin;
  for (const sibling of path) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      firstRoot = nodeHash(sibling, firstRoot);
      secondRoot = nodeHash(sibling, secondRoot);
      while (node % 2 === 0 && node !== 0) {
        node = Math.floor(node / 2);
        last = Math.floor(last / 2);
      }
    } else {
      secondRoot = nodeHash(secondRoot, sibling);
    }
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && bytesToHex(firstRoot) === first.root && bytesToHex(secondRoot) === second.root;
}

const isPowerOfTwo = (size: number): boolean => {
  let rest = size;
  while (rest % 2 === 0) rest /= 2;
  return rest === 1;
};

/** The root over all leaves, added one by one; it holds at most one hash per power of two. */
export class RootOfAll {
  private readonly peaks: (Hash | undefined)[] = [];
  size = 0;

  add(leaf: Hash): void {
    let node = leaf;
    let level = 0;
    for (let left = this.peaks[level]; left !== undefined; left = this.peaks[level]) {
      node = nodeHash(left, node);
      this.peaks[level] = undefined;
      level += 1;
    }
    this.peaks[level] = node;
    this.size += 1;
  }

  root(): string {
    const peaks = this.peaks.filter((peak) => peak !== undefined);
    const root = peaks.reduce<Hash | undefined>((right, left) => (right ? nodeHash(left, right) : left), undefined);
    return bytesToHex(root ?? sha256(new Uint8Array()));
  }
}
