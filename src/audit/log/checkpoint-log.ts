import { type Decider } from '../../kernel/decider';
import { type CheckpointSigned, type TransparencyLogEvent } from '../../events/transparency-log.events';

export type SignCheckpoint = Readonly<{
  /** How many checkpoints there were when the tree's size and root were computed. */
  after: number;
  checkpoint: CheckpointSigned['data'];
}>;

/** Counts checkpoints. One is not written if another was signed in the meantime: its tree may be the older one. */
export const checkpointLog: Decider<number, SignCheckpoint, TransparencyLogEvent> = {
  category: 'transparency_log',
  initial: 0,
  decide: ({ after, checkpoint }, signed) => (after === signed ? [{ type: 'CheckpointSigned', data: checkpoint }] : []),
  evolve: (signed) => signed + 1,
};
