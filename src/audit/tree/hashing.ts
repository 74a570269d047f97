import { hash } from 'node:crypto';
import { asStored, type RecordedEvent } from '../../platform/event-store/event-store.port';
import { canonicalJson } from '../../kernel/canonical-json';
import { leafText, type Means } from '../proofs';

export const HASH_BYTES = 32;
/** As a character, the single zero byte that RFC 9162 puts before a leaf. */
const LEAF_PREFIX = '\0';
const NODE_PREFIX = Buffer.of(1);
const means: Means = { digest: (text) => hash('sha256', text, 'hex'), canonical: canonicalJson };

/** The same hashes as in src/audit/proofs, but with node:crypto: every event of the log is hashed here. */
export const hashOfEvent = (event: RecordedEvent): Buffer =>
  hash('sha256', LEAF_PREFIX + leafText(asStored(event), means), 'buffer');

export const hashOfNode = (left: Uint8Array, right: Uint8Array): Buffer =>
  hash('sha256', Buffer.concat([NODE_PREFIX, left, right]), 'buffer');

export const EMPTY_ROOT = hash('sha256', '', 'buffer');

/** The root over adjacent nodes of one height; the last may be lower, as at the right edge of a tree. */
export function rootOver(nodes: readonly Buffer[], from = 0, to = nodes.length): Buffer {
  const [only] = to - from === 1 ? nodes.slice(from, to) : [];
  if (only !== undefined) return only;
  const middle = from + largestPowerBelow(to - from);
  return hashOfNode(rootOver(nodes, from, middle), rootOver(nodes, middle, to));
}

/** RFC 9162's k: the largest power of two smaller than n. */
export function largestPowerBelow(n: number): number {
  let power = 1;
  while (power * 2 < n) power *= 2;
  return power;
}
