import {
  type WebhookLaneDocument,
  webhookLanes,
  type WebhookQueueDocument,
  webhookQueues,
} from '../../../projections/webhook-queues.projection';
import { timestamp } from '../../kernel/clock';
import { type Position } from '../../platform/event-store/event-store.port';
import { type Progress } from '../../platform/projecting/progress';
import { type PageCursor, type ReadModel } from '../../platform/read-model/read-model.port';
import { SetBackClock } from './set-back-clock';
import { type DeliveryId, type EndpointId } from '../../kernel/aggregates';

const PAGE_SIZE = 64;
/** After this many pages, start over: lanes that became due earlier in the list must not wait for its end. */
const PAGES_PER_PASS = 16;
/** Read on when fewer than this many are ready. */
const LOW_WATER_MARK = 16;
/** How old the cached idle state of a queue may become before the queue is read again anyway. */
const IDLE_CACHE_MS = 2_000;
/** Sending pauses when the read model lags this many recorded attempts behind, or as many cannot be recorded. */
const MAX_UNREAD = 1_000;
const NEVER = '9999';

/**
 * The due deliveries of one endpoint that have a stream of their own, read page by page: however many are waiting, few
 * are held in memory. Due times are in the read model, so a crash loses no timer.
 */
export class DueDeliveries {
  private queue: WebhookQueueDocument | undefined;
  /** The first delivery of each lane, longest due first. */
  private ready: DeliveryId[] = [];
  private after: PageCursor | undefined;
  private pages = 0;
  private foundInPass = 0;
  private readonly sending = new Set<DeliveryId>();
  /** Recorded at this position, which the read model has not reached yet: it still shows them as due. */
  private readonly unread = new Map<DeliveryId, Position>();
  /** Could not be sent or recorded: not retried before the next sweep. */
  private readonly skipped = new Set<DeliveryId>();
  /** Recorded by a clock that has been set back since, and due before `dueAt`: when, by the steady clock. */
  private readonly early = new Map<DeliveryId, Readonly<{ dueAt: string; at: number }>>();
  /** Nothing was due at the last read, and nothing will be before `until` unless the queue changes. */
  private idle: Readonly<{ changes: number; until: string; seenAt: number }> | undefined;

  constructor(
    readonly endpointId: EndpointId,
    private readonly model: ReadModel,
    private readonly progress: Pick<Progress, 'position'>,
    private readonly clock = new SetBackClock(),
  ) {}

  get open(): number {
    return this.queue?.busy ? this.queue.open : 0;
  }

  /** The endpoint has recently returned nothing but failures. */
  get isFailing(): boolean {
    return (this.queue?.failing_since ?? null) !== null;
  }

  get mayReadOn(): boolean {
    if (this.unread.size >= MAX_UNREAD) this.forgetRead();
    return this.ready.length < LOW_WATER_MARK && this.unread.size < MAX_UNREAD && this.sending.size < MAX_UNREAD;
  }

  get hasReady(): boolean {
    return this.ready.length > 0;
  }

  /** `dueAt`: the time to come at which it would be due by the clock, if it is due before that. */
  take(): Readonly<{ deliveryId: DeliveryId; dueAt: string | undefined }> | undefined {
    for (;;) {
      const next = this.ready.shift();
      if (next === undefined) return undefined;
      if (this.isTaken(next)) continue;
      this.sending.add(next);
      return { deliveryId: next, dueAt: this.early.get(next)?.dueAt };
    }
  }

  /** `recorded`: its position in the log; undefined if it could not be sent or recorded. */
  sent(deliveryId: DeliveryId, recorded: Position | undefined): void {
    this.sending.delete(deliveryId);
    this.early.delete(deliveryId);
    if (recorded === undefined) this.skipped.add(deliveryId);
    else if (recorded > this.progress.position) this.unread.set(deliveryId, recorded);
  }

  /** Lets skipped deliveries be retried. Returns whether there may be something to read. */
  sweep(queue: WebhookQueueDocument, now: Date): boolean {
    this.queue = queue;
    this.clock.look(now);
    this.skipped.clear();
    const isIdle =
      this.idle?.changes === queue.changes &&
      this.idle.until > timestamp(now) &&
      performance.now() - this.idle.seenAt < IDLE_CACHE_MS;
    return !isIdle;
  }

  /** The endpoint itself changed: its due deliveries may no longer be due. */
  startOver(): void {
    this.ready = [];
    this.after = undefined;
    this.idle = undefined;
    this.skipped.clear();
  }

  /** Reads the next page of due deliveries; returns the current queue, and whether there is more to read. */
  async readOn(now: Date): Promise<Readonly<{ queue: WebhookQueueDocument | undefined; hasMore: boolean }>> {
    this.idle = undefined;
    this.clock.look(now);
    this.queue = await this.model.get(webhookQueues, this.endpointId);
    const { queue } = this;
    if (queue?.busy) return { queue, hasMore: await this.readPage(queue, now) };
    this.early.clear();
    this.startOver();
    return { queue, hasMore: false };
  }

  private async readPage({ changes }: WebhookQueueDocument, now: Date): Promise<boolean> {
    const { after } = this;
    const page = { limit: PAGE_SIZE, order: 'asc', after } as const;
    const { documents, next } = await this.model.find(webhookLanes, 'due', [this.endpointId], page);
    const due = documents.filter((lane) => this.isDue(lane, now));
    const held = new Set(this.ready);
    for (const { waiting } of due) {
      const id = waiting[0]?.delivery_id;
      if (id === undefined || held.has(id) || this.skipped.has(id) || this.isTaken(id)) continue;
      this.ready.push(id);
      this.foundInPass += 1;
    }
    if (due.length === 0 && after === undefined) {
      this.idle = { changes, until: documents[0]?.due_at ?? NEVER, seenAt: performance.now() };
    }
    return this.turnPage(due.length === documents.length ? next : null);
  }

  private isDue({ due_at: dueAt, waiting: [first] }: WebhookLaneDocument, now: Date): boolean {
    if (dueAt === null || first === undefined) return false;
    if (dueAt <= timestamp(now)) return true;
    const { delivery_id: id, since } = first;
    const known = this.early.get(id);
    const at = known?.dueAt === dueAt ? known.at : this.clock.dueBy(since, dueAt, now);
    if (at === undefined) return false;
    this.early.set(id, { dueAt, at });
    return this.clock.hasReached(at);
  }

  private turnPage(next: PageCursor | null): boolean {
    this.pages += 1;
    if (next !== null && this.pages < PAGES_PER_PASS) {
      this.after = next;
      return true;
    }
    // A full pass that found only deliveries already in flight: their outcomes will trigger the next read.
    const hasMore = next !== null && this.foundInPass > 0;
    this.after = undefined;
    this.pages = 0;
    this.foundInPass = 0;
    return hasMore;
  }

  private forgetRead(): void {
    for (const [id, recorded] of this.unread) if (recorded <= this.progress.position) this.unread.delete(id);
  }

  private isTaken(deliveryId: DeliveryId): boolean {
    if (this.sending.has(deliveryId)) return true;
    const recordedAt = this.unread.get(deliveryId);
    if (recordedAt === undefined) return false;
    if (recordedAt > this.progress.position) return true;
    this.unread.delete(deliveryId);
    return false;
  }
}
