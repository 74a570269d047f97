import { Inject, Injectable } from '@nestjs/common';
import { EVENT_STORE, type EventStore, type Position } from '../platform/event-store/event-store.port';
import { refuse } from '../kernel/errors';
import { Checkpoints, hexOf } from './log/checkpoints';
import { type AuditedPayment, paymentHistory } from './payment-history';
import { asField, type EventProof, type PaymentProof } from './proofs';
import { SigningKey } from './log/signing-key';
import { TransparencyLog } from './log/transparency-log';
import { shownTo, type Viewer } from './log/visibility';

type Answer = PaymentProof & Readonly<{ pending: number }>;

/** Builds the proof of what the log says about one payment. */
@Injectable()
export class PaymentProver {
  constructor(
    private readonly checkpoints: Checkpoints,
    private readonly log: TransparencyLog,
    private readonly key: SigningKey,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  /** `requestId` is what the payment is called. */
  async prove(about: Readonly<{ requestId: string; request: AuditedPayment; viewer: Viewer }>): Promise<Answer> {
    const { proof, newest } = await this.proofOf(about);
    if (proof?.pending === 0) return proof;
    // The newest events are not covered yet: a fresh checkpoint makes them part of the proof.
    if (newest !== undefined) await this.log.covers(newest);
    const { proof: again } = await this.proofOf(about);
    if (again === undefined) {
      const message = 'Nothing has been signed yet; ask again in a moment.';
      throw refuse('store_unavailable', { message, headers: { 'Retry-After': '2' } });
    }
    return again;
  }

  /** Has no proof until there is a checkpoint. */
  private async proofOf({
    requestId,
    request,
    viewer,
  }: Readonly<{ requestId: string; request: AuditedPayment; viewer: Viewer }>): Promise<
    Readonly<{ proof?: Answer; newest: Position | undefined }>
  > {
    // Read the checkpoint before the history, so that the history has everything the checkpoint covers.
    const checkpoint = await this.checkpoints.newest();
    const { history, own } = await paymentHistory(this.store, request, viewer);
    const newest = history.at(-1)?.position;
    if (checkpoint === undefined) return { newest };
    const [tree, keys, endorsements] = await Promise.all([
      this.checkpoints.treeOf(checkpoint),
      this.checkpoints.keysOf(checkpoint),
      this.checkpoints.endorsementsOf(checkpoint.key_id, this.key.id),
    ]);
    const { tree_size: size } = checkpoint;
    const events: EventProof[] = [];
    for (const event of history) {
      const leaf = await tree.leafAt(event.position);
      if (leaf === undefined || leaf >= size) continue;
      const inclusion = hexOf(await tree.inclusion(leaf, size));
      events.push({ leaf_index: leaf, event: shownTo(viewer, event), inclusion });
      // Each proof takes hundreds of hashes: yield to other requests.
      await new Promise(setImmediate);
    }
    const pending = history.length - events.length;
    const covered = await Promise.all(own.map(async ({ position }) => ((await tree.leafAt(position)) ?? size) < size));
    const version = covered.filter(Boolean).length;
    const shown = new Set(history.filter(({ stream }) => stream === own[0]?.stream).map((event) => event.version));
    const extent = this.key.extent(checkpoint, requestId, {
      stream: own[0]?.stream ?? '',
      version,
      withheld: own.slice(0, version).flatMap((event) => (shown.has(event.version) ? [] : [event.version])),
      leaves: events.map(({ leaf_index }) => leaf_index),
    });
    const known = keys.some(({ key_id }) => key_id === this.key.id);
    const all = known ? keys : [...keys, { key_id: this.key.id, public_key: this.key.publicKey }];
    const signers = { keys: all, ...asField(endorsements) };
    const about = { request_id: requestId, checkpoint, ...signers, events, extent, pending };
    return { proof: { format: 'svc.proof.v1', ...about }, newest };
  }
}
