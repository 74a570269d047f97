import {
  type EventStore,
  LOG_START,
  type Position,
  type RecordedEvent,
} from '../../platform/event-store/event-store.port';
import { type DocumentWrite, type ReadModelStore } from '../../platform/read-model/read-model.port';
import { feedPages, feeds, type NewLeaf, planFeeds } from './merchant-feeds';
import { StreamOwners } from './stream-owner';
import { GrowingTree, type NewTile } from '../tree/growing-tree';
import { hashOfEvent } from '../tree/hashing';
import { tiles, TREE_ID, type TreeDocument, trees } from '../tree/tiles';
import { TreeReader } from '../tree/tree-reader';
import { type CheckpointSigned } from '../../events/transparency-log.events';

export const auditCollections = [tiles, trees, feeds, feedPages];

/** Another instance has changed the stored index: the follower restarts from there. */
export class IndexMoved extends Error {}

/** An event has changed since a checkpoint covering it was signed. Nothing may be signed any more. */
export class LogChanged extends Error {}

type Options = Readonly<{
  /** Checked right before every write: an instance that was paused must not write after another took over. */
  mayStore?: () => boolean;
  /** Told of every checkpoint that the log does not fit. Unless it throws, the tree grows on. */
  onChanged?: (change: LogChanged) => void;
}>;

const refuse = (change: LogChanged): never => {
  throw change;
};

/**
 * The tree over the log and every merchant's part of it: events are added one by one, and flush stores the result. All
 * of it is a function of the log: whichever instance flushes when, the documents come out the same.
 */
export class AuditIndex {
  private tree = new GrowingTree();
  private seen: Position = LOG_START;
  private flushed: Position = LOG_START;
  private tiles: NewTile[] = [];
  private leaves: NewLeaf[] = [];
  private unchecked: CheckpointSigned['data'][] = [];
  private readonly owners: StreamOwners;
  private readonly mayStore: () => boolean;
  private readonly onChanged: (change: LogChanged) => void;

  constructor(
    store: Pick<EventStore, 'readStream'>,
    private readonly model: ReadModelStore,
    { mayStore = () => true, onChanged = refuse }: Options = {},
  ) {
    this.owners = new StreamOwners(store);
    this.mayStore = mayStore;
    this.onChanged = onChanged;
  }

  /** Loads what is stored, and returns the position to continue after. */
  async open(): Promise<Position> {
    await this.model.prepare(auditCollections);
    const [stored] = await this.model.load([{ collection: trees, id: TREE_ID }]);
    this.tree = new GrowingTree(stored?.document as TreeDocument | undefined);
    this.seen = this.flushed = stored?.position ?? LOG_START;
    return this.seen;
  }

  /** How many events wait to be stored. */
  unflushed = 0;

  get size(): number {
    return this.tree.size;
  }

  get position(): Position {
    return this.seen;
  }

  /** How many checkpoints are in the log, and whether anything but checkpoints follows the newest one. */
  get signed(): Readonly<{ checkpoints: number; hasNews: boolean }> {
    const { checkpoints, news, covered } = this.tree;
    return { checkpoints, hasNews: news > covered };
  }

  root(): string {
    return this.tree.root().toString('hex');
  }

  async add(event: RecordedEvent): Promise<void> {
    // Nothing is awaited after this lookup, so that a concurrent flush sees all of an event or none of it.
    const merchantId = await this.owners.of(event);
    const leaf = this.tree.size;
    this.tiles.push(...this.tree.add(hashOfEvent(event), event.position));
    if (event.type === 'CheckpointSigned') this.addCheckpoint(event.data as CheckpointSigned['data']);
    else this.tree.news = leaf + 1;
    if (merchantId !== undefined) this.leaves.push({ merchantId, leaf, position: event.position });
    this.seen = event.position;
    this.unflushed += 1;
  }

  /**
   * Checkpoints are checked before they are stored: what refuses one meets it again after every restart. The tree itself
   * is written last: if the writes stop half-way, the same events are added and written again.
   */
  async flush(): Promise<void> {
    if (this.unflushed === 0) return;
    const [stored] = await this.model.load([{ collection: trees, id: TREE_ID }]);
    if ((stored?.position ?? LOG_START) !== this.flushed)
      throw new IndexMoved('the transparency log was stored by another');
    const [seen, full, leaves, unchecked] = [this.seen, this.tiles, this.leaves, this.unchecked];
    const document = this.tree.document();
    const edge: DocumentWrite = { collection: trees, document, position: seen };
    this.tiles = [];
    this.leaves = [];
    this.unchecked = [];
    this.unflushed = 0;
    await this.check(unchecked, document, full);
    const feedWrites = await planFeeds(leaves, this.model);
    if (!this.mayStore()) throw new IndexMoved('the transparency log may be stored by another by now');
    const tileWrites = full.map((tile): DocumentWrite => ({ collection: tiles, ...tile }));
    await this.model.apply([...tileWrites, ...feedWrites, edge], LOG_START);
    this.flushed = seen;
  }

  private addCheckpoint(checkpoint: CheckpointSigned['data']): void {
    this.tree.checkpoints += 1;
    this.tree.covered = Math.max(this.tree.covered, checkpoint.tree_size);
    this.unchecked.push(checkpoint);
  }

  private async check(
    signed: readonly CheckpointSigned['data'][],
    tree: TreeDocument,
    unstored: readonly NewTile[],
  ): Promise<void> {
    const reader = TreeReader.ahead(
      this.model,
      tree,
      unstored.map(({ document }) => document),
    );
    for (const { tree_size, root } of signed) {
      // What is not a number of leaves was not signed by this service.
      const isSize = Number.isSafeInteger(tree_size) && tree_size >= 0 && tree_size <= reader.size;
      const isSame = isSize && (await reader.rootAt(tree_size)).toString('hex') === root;
      if (!isSame) this.onChanged(new LogChanged(`the first ${tree_size} events are not those that were signed`));
    }
  }
}
