import { deliveryIdOf, type MerchantFeedEntry, subjectOf } from '../../../projections/merchant-feed.projection';
import { type DeliveryFacts } from './webhook-delivery';
import { type EndpointId } from '../../kernel/aggregates';

/** An entry of the merchant's feed that is to be sent to one endpoint. */
export type WalkItem = Readonly<{ entry: MerchantFeedEntry; facts: DeliveryFacts }>;

/** What an endpoint receives in order: everything about one payment request, agent payment or connection. */
export const laneOf = (endpointId: EndpointId, subjectId: string): string => `${endpointId}:${subjectId}`;

export function walkItem(entry: MerchantFeedEntry, endpointId: EndpointId): WalkItem {
  const { merchant_id, event_id, type: event_type, version: sequence, cursor } = entry;
  const subject_id = subjectOf(entry);
  const own = { delivery_id: deliveryIdOf(endpointId, event_id), endpoint_id: endpointId, merchant_id };
  const lane = laneOf(endpointId, subject_id);
  return { entry, facts: { ...own, lane, event_id, event_type, subject_id, sequence, cursor } };
}

/**
 * One endpoint's progress along the merchant's feed. It holds the items that were read but are not settled yet, that
 * is, neither recorded nor given a stream of their own. Only the first item of each lane may be sent; the next becomes
 * ready when that one is settled. All of this is in memory: after a crash, it is read again from the recorded cursor.
 */
export class FeedWalk {
  /** In the order of their cursors. */
  private readonly open = new Map<number, WalkItem>();
  private readonly lanes = new Map<string, WalkItem[]>();
  /** How many items of a lane wait until they have a stream of their own. */
  private readonly awaitingStream = new Map<string, number>();
  private ready: WalkItem[] = [];
  private firstReady = 0;

  constructor(
    /** The last entry that was read. */
    private readTo: number,
  ) {}

  get cursor(): number {
    return this.readTo;
  }

  get size(): number {
    return this.open.size;
  }

  get readyCount(): number {
    return this.ready.length - this.firstReady;
  }

  /**
   * Adds items in feed order; `readTo` also counts entries that are not for this endpoint. Returns the items that must
   * get a stream of their own, because their lane is already open (`held`) and not here: they are never ready.
   */
  add(items: readonly WalkItem[], held: ReadonlySet<WalkItem>, readTo: number): readonly WalkItem[] {
    const waiting: WalkItem[] = [];
    for (const item of items) {
      const { cursor, lane } = item.facts;
      this.open.set(cursor, item);
      const before = this.lanes.get(lane);
      // An item waits here behind others of its lane, unless those are being moved to streams: then it moves, too.
      if (this.awaitingStream.has(lane) || (before === undefined && held.has(item))) {
        this.awaitingStream.set(lane, (this.awaitingStream.get(lane) ?? 0) + 1);
        waiting.push(item);
        continue;
      }
      if (before === undefined) {
        this.lanes.set(lane, [item]);
        this.ready.push(item);
      } else {
        before.push(item);
      }
    }
    this.readTo = readTo;
    return waiting;
  }

  /** The item, which was returned by `add`, has a stream of its own now. */
  streamOpened(item: WalkItem): void {
    const { lane } = item.facts;
    const others = (this.awaitingStream.get(lane) ?? 1) - 1;
    if (others > 0) this.awaitingStream.set(lane, others);
    else this.awaitingStream.delete(lane);
    this.drop([item]);
  }

  take(): WalkItem | undefined {
    const item = this.ready[this.firstReady];
    if (item === undefined) return undefined;
    this.firstReady += 1;
    if (this.firstReady >= 256) {
      this.ready = this.ready.slice(this.firstReady);
      this.firstReady = 0;
    }
    return item;
  }

  /** For an item that was taken but not sent. */
  putBack(item: WalkItem): void {
    this.ready.splice(this.firstReady, 0, item);
  }

  settle({ facts: { cursor, lane } }: WalkItem): void {
    this.open.delete(cursor);
    const [, ...rest] = this.lanes.get(lane) ?? [];
    const [next] = rest;
    if (next === undefined) return void this.lanes.delete(lane);
    this.lanes.set(lane, rest);
    this.ready.push(next);
  }

  /** Takes the items behind the first one of its lane, which got a stream of its own: they move along with it. */
  takeBehind({ facts: { lane } }: WalkItem): readonly WalkItem[] {
    const [first, ...behind] = this.lanes.get(lane) ?? [];
    if (first !== undefined) this.lanes.set(lane, [first]);
    return behind;
  }

  /** For items that have streams of their own now. */
  drop(items: readonly WalkItem[]): void {
    for (const { facts } of items) this.open.delete(facts.cursor);
  }

  /** Whether no item of this lane up to this cursor remains to be sent from here. */
  isPast(lane: string, cursor: number): boolean {
    if (cursor > this.readTo || this.awaitingStream.has(lane)) return false;
    const [first] = this.lanes.get(lane) ?? [];
    return first === undefined || first.facts.cursor > cursor;
  }

  /** How far everything is settled, counting these as settled too. */
  reachedWith(settled: ReadonlySet<number>): number {
    for (const cursor of this.open.keys()) if (!settled.has(cursor)) return cursor - 1;
    return this.readTo;
  }
}
