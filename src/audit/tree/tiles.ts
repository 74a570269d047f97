import { collection } from '../../platform/read-model/projection';
import { HASH_BYTES } from './hashing';

/** How many hashes a tile holds: those of 256 leaves, or the roots of 256 tiles of the level below. */
export const TILE = 256;

/** A full tile never changes. */
export type TileDocument = Readonly<{
  id: string;
  level: number;
  index: number;
  /** The concatenated hashes, in base64. */
  hashes: string;
  /** For leaves only: the log position of the first one, by which a leaf is searched. */
  first_position: number | null;
  /** For leaves only: the log position of each, separated by commas. */
  positions: string | null;
}>;

/** The right edge of the tree: what does not fill a tile yet. Together with the full tiles it is the whole tree. */
export type TreeDocument = Readonly<{
  id: string;
  size: number;
  /** By level, as in a tile. */
  edges: readonly string[];
  positions: string;
  /** How many leaves the newest checkpoint in the tree covers. */
  covered: number;
  /** How many leaves there are up to the last one that is not a checkpoint. */
  news: number;
  /** How many checkpoints are in the tree. */
  checkpoints: number;
}>;

// A full tile is never rewritten, so a different way of hashing or tiling needs different collection names.
export const tiles = collection<TileDocument>('transparency_tiles', {
  leaves: { equals: ['level'], sort: 'first_position' },
});

export const trees = collection<TreeDocument>('transparency_trees');

export const TREE_ID = 'log';

export const tileId = (level: number, index: number): string => `${level}-${index}`;

export const packHashes = (hashes: readonly Buffer[]): string => Buffer.concat(hashes).toString('base64');

export function unpackHashes(packed: string): Buffer[] {
  const bytes = Buffer.from(packed, 'base64');
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, index) =>
    bytes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES),
  );
}

export const packPositions = (positions: readonly bigint[]): string => positions.join(',');

export const unpackPositions = (packed: string): bigint[] => (packed === '' ? [] : packed.split(',').map(BigInt));
