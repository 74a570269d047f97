import { chainTo, type Endorsing } from '../log/endorsement-chains';
import { type Checkpoint, type Endorsement, type PublicKey } from '../proofs';
import { GrowingTree } from '../tree/growing-tree';
import { hashOfEvent } from '../tree/hashing';
import { type TileDocument, TREE_ID } from '../tree/tiles';
import { TreeReader } from '../tree/tree-reader';
import { type EventStore } from '../../platform/event-store/event-store.port';
import { type ReadModel } from '../../platform/read-model/read-model.port';
import { is } from '../../events';
import { scan } from './scan';

export type SignedLog = Readonly<{
  checkpoint: Checkpoint;
  keys: readonly PublicKey[];
  endorsements: readonly Endorsement[];
  newer: number;
  tree: TreeReader;
}>;

/** The newest checkpoint in the log and its tree, rebuilt from the events without trusting the stored one. */
export async function readSignedLog(store: EventStore, label: string): Promise<SignedLog | undefined> {
  const tree = new GrowingTree();
  const full = new Map<string, TileDocument>();
  const keys = new Map<string, PublicKey>();
  const endorsed = new Map<string, Endorsing>();
  let checkpoint: Checkpoint | undefined;
  for await (const event of scan(store, { label })) {
    for (const { document } of tree.add(hashOfEvent(event), event.position)) full.set(document.id, document);
    if (is(event, 'CheckpointSigned')) checkpoint = event.data;
    if (is(event, 'SigningKeyPublished')) {
      const { key_id, public_key } = event.data;
      keys.set(key_id, { key_id, public_key });
    }
    if (is(event, 'SigningKeyEndorsed')) endorsed.set(event.data.key_id, event.data);
  }
  if (checkpoint === undefined) return undefined;
  const edge = tree.document();
  const inMemory: Pick<ReadModel, 'get'> = {
    get: async (_, id) => (id === TREE_ID ? edge : full.get(id)) as never,
  };
  const reader = await TreeReader.open(inMemory as ReadModel);
  const key = keys.get(checkpoint.key_id);
  if (reader === undefined) return undefined;
  const endorsements = await chainTo(checkpoint.key_id, async (id) => ({
    publicKey: keys.get(id)?.public_key,
    endorsed: endorsed.get(id),
  }));
  return { checkpoint, keys: key ? [key] : [], endorsements, newer: tree.size - checkpoint.tree_size, tree: reader };
}
