import { Inject, Injectable } from '@nestjs/common';
import {
  type CheckpointDocument,
  checkpointId,
  checkpoints,
  signingKeys,
} from '../../../projections/transparency-log.projection';
import { refuse } from '../../kernel/errors';
import { type Page, type PageRequest, READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { EVENT_STORE, type EventStore } from '../../platform/event-store/event-store.port';
import { type Checkpoint, type Endorsement, type PublicKey } from '../proofs';
import { EndorsementChains } from './endorsement-chains';
import { TreeReader } from '../tree/tree-reader';

const MAX_KEYS = 200;

/** Signed checkpoints, from the read model. */
@Injectable()
export class Checkpoints {
  private readonly chains: EndorsementChains;

  constructor(
    @Inject(READ_MODEL) private readonly model: ReadModel,
    @Inject(EVENT_STORE) store: EventStore,
  ) {
    this.chains = new EndorsementChains(store);
  }

  list(page: PageRequest): Promise<Page<CheckpointDocument>> {
    return this.model.find(checkpoints, 'by_size', ['main'], page);
  }

  async ofSize(treeSize: number): Promise<Checkpoint> {
    const found = await this.model.get(checkpoints, checkpointId(treeSize));
    if (found === undefined) throw refuse('resource_not_found');
    return checkpointView(found);
  }

  /** The newest one; undefined before the first. */
  async newest(): Promise<Checkpoint | undefined> {
    const [found] = (await this.list({ limit: 1, order: 'desc' })).documents;
    return found && checkpointView(found);
  }

  async keys() {
    return (await this.model.find(signingKeys, 'by_age', ['main'], { limit: MAX_KEYS, order: 'desc' })).documents;
  }

  async keysOf(...signed: readonly Checkpoint[]): Promise<readonly PublicKey[]> {
    const ids = [...new Set(signed.map(({ key_id }) => key_id))];
    const found = await Promise.all(ids.map((id) => this.model.get(signingKeys, id)));
    return found.flatMap((key) => (key ? [{ key_id: key.id, public_key: key.public_key }] : []));
  }

  endorsementsOf(...keyIds: readonly string[]): Promise<readonly Endorsement[]> {
    return this.chains.to(keyIds);
  }

  /** The tree, at least as large as the checkpoint. While it is being rebuilt, no proofs are available. */
  async treeOf({ tree_size }: Checkpoint): Promise<TreeReader> {
    const tree = await TreeReader.open(this.model);
    if (tree === undefined || tree.size < tree_size) {
      const message = 'The transparency log is being built; ask again in a moment.';
      throw refuse('store_unavailable', { message, headers: { 'Retry-After': '2' } });
    }
    return tree;
  }
}

export const checkpointView = ({ id: _id, log: _log, ...checkpoint }: CheckpointDocument): Checkpoint => checkpoint;

export const hexOf = (hashes: readonly Buffer[]): readonly string[] => hashes.map((hash) => hash.toString('hex'));
