import { webhookDeliveries } from '../../../projections/webhook-deliveries.projection';
import { type WebhookLaneDocument, webhookLanes } from '../../../projections/webhook-queues.projection';
import { timestamp } from '../../kernel/clock';
import { causedBy } from '../../platform/event-store/event-codec';
import { type Position } from '../../platform/event-store/event-store.port';
import { context, type Target } from './delivery-attempts';
import { type DeliveryParts, type Own } from './delivery-parts';
import { type WalkItem } from './feed-walk';
import { type Attempt, webhookDelivery } from './webhook-delivery';
import { type DeliveryId, type RewindId } from '../../kernel/aggregates';

/**
 * Deliveries that get a stream of their own, because they or an earlier one in their lane were not accepted. From then
 * on the lane is sent in order as due deliveries, and everything else that arrives for it goes there too.
 */
export class LaneOpenings {
  /** Lanes in which a delivery was opened at this position, which the read model may not show yet. */
  private readonly unread = new Map<string, Position>();

  constructor(
    private readonly own: Own,
    private readonly parts: DeliveryParts,
  ) {}

  /** The items whose lane is open; `readAt` is the read model's position before the items were read. */
  async behindOthers(items: readonly WalkItem[], readAt: Position): Promise<ReadonlySet<WalkItem>> {
    const refs = items.map(({ facts }) => ({ collection: webhookLanes, id: facts.lane }));
    const stored = items.length === 0 ? [] : await this.parts.model.load(refs);
    for (const [lane, position] of this.unread) if (position <= readAt) this.unread.delete(lane);
    return new Set(
      items.filter(({ facts }, index) => {
        const lane = stored[index]?.document as WebhookLaneDocument | undefined;
        return this.unread.has(facts.lane) || (lane?.waiting.length ?? 0) > 0;
      }),
    );
  }

  /** Whether a delivery of this lane was opened here, and the read model may not show it yet. */
  hasOpened(lane: string): boolean {
    return this.unread.has(lane);
  }

  /** Opens a stream for an item that was not accepted; false if that could not be recorded. */
  async openFailed({ facts }: WalkItem, attempt: Attempt, target: Target, rewindId: RewindId | null): Promise<boolean> {
    const attempts = await this.attemptsOf(facts.delivery_id, rewindId);
    const command = { kind: 'open-failed', facts, attempts, attempt, rewindId } as const;
    const cause = causedBy(context(), facts.event_id);
    const { signal } = this.own;
    return this.remember(
      facts.lane,
      await this.parts.attempts.record(target, facts.delivery_id, command, cause, signal),
    );
  }

  /** Opens a stream for an item that waits behind another in its lane; false if that could not be recorded. */
  async openWaiting({ facts }: WalkItem, rewindId: RewindId | null): Promise<boolean> {
    const { commands, clock, recording } = this.parts;
    const { endpointId, signal } = this.own;
    const attempts = await this.attemptsOf(facts.delivery_id, rewindId);
    const write = async (): Promise<Position> => {
      const command = { kind: 'open-waiting', facts, attempts, rewindId, at: timestamp(clock.now()) } as const;
      const cause = causedBy(context(), facts.event_id);
      const options = { untilReadable: false };
      return (await commands.run(webhookDelivery, facts.delivery_id, command, cause, options)).position;
    };
    return this.remember(facts.lane, await recording.retryUntilRecorded(endpointId, write, signal));
  }

  /** Messages of a rewind have usually been sent before. */
  private async attemptsOf(deliveryId: DeliveryId, rewindId: RewindId | null): Promise<number> {
    if (rewindId === null) return 0;
    return (await this.parts.model.get(webhookDeliveries, deliveryId))?.attempt_count ?? 0;
  }

  private remember(lane: string, position: Position | undefined): boolean {
    if (position === undefined) return false;
    const known = this.unread.get(lane);
    if (known === undefined || known < position) this.unread.set(lane, position);
    return true;
  }
}
