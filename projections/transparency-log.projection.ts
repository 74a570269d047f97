import { notFollowed } from '../src/kernel/assert-never';
import { type SigningKeyEvent } from '../src/events/signing-key.events';
import { type CheckpointSigned, type TransparencyLogEvent } from '../src/events/transparency-log.events';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { collection, create, ignored, type Projection, type Step } from '../src/platform/read-model/projection';

export type CheckpointDocument = CheckpointSigned['data'] & Readonly<{ id: string; log: 'main' }>;

export type SigningKeyDocument = Readonly<{
  id: string;
  log: 'main';
  alg: 'Ed25519';
  public_key: string;
  published_at: string;
}>;

/** Of several checkpoints over the same events the last one counts: it is under the newer key. */
export const checkpoints = collection<CheckpointDocument>('transparency_checkpoints', {
  by_size: { equals: ['log'], sort: 'tree_size' },
});

export const signingKeys = collection<SigningKeyDocument>('transparency_keys', {
  by_age: { equals: ['log'], sort: 'published_at' },
});

export const transparencyLogProjection: Projection = {
  name: 'transparency-log',
  version: 1,
  collections: [checkpoints, signingKeys],
  project: (recorded) => steps(recorded as RecordedEvent & (TransparencyLogEvent | SigningKeyEvent)),
};

export const checkpointId = (treeSize: number): string => `checkpoint-${treeSize}`;

function steps({ type, data }: RecordedEvent & (TransparencyLogEvent | SigningKeyEvent)): readonly Step[] {
  switch (type) {
    case 'CheckpointSigned':
      return [create(checkpoints, { id: checkpointId(data.tree_size), log: 'main', ...data })];
    case 'SigningKeyPublished': {
      const { key_id: id, alg, public_key, published_at } = data;
      return [create(signingKeys, { id, log: 'main', alg, public_key, published_at })];
    }
    // For readers of the log itself.
    case 'SigningKeyEndorsed':
      return ignored;
    default:
      return notFollowed(type, ignored);
  }
}
