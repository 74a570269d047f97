import { LOG_START, type Position } from '../../platform/event-store/event-store.port';
import { type ReadModel } from '../../platform/read-model/read-model.port';
import { EMPTY_ROOT, hashOfNode, largestPowerBelow, rootOver } from './hashing';
import {
  TILE,
  type TileDocument,
  tileId,
  tiles,
  TREE_ID,
  type TreeDocument,
  trees,
  unpackHashes,
  unpackPositions,
} from './tiles';

const AFTER_ANY_ID = '~';

/** A view of the stored tree: roots, proofs and positions, each from a few tiles. */
export class TreeReader {
  private readonly loaded = new Map<string, Promise<readonly Buffer[]>>();

  private constructor(
    private readonly model: ReadModel,
    private readonly tree: TreeDocument,
    unstored: readonly TileDocument[] = [],
  ) {
    for (const { id, hashes } of unstored) this.loaded.set(id, Promise.resolve(unpackHashes(hashes)));
  }

  /** Of a tree that has grown since it was stored. Only for roots: positions are looked up in stored tiles. */
  static ahead(model: ReadModel, tree: TreeDocument, unstored: readonly TileDocument[]): TreeReader {
    return new TreeReader(model, tree, unstored);
  }

  /** Undefined before the first leaf. */
  static async open(model: ReadModel): Promise<TreeReader | undefined> {
    const tree = await model.get(trees, TREE_ID);
    return tree && new TreeReader(model, tree);
  }

  get size(): number {
    return this.tree.size;
  }

  /** The root when the log had this many events. */
  rootAt(size: number): Promise<Buffer> {
    return size === 0 ? Promise.resolve(EMPTY_ROOT) : this.rootOf(0, size);
  }

  /** RFC 9162, 2.1.3.1: the hashes that lead from a leaf to the root over the first `size` leaves. */
  async inclusion(leaf: number, size: number): Promise<readonly Buffer[]> {
    const path: Promise<Buffer>[] = [];
    let [from, to] = [0, size];
    while (to - from > 1) {
      const middle = from + largestPowerBelow(to - from);
      if (leaf < middle) {
        path.unshift(this.rootOf(middle, to));
        to = middle;
      } else {
        path.unshift(this.rootOf(from, middle));
        from = middle;
      }
    }
    return Promise.all(path);
  }

  /** RFC 9162, 2.1.4.1: proves that the first `older` leaves are the same in both trees. */
  async consistency(older: number, newer: number): Promise<readonly Buffer[]> {
    if (older === 0 || older === newer) return [];
    const path: Promise<Buffer>[] = [];
    let [from, to] = [0, newer];
    let isWhole = true;
    while (older !== to) {
      const middle = from + largestPowerBelow(to - from);
      if (older <= middle) {
        path.unshift(this.rootOf(middle, to));
        to = middle;
      } else {
        path.unshift(this.rootOf(from, middle));
        from = middle;
        isWhole = false;
      }
    }
    if (!isWhole) path.unshift(this.rootOf(from, to));
    return Promise.all(path);
  }

  /** The leaf index of the event at a log position; undefined if it has none, or none yet. */
  async leafAt(position: Position): Promise<number | undefined> {
    const edge = unpackPositions(this.tree.positions);
    const [first] = edge;
    if (first !== undefined && position >= first) return found(edge, position, this.tree.size - edge.length);
    const after = { sort: Number(position), id: AFTER_ANY_ID };
    const page = await this.model.find(tiles, 'leaves', [0], { limit: 1, order: 'desc', after });
    const [tile] = page.documents;
    return tile && found(unpackPositions(tile.positions ?? ''), position, tile.index * TILE);
  }

  /** The log position of a leaf's event. The position before the first leaf is the start of the log. */
  async positionOf(leaf: number): Promise<Position> {
    if (leaf < 0) return LOG_START;
    const index = Math.floor(leaf / TILE);
    const packed =
      index < Math.floor(this.tree.size / TILE)
        ? (await this.model.get(tiles, tileId(0, index)))?.positions
        : this.tree.positions;
    const position = unpackPositions(packed ?? '')[leaf % TILE];
    if (position === undefined) throw new Error(`leaf ${leaf} is not in the tree`);
    return position;
  }

  private async rootOf(from: number, to: number): Promise<Buffer> {
    const width = to - from;
    if (isPowerOfTwo(width) && from % width === 0) return this.complete(from, width);
    const middle = from + largestPowerBelow(width);
    const [left, right] = await Promise.all([this.rootOf(from, middle), this.rootOf(middle, to)]);
    return hashOfNode(left, right);
  }

  /** The root of a complete subtree, from the highest tile that holds its parts. */
  private async complete(from: number, width: number): Promise<Buffer> {
    let level = 0;
    let share = 1;
    while (share * TILE <= width) {
      share *= TILE;
      level += 1;
    }
    const first = from / share;
    const hashes = await this.tile(level, Math.floor(first / TILE));
    const parts = hashes.slice(first % TILE, (first % TILE) + width / share);
    if (parts.length !== width / share) throw new Error(`the tree has no leaves from ${from} to ${from + width}`);
    return rootOver(parts);
  }

  private tile(level: number, index: number): Promise<readonly Buffer[]> {
    const id = tileId(level, index);
    const known = this.loaded.get(id) ?? this.load(level, index, id);
    this.loaded.set(id, known);
    return known;
  }

  private async load(level: number, index: number, id: string): Promise<readonly Buffer[]> {
    const isFull = index < Math.floor(this.tree.size / TILE ** (level + 1));
    if (!isFull) return unpackHashes(this.tree.edges[level] ?? '');
    const tile = await this.model.get(tiles, id);
    if (tile === undefined) throw new Error(`tile ${id} of the transparency log is missing`);
    return unpackHashes(tile.hashes);
  }
}

const isPowerOfTwo = (n: number): boolean => largestPowerBelow(n + 1) === n;

function found(positions: readonly Position[], position: Position, offset: number): number | undefined {
  const index = positions.indexOf(position);
  return index < 0 ? undefined : offset + index;
}
