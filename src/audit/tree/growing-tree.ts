import { type Position } from '../../platform/event-store/event-store.port';
import { EMPTY_ROOT, rootOver } from './hashing';
import {
  packHashes,
  packPositions,
  TILE,
  type TileDocument,
  tileId,
  TREE_ID,
  type TreeDocument,
  unpackHashes,
  unpackPositions,
} from './tiles';

export type NewTile = Readonly<{ document: TileDocument; position: Position }>;

/** The right edge of the tree, in memory. Full tiles are returned to be stored and are not needed again. */
export class GrowingTree {
  private readonly edges: Buffer[][];
  private positions: bigint[];
  private length: number;
  covered: number;
  news: number;
  checkpoints: number;

  constructor(known?: TreeDocument) {
    this.edges = known?.edges.map(unpackHashes) ?? [[]];
    this.positions = unpackPositions(known?.positions ?? '');
    this.length = known?.size ?? 0;
    this.covered = known?.covered ?? 0;
    this.news = known?.news ?? 0;
    this.checkpoints = known?.checkpoints ?? 0;
  }

  get size(): number {
    return this.length;
  }

  /** Returns the tiles that this leaf completes. */
  add(leaf: Buffer, position: Position): readonly NewTile[] {
    this.positions.push(position);
    const filled: NewTile[] = [];
    let hash = leaf;
    for (let level = 0; ; level += 1) {
      const edge = (this.edges[level] ??= []);
      edge.push(hash);
      if (edge.length < TILE) break;
      filled.push({ document: this.tile(level, edge), position });
      hash = rootOver(edge);
      this.edges[level] = [];
      if (level === 0) this.positions = [];
    }
    this.length += 1;
    return filled;
  }

  root(): Buffer {
    let right: Buffer | undefined;
    for (const edge of this.edges) {
      const nodes = right === undefined ? edge : [...edge, right];
      if (nodes.length > 0) right = rootOver(nodes);
    }
    return right ?? EMPTY_ROOT;
  }

  document(): TreeDocument {
    return {
      id: TREE_ID,
      size: this.length,
      edges: this.edges.map(packHashes),
      positions: packPositions(this.positions),
      covered: this.covered,
      news: this.news,
      checkpoints: this.checkpoints,
    };
  }

  private tile(level: number, edge: readonly Buffer[]): TileDocument {
    // `length` does not include the leaf being added yet.
    const index = Math.floor(this.length / TILE ** (level + 1));
    const isLeaves = level === 0;
    return {
      id: tileId(level, index),
      level,
      index,
      hashes: packHashes(edge),
      first_position: isLeaves ? Number(this.positions[0]) : null,
      positions: isLeaves ? packPositions(this.positions) : null,
    };
  }
}
