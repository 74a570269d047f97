import { type MerchantFeedEntry, merchantFeeds, subjectOf } from '../../../projections/merchant-feed.projection';
import { type WebhookDeliveryDocument, webhookDeliveries } from '../../../projections/webhook-deliveries.projection';
import { KeyedQueue } from '../../kernel/keyed-queue';
import { pause } from '../../kernel/pause';
import { type Position } from '../../platform/event-store/event-store.port';
import { answeredBy, type Target } from './delivery-attempts';
import { type DeliveryParts, type Own } from './delivery-parts';
import { FeedWalk, laneOf, type WalkItem, walkItem } from './feed-walk';
import { LaneOpenings } from './lane-openings';
import { type Taken } from './outcome-log';
import { OutcomeRecorder } from './outcome-recorder';
import { type Job, type Source } from './source';
import { type Attempt } from './webhook-delivery';

const PAGE_SIZE = 200;
/** Read on when fewer than this many are ready. */
const LOW_WATER_MARK = 64;
/** The most items held in memory, and the most successes that may wait to be recorded. */
const MAX_OPEN = 2_000;
/** After this many entries without an outcome, progress is recorded on its own: a restart continues from there. */
const PROGRESS_INTERVAL = 2_000;
/** The delay before a retry if neither the store nor the receiver is to blame. */
const RETRY_DELAY_MS = 1_000;

/** Sends new events to one endpoint for the first time, along the merchant's feed from the last recorded cursor. */
export class LiveDeliveries implements Source {
  private walk: FeedWalk | undefined;
  /** The end of the feed when last read. */
  private newest = 0;
  /** Up to which cursor progress is recorded. */
  private recordedCursor = 0;
  readonly openings: LaneOpenings;
  /** The items of a lane get their streams one at a time, in order. */
  private readonly laneQueue = new KeyedQueue();
  private readonly openingStreams = new Set<Promise<void>>();
  private readonly recorder = new OutcomeRecorder<Taken>((taken) => this.record(taken));

  constructor(
    private readonly own: Own,
    private readonly parts: DeliveryParts,
  ) {
    this.openings = new LaneOpenings(own, parts);
  }

  /** Items read but not settled, plus entries not read yet: an upper bound of what is still to be sent. */
  get open(): number {
    return this.walk === undefined ? 0 : this.walk.size + Math.max(0, this.newest - this.walk.cursor);
  }

  get mayReadOn(): boolean {
    if (this.walk === undefined) return true;
    return this.walk.readyCount < LOW_WATER_MARK && this.walk.size < MAX_OPEN;
  }

  async measure(): Promise<void> {
    this.newest = await this.parts.feed.length(this.own.merchantId);
  }

  /** Whether everything about the entry's subject up to the entry was sent to this endpoint, or has a stream. */
  isPast(entry: MerchantFeedEntry): boolean {
    return this.walk?.isPast(laneOf(this.own.endpointId, subjectOf(entry)), entry.cursor) ?? false;
  }

  get isSettled(): boolean {
    return this.recorder.unrecorded === 0 && this.openingStreams.size === 0;
  }

  /** Waits for streams being opened: opened after the release, they would resend what the next instance has sent. */
  async settled(): Promise<void> {
    await Promise.all([this.recorder.settled(), ...this.openingStreams]);
  }

  take(): Job | undefined {
    const item = this.walk?.take();
    return item && ((target, answered) => this.send(item, target, answered));
  }

  async read(): Promise<boolean> {
    const { feed, projector } = this.parts;
    const walk = (this.walk ??= await this.begin());
    const readAt = projector.progress.position;
    const entries = await feed.entries(this.own.merchantId, walk.cursor, PAGE_SIZE);
    const last = entries.at(-1);
    if (last === undefined) return false;
    const { endpointId } = this.own;
    const items = entries
      .filter(({ receivers }) => receivers.includes(endpointId))
      .map((entry) => walkItem(entry, endpointId));
    const { open, held } = await this.sort(items, readAt);
    // A lane may have been opened while the items were sorted.
    const needStream = new Set(open.filter((item) => held.has(item) || this.openings.hasOpened(item.facts.lane)));
    for (const item of walk.add(open, needStream, last.cursor)) {
      const opening = this.openStreamFor(item, walk).finally(() => this.openingStreams.delete(opening));
      this.openingStreams.add(opening);
    }
    await this.recordProgressIfDue(walk);
    return entries.length === PAGE_SIZE;
  }

  private async openStreamFor(item: WalkItem, walk: FeedWalk): Promise<void> {
    if (await this.laneQueue.run(item.facts.lane, () => this.openWaiting(item))) walk.streamOpened(item);
  }

  /** Starts at the last recorded cursor. The read model must show everything recorded so far, or it would be resent. */
  private async begin(): Promise<FeedWalk> {
    const { model, outcomes, projector } = this.parts;
    const { endpointId, merchantId } = this.own;
    const shown = async () =>
      (await model.get(merchantFeeds, merchantId))?.endpoints.find(({ id }) => id === endpointId);
    await projector.progress.passed(await outcomes.newest(endpointId, (await shown())?.outcomes ?? 0));
    const endpoint = await shown();
    if (endpoint === undefined) throw new Error('reads do not show the endpoint yet');
    this.recordedCursor = endpoint.reached;
    return new FeedWalk(endpoint.reached);
  }

  /** Omits deliveries that are done or have a stream; items whose lane is already open are held. */
  private async sort(items: readonly WalkItem[], readAt: Position) {
    const refs = items.map(({ facts }) => ({ collection: webhookDeliveries, id: facts.delivery_id }));
    const stored = await this.parts.model.load(refs);
    const open = items.filter((_, index) => {
      const delivery = stored[index]?.document as WebhookDeliveryDocument | undefined;
      return delivery === undefined || (!delivery.opened && delivery.status === 'pending');
    });
    return { open, held: await this.openings.behindOthers(open, readAt) };
  }

  private async send(item: WalkItem, target: Target, answered: Parameters<Job>[1]): Promise<void> {
    try {
      const attempt = await this.post(item, target);
      if (attempt === 'cancelled') return this.walk?.putBack(item);
      answered(answeredBy(attempt));
      const done = attempt.succeeded ? await this.taken(item, attempt) : await this.openFailed(item, attempt, target);
      if (done) return;
    } catch (error) {
      const { delivery_id: webhook_delivery_id } = item.facts;
      this.parts.logger.warn({ err: error, webhook_delivery_id }, 'webhook could not be sent, trying again');
    }
    answered('neutral');
    await pause(RETRY_DELAY_MS, this.own.signal);
    this.walk?.putBack(item);
  }

  /** Apart from `send`, so that nothing of the message is held while its outcome waits to be recorded. */
  private async post({ entry, facts }: WalkItem, target: Target): Promise<Attempt | 'cancelled'> {
    const { attempts, feed } = this.parts;
    const body = JSON.stringify(await feed.message(entry));
    return attempts.post(target, { messageId: facts.delivery_id, body, cursor: facts.cursor }, this.own.signal);
  }

  /** Everything already read for its lane moves along with it, so that the order is kept there. */
  private async openFailed(item: WalkItem, attempt: Attempt, target: Target): Promise<boolean> {
    if (!(await this.openings.openFailed(item, attempt, target, null))) return false;
    for (let behind = this.behind(item); behind.length > 0; behind = this.behind(item)) {
      for (const one of behind) if (!(await this.openWaiting(one))) return false;
      this.walk?.drop(behind);
    }
    // Nothing may be awaited after finding no more items behind it: an item read later must not queue up behind it.
    this.walk?.settle(item);
    return true;
  }

  private async taken(item: WalkItem, attempt: Attempt): Promise<boolean> {
    if (!(await this.recorder.add({ item, attempt }))) return false;
    this.walk?.settle(item);
    return true;
  }

  /** Retried until recorded, because the item is no longer in any lane. False if another instance owns the endpoint. */
  private async openWaiting(item: WalkItem): Promise<boolean> {
    const { endpointId, signal } = this.own;
    while (!(await this.openings.openWaiting(item, null))) {
      await pause(RETRY_DELAY_MS, signal);
      if (signal.aborted || !this.parts.shares.mayHold(endpointId)) return false;
    }
    return true;
  }

  private behind(item: WalkItem): readonly WalkItem[] {
    return this.walk?.takeBehind(item) ?? [];
  }

  private record(taken: readonly Taken[]): Promise<boolean> {
    return this.recordUpTo(this.walk?.reachedWith(new Set(taken.map(({ item }) => item.facts.cursor))) ?? 0, taken);
  }

  private async recordProgressIfDue(walk: FeedWalk): Promise<void> {
    const reached = walk.reachedWith(new Set());
    if (reached - this.recordedCursor >= PROGRESS_INTERVAL) await this.recordUpTo(reached, []);
  }

  private async recordUpTo(reached: number, taken: readonly Taken[]): Promise<boolean> {
    const { endpointId, merchantId, signal } = this.own;
    const place = { endpointId, merchantId, reached, rewindId: null };
    const done = await this.parts.outcomes.record(place, taken, signal);
    if (done) this.recordedCursor = Math.max(this.recordedCursor, reached);
    return done;
  }
}
