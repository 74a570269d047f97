import { Controller, Get, Inject, Query } from '@nestjs/common';
import { Tag } from '../api/openapi/described';
import { EVENT_STORE, type EventStore, type RecordedEvent } from '../platform/event-store/event-store.port';
import { feedAnswer, pollOf, SinceInput } from '../http/feeds/feed-input';
import { Endpoint } from '../api/openapi/endpoint.decorator';
import { Merchant } from '../access/session.guard';
import { type MerchantCaller } from '../http/server/callers';
import { PAGE_BYTES } from '../http/input/page-bytes';
import { cursorOf, listMark, nextCursorSchema, PageInput, pageOf } from '../http/input/pagination';
import { refuseInput } from '../kernel/errors';
import { READ_MODEL, type ReadModel } from '../platform/read-model/read-model.port';
import { auditEventSchema, checkpointSchema, ConsistencyInput, consistencySchema, keySchema } from './audit.dto';
import { Checkpoints, checkpointView, hexOf } from './log/checkpoints';
import { eventsOfLeaves } from './log/leaf-events';
import { leavesAfter } from './log/merchant-feeds';
import { asField, type ConsistencyProof } from './proofs';
import { SigningKey } from './log/signing-key';
import { TreeReader } from './tree/tree-reader';
import { shownTo } from './log/visibility';

/** How many events are read before their size is checked. */
const BATCH_SIZE = 20;

const CHECKPOINTS = listMark('checkpoints', {});

@Tag('Audit')
@Controller('v1/audit')
export class AuditController {
  constructor(
    private readonly checkpoints: Checkpoints,
    private readonly key: SigningKey,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(READ_MODEL) private readonly model: ReadModel,
  ) {}

  @Get('keys')
  @Endpoint({
    summary: 'The public keys of the transparency log',
    description: 'Every key that ever signed a checkpoint, newest first. A key’s id is derived from the key.',
    credential: 'none',
    answer: { keys: { type: 'array', items: keySchema } },
  })
  async keys() {
    const keys = (await this.checkpoints.keys()).map(({ id, alg, public_key, published_at }) => ({
      key_id: id,
      alg,
      public_key,
      status: id === this.key.id ? 'current' : 'retired',
      published_at,
    }));
    return { ok: true, keys };
  }

  @Get('checkpoints')
  @Endpoint({
    summary: 'Signed checkpoints of the log, newest first',
    description:
      'Keep one, and later ask for the consistency proof to a newer one: the log cannot have been rewritten.',
    credential: 'none',
    query: PageInput,
    answer: { checkpoints: { type: 'array', items: checkpointSchema }, next_cursor: nextCursorSchema },
  })
  async list(@Query() input: PageInput) {
    const { documents, next } = await this.checkpoints.list({ ...pageOf(input, CHECKPOINTS), order: 'desc' });
    return { ok: true, checkpoints: documents.map(checkpointView), next_cursor: cursorOf(next, CHECKPOINTS) };
  }

  @Get('consistency')
  @Endpoint({
    summary: 'Prove that the log only grew between two checkpoints',
    description: '`from` and `to` are the tree sizes of two checkpoints (RFC 9162, section 2.1.4).',
    credential: 'none',
    query: ConsistencyInput,
    answer: { consistency: consistencySchema },
  })
  async consistency(@Query() input: ConsistencyInput) {
    const [older, newer] = [Number(input.from), Number(input.to)];
    if (older > newer) {
      throw refuseInput([{ code: 'out_of_range', field: 'from', message: 'must not be greater than to' }]);
    }
    const [from, to] = await Promise.all([this.checkpoints.ofSize(older), this.checkpoints.ofSize(newer)]);
    const [tree, keys, endorsements] = await Promise.all([
      this.checkpoints.treeOf(to),
      this.checkpoints.keysOf(from, to),
      this.checkpoints.endorsementsOf(from.key_id, to.key_id),
    ]);
    const proof = hexOf(await tree.consistency(older, newer));
    const consistency: ConsistencyProof = {
      format: 'svc.consistency.v1',
      from,
      to,
      keys,
      ...asField(endorsements),
      proof,
    };
    return { ok: true, consistency };
  }

  /** A page ends early when it reaches PAGE_BYTES. */
  private async asManyAsFit(tree: TreeReader, leaves: readonly number[]): Promise<readonly RecordedEvent[]> {
    const found: RecordedEvent[] = [];
    let bytes = 0;
    for (let at = 0; at < leaves.length && bytes < PAGE_BYTES; at += BATCH_SIZE) {
      const wanted = leaves.slice(at, at + BATCH_SIZE);
      const some = await eventsOfLeaves(this.store, tree, wanted);
      for (const event of some) {
        if (bytes >= PAGE_BYTES) break;
        bytes += Buffer.byteLength(JSON.stringify(event.data));
        found.push(event);
      }
      // A lagging node may not have all of them: after a gap, every event would get the wrong number.
      if (some.length < wanted.length) break;
    }
    return found;
  }

  @Get('events')
  @Endpoint({
    summary: 'Read the merchant’s own part of the log',
    description:
      'Every event of the merchant’s own streams, numbered 1, 2, 3 …: the numbers never change. Secrets and what belongs ' +
      'to the wallet are veiled. A new event appears here within a second.',
    credential: 'merchant',
    query: SinceInput,
    answer: feedAnswer(auditEventSchema),
  })
  async events(@Query() input: SinceInput, @Merchant() { merchantId }: MerchantCaller) {
    const { since, limit } = pollOf(input);
    const { leaves: newer, length: stored } = await leavesAfter(this.model, merchantId, since, limit);
    const tree = newer.length === 0 ? undefined : await TreeReader.open(this.model);
    // The tree is written last, so leaves it does not contain yet are not shown.
    const leaves = newer.filter((leaf) => leaf < (tree?.size ?? 0));
    const length = leaves.length < newer.length ? since + leaves.length : stored;
    const found = tree ? await this.asManyAsFit(tree, leaves) : [];
    const viewer = { kind: 'merchant', merchantId } as const;
    const events = found.map((event, index) => ({
      cursor: since + index + 1,
      leaf_index: leaves[index],
      event: shownTo(viewer, event),
    }));
    const next_cursor = since + events.length;
    return { ok: true, events, next_cursor, newest_cursor: length, has_more: next_cursor < length };
  }
}
