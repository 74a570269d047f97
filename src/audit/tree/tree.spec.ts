import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { type Document } from '../../platform/read-model/projection';
import { isConsistent, leafHash, nodeHash, rootFromInclusion, RootOfAll } from '../proofs';
import { newEvents } from '../../../test/support/events';
import { type ReadModel } from '../../platform/read-model/read-model.port';
import { GrowingTree } from './growing-tree';
import { hashOfEvent, hashOfNode } from './hashing';
import { TREE_ID } from './tiles';
import { TreeReader } from './tree-reader';

/** Leaf i is at position 10 i + 7 of the log. */
const positionOf = (leaf: number): bigint => BigInt(leaf * 10 + 7);
const leafOf = (index: number): Buffer => hashOfNode(Buffer.alloc(32, index % 251), Buffer.from(`leaf ${index}`));

/** A tree of this many leaves, grown with a restart in the middle, and read from what was stored. */
async function treeOf(size: number): Promise<TreeReader> {
  const stored = new Map<string, Document>();
  let tree = new GrowingTree();
  for (let index = 0; index < size; index += 1) {
    for (const { document } of tree.add(leafOf(index), positionOf(index))) stored.set(document.id, document);
    if (index === Math.floor(size / 2)) tree = new GrowingTree(JSON.parse(JSON.stringify(tree.document())));
  }
  stored.set(TREE_ID, tree.document());
  const model = {
    get: async (_: unknown, id: string) => stored.get(id),
    find: async (_: unknown, _index: string, _equals: unknown, { after }: { after: { sort: number } }) => {
      const candidates = [...stored.values()] as { level?: number; first_position?: number }[];
      const found = candidates.filter(
        ({ level, first_position }) => level === 0 && (first_position ?? 0) <= after.sort,
      );
      return { documents: found.slice(-1), next: null };
    },
  } as unknown as ReadModel;
  return (await TreeReader.open(model)) as TreeReader;
}

function plainRoot(size: number): string {
  const all = new RootOfAll();
  for (let index = 0; index < size; index += 1) all.add(leafOf(index));
  return all.root();
}

describe('the tree of the transparency log', () => {
  it('hashes as the checker does', () => {
    const [one, two] = newEvents(2).map((event) => ({ ...event, stream: 'a-1', version: 1, position: 1n }));
    const [left, right] = [hashOfEvent(one as never), hashOfEvent(two as never)];
    expect(left).toEqual(Buffer.from(leafHash(one as never)));
    expect(hashOfNode(left, right)).toEqual(Buffer.from(nodeHash(left, right)));
  });

  it('has the root that other implementations give to the same leaves', () => {
    const inputs = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
    const tree = new GrowingTree();
    const hash = (hex: string): Buffer => createHash('sha256').update(`00${hex}`, 'hex').digest();
    inputs.forEach((hex, index) => tree.add(hash(hex), BigInt(index + 1)));
    expect(tree.root().toString('hex')).toBe('5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328');
  });

  it.each([0, 1, 2, 3, 255, 256, 257, 511, 512, 513, 66_000])('of %i leaves has the root of RFC 9162', async (size) => {
    const tree = await treeOf(size);
    expect((await tree.rootAt(size)).toString('hex')).toBe(plainRoot(size));
  });

  it('proves every leaf at every size, and nothing else', async () => {
    const tree = await treeOf(70_000);
    const sizes = fc.integer({ min: 1, max: 70_000 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(), fc.nat(), async (size, some, other) => {
        const index = some % size;
        const path = await tree.inclusion(index, size);
        const root = (await tree.rootAt(size)).toString('hex');
        expect(rootFromInclusion(leafOf(index), index, size, path)).toBe(root);
        if (other % size !== index) expect(rootFromInclusion(leafOf(index), other % size, size, path)).not.toBe(root);
        expect(rootFromInclusion(leafOf(index + 1), index, size, path)).not.toBe(root);
      }),
      { numRuns: 60 },
    );
  });

  it('proves that it only ever grew', async () => {
    const tree = await treeOf(1_500);
    const roots = new Map<number, string>();
    const rootAt = async (size: number): Promise<string> => {
      const root = roots.get(size) ?? (await tree.rootAt(size)).toString('hex');
      roots.set(size, root);
      return root;
    };
    const sizes = fc.integer({ min: 1, max: 1_500 });
    await fc.assert(
      fc.asyncProperty(sizes, sizes, async (one, two) => {
        const [older, newer] = [Math.min(one, two), Math.max(one, two)];
        const proof = await tree.consistency(older, newer);
        const first = { size: older, root: await rootAt(older) };
        const second = { size: newer, root: await rootAt(newer) };
        expect(isConsistent(first, second, proof)).toBe(true);
        if (older === newer) return;
        expect(isConsistent({ ...first, root: second.root }, second, proof)).toBe(false);
        expect(isConsistent(first, { ...second, root: first.root }, proof)).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  it('finds a leaf by the place of its event, and the place of a leaf', async () => {
    const tree = await treeOf(1_000);
    for (const leaf of [0, 1, 255, 256, 767, 768, 999]) {
      expect(await tree.leafAt(positionOf(leaf))).toBe(leaf);
      expect(await tree.positionOf(leaf)).toBe(positionOf(leaf));
    }
    expect(await tree.leafAt(positionOf(3) + 1n)).toBeUndefined();
    expect(await tree.leafAt(positionOf(1_000))).toBeUndefined();
    expect(await tree.leafAt(1n)).toBeUndefined();
  });
});
