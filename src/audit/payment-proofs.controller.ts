import { Controller, Get, Inject, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { paymentRequests } from '../../projections/payment-requests.projection';
import { EVENT_STORE, type EventStore, type RecordedEvent } from '../platform/event-store/event-store.port';
import { Endpoint } from '../http/openapi/endpoint.decorator';
import { EitherCaller } from '../access/claim-or-device.guard';
import { type Caller } from '../http/server/request-context';
import { refuse } from '../kernel/errors';
import { READ_MODEL, type ReadModel } from '../platform/read-model/read-model.port';
import { proofSchema } from './audit.dto';
import { Checkpoints, hexOf } from './log/checkpoints';
import { paymentHistory } from './payment-history';
import { type EventProof, type PaymentProof } from './proofs';
import { TransparencyLog } from './log/transparency-log';
import { concerns, shownTo, type Viewer, viewerOf } from './log/visibility';

type Answer = PaymentProof & Readonly<{ pending: number }>;

@ApiTags('Audit')
@Controller('v1/payment-requests')
export class PaymentProofsController {
  constructor(
    private readonly checkpoints: Checkpoints,
    private readonly log: TransparencyLog,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(READ_MODEL) private readonly model: ReadModel,
  ) {}

  @Get(':id/proof')
  @Endpoint({
    summary: 'Prove what the log says of a payment request',
    description:
      'The events this caller may see, each with the hashes that lead from it to the root of a signed checkpoint. ' +
      '`npm run audit -- check` and the client library verify it without the service.',
    credential: 'party',
    scope: 'payment.requests.read',
    answer: { proof: proofSchema },
  })
  async prove(@Param('id') id: string, @EitherCaller() caller: Caller) {
    const viewer = viewerOf(caller);
    const request = await this.model.get(paymentRequests, id);
    if (request === undefined || !concerns(viewer, request)) throw refuse('resource_not_found');
    const history = await paymentHistory(this.store, request, viewer);
    const proof = await this.proofOf(id, history, viewer);
    if (proof?.pending === 0) return { ok: true, proof };
    // Something has just happened: with a fresh checkpoint it is part of the proof.
    const newest = history.at(-1);
    if (newest !== undefined) await this.log.covers(newest.position);
    const again = await this.proofOf(id, history, viewer);
    if (again === undefined) {
      const message = 'Nothing has been signed yet; ask again in a moment.';
      throw refuse('store_unavailable', { message, headers: { 'Retry-After': '2' } });
    }
    return { ok: true, proof: again };
  }

  /** Undefined while there is no checkpoint. */
  private async proofOf(
    requestId: string,
    history: readonly RecordedEvent[],
    viewer: Viewer,
  ): Promise<Answer | undefined> {
    const checkpoint = await this.checkpoints.newest();
    if (checkpoint === undefined) return undefined;
    const [tree, keys] = await Promise.all([this.checkpoints.treeOf(checkpoint), this.checkpoints.keysOf(checkpoint)]);
    const { tree_size: size } = checkpoint;
    const proven = await Promise.all(
      history.map(async (event): Promise<EventProof | undefined> => {
        const leaf = await tree.leafAt(event.position);
        if (leaf === undefined || leaf >= size) return undefined;
        return {
          leaf_index: leaf,
          event: shownTo(viewer, event),
          inclusion: hexOf(await tree.inclusion(leaf, size)),
        };
      }),
    );
    const events = proven.filter((one) => one !== undefined);
    const pending = history.length - events.length;
    return { format: 'svc.proof.v1', request_id: requestId, checkpoint, keys, events, pending };
  }
}
