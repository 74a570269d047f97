import { given } from '../../../test/support/given';
import { type CheckpointSigned } from '../../events/transparency-log.events';
import { checkpointLog } from './checkpoint-log';

const checkpoint = (tree_size: number): CheckpointSigned['data'] => ({
  origin: 'http://svc.test',
  tree_size,
  root: '00'.repeat(32),
  time: '2026-03-01T00:00:00.000Z',
  key_id: 'key',
  signature: '00'.repeat(64),
});
const signed = (tree_size: number): CheckpointSigned => ({ type: 'CheckpointSigned', data: checkpoint(tree_size) });

describe('the log of checkpoints', () => {
  it('takes one that comes after all existing ones', () => {
    given(checkpointLog)()
      .when({ after: 0, checkpoint: checkpoint(3) })
      .then(signed(3));
    given(checkpointLog)(signed(3))
      .when({ after: 1, checkpoint: checkpoint(7) })
      .then(signed(7));
  });

  it('takes none whose signer did not know the newest', () => {
    given(checkpointLog)(signed(3), signed(9))
      .when({ after: 1, checkpoint: checkpoint(7) })
      .thenNothing();
  });
});
