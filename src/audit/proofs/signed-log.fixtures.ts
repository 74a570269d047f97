import { createHash } from 'node:crypto';
import nacl from 'tweetnacl';
import { type ExportHeader, type ExportSeal } from './check-export';
import { type ConsistencyProof, type PaymentProof } from './check-proof';
import { type Checkpoint, keyIdOf, signedBytes } from './checkpoint';
import { type Extent, extentBytes, sealBytes } from './extent';
import { canonical, leafHash, type ProvenEvent } from './leaf';
import { type Hash, nodeHash, RootOfAll } from './merkle';

/** A log that signs whatever it is told to: also what an honest service never would. */
export const keyFrom = (letter: string) => {
  const { publicKey, secretKey } = nacl.sign.keyPair.fromSeed(Buffer.alloc(32, letter));
  const public_key = Buffer.from(publicKey).toString('hex');
  return { key_id: keyIdOf(public_key), public_key, secretKey };
};
export type Key = ReturnType<typeof keyFrom>;
export const shown = ({ key_id, public_key }: Key) => ({ key_id, public_key });
export const signedBy = ({ secretKey }: Key, bytes: Uint8Array): string =>
  Buffer.from(nacl.sign.detached(bytes, secretKey)).toString('hex');

export const eventOf = (stream: string, version: number, type: string, data: object): ProvenEvent => ({
  stream,
  version,
  type,
  data,
  metadata: { event_id: `evt_${stream}_${version}`, occurred_at: '2026-01-01T00:00:00.000Z' },
});

export function checkpointOf(log: readonly ProvenEvent[], key: Key, changes: Partial<Checkpoint> = {}): Checkpoint {
  const all = new RootOfAll();
  for (const event of log) all.add(leafHash(event));
  const about = {
    origin: 'https://svc.example',
    tree_size: log.length,
    root: all.root(),
    time: '2026-01-02T00:00:00.000Z',
    key_id: key.key_id,
    ...changes,
  };
  return { ...about, signature: signedBy(key, signedBytes(about)) };
}

export function proofOver(
  log: readonly ProvenEvent[],
  leaves: readonly number[],
  key: Key,
  about: Partial<Extent> = {},
  by = key,
): PaymentProof {
  const checkpoint = checkpointOf(log, key);
  const own = leaves.filter((leaf) => log[leaf]?.stream === 'payment_request-1').length;
  const extent = { stream: 'payment_request-1', version: own, withheld: [], leaves, key_id: by.key_id, ...about };
  return {
    format: 'svc.proof.v1',
    request_id: 'pr_1',
    checkpoint,
    keys: [...new Set([key, by])].map(shown),
    events: leaves.map((leaf_index) => ({
      leaf_index,
      event: log[leaf_index] as ProvenEvent,
      inclusion: inclusionOf(log, leaf_index),
    })),
    extent: { ...extent, signature: signedBy(by, extentBytes(checkpoint, 'pr_1', extent)) },
    pending: 0,
  };
}

export const consistencyOf = (from: Checkpoint, to: Checkpoint, key: Key, proof: string[] = []): ConsistencyProof => ({
  format: 'svc.consistency.v1',
  from,
  to,
  keys: [shown(key)],
  proof,
});

type ExportChoices = Readonly<{
  scope?: string;
  by?: Key;
  header?: Partial<ExportHeader>;
  /** Changes an event before all of it is signed. */
  change?: (event: ProvenEvent) => object;
  seal?: Partial<ExportSeal>;
}>;

/** The lines of an export of these leaves; each event carries its proof unless the scope is the whole log. */
export function exportOver(
  log: readonly ProvenEvent[],
  leaves: readonly number[],
  key: Key,
  { scope = 'merchant-1', by = key, header = {}, seal = {}, change = (event) => event }: ExportChoices = {},
): string[] {
  const checkpoint = checkpointOf(log, key);
  const { origin, tree_size } = checkpoint;
  const body = [
    { format: 'svc.export.v1', scope, origin, tree_size, ...header },
    ...leaves.map((leaf_index) => ({
      leaf_index,
      ...(scope === 'all' ? {} : { inclusion: inclusionOf(log, leaf_index) }),
      ...change(log[leaf_index] as ProvenEvent),
    })),
  ].map((line) => canonical(line));
  const sha256 = createHash('sha256')
    .update(body.map((line) => `${line}\n`).join(''))
    .digest('hex');
  const about = { scope, events: leaves.length, sha256, key_id: by.key_id };
  const statement = { key_id: by.key_id, signature: signedBy(by, sealBytes(checkpoint, about)) };
  const keys = [...new Set([key, by])].map(shown);
  const rest = scope === 'all' ? {} : { statement };
  return [...body, canonical({ checkpoint, keys, events: leaves.length, sha256, ...rest, ...seal })];
}

const inclusionOf = (log: readonly ProvenEvent[], leaf: number): string[] =>
  pathTo(log.map(leafHash), leaf).map((hash) => Buffer.from(hash).toString('hex'));

function pathTo(hashes: readonly Hash[], leaf: number): Hash[] {
  if (hashes.length === 1) return [];
  const half = 2 ** Math.ceil(Math.log2(hashes.length) - 1);
  const [left, right] = [hashes.slice(0, half), hashes.slice(half)];
  return leaf < half ? [...pathTo(left, leaf), rootOf(right)] : [...pathTo(right, leaf - half), rootOf(left)];
}

function rootOf(hashes: readonly Hash[]): Hash {
  const [only] = hashes;
  if (hashes.length === 1 && only) return only;
  const half = 2 ** Math.ceil(Math.log2(hashes.length) - 1);
  return nodeHash(rootOf(hashes.slice(0, half)), rootOf(hashes.slice(half)));
}
