import { webhookLanes, type WebhookQueueDocument, webhookQueues } from '../../../projections/webhook-queues.projection';
import { timestamp } from '../../kernel/clock';
import { type PageCursor, type ReadModel } from '../../platform/read-model/read-model.port';

const PAGE = 64;
/** Beyond so many pages it begins anew: what has become due further up must not wait for the end of a long list. */
const PAGES_ON_END = 16;
/** With fewer than so many at hand it is time to read on. */
const FEW = 16;
/** So old may the memory of an idle queue become before it is looked at all the same. */
const IDLE_MEMORY_MS = 2_000;
const NEVER = '9999';

/** What is due for one endpoint, read page by page: however much waits, little of it is held in memory. */
export class EndpointBacklog {
  open = 0;
  failing = false;
  inFlight = 0;
  /** Something may be due that the last look did not show. */
  stale = false;
  looking = false;
  /** The first of their lanes, the longest due first. */
  private ready: string[] = [];
  private after: PageCursor | undefined;
  private pages = 0;
  private foundInPass = 0;
  /** Could not be sent after all, because reads or the store are behind: not to be tried again before the next sweep. */
  private readonly left = new Set<string>();
  /** Nothing was due at the last look, and nothing will be before `until` unless the queue changes. */
  private idle: Readonly<{ changes: number; until: string; seenAt: number }> | undefined;

  constructor(
    readonly endpointId: string,
    private readonly model: ReadModel,
    /** Being sent, or sent and not yet shown so by reads. */
    private readonly isTaken: (deliveryId: string) => boolean,
  ) {}

  get hasReady(): boolean {
    return this.ready.length > 0;
  }

  get needsLook(): boolean {
    return this.stale && this.ready.length < FEW;
  }

  get isDone(): boolean {
    return this.open === 0 && this.inFlight === 0 && !this.stale;
  }

  take(): string | undefined {
    for (;;) {
      const next = this.ready.shift();
      if (next === undefined || !this.isTaken(next)) return next;
    }
  }

  leave(deliveryId: string): void {
    this.left.add(deliveryId);
  }

  /** Time has passed: what could not be sent may be tried again. */
  tryAgain(): void {
    this.left.clear();
  }

  note(queue: WebhookQueueDocument | undefined): void {
    this.open = queue?.busy ? queue.open : 0;
    this.failing = (queue?.failing_since ?? null) !== null;
  }

  /** The endpoint itself changed: what was due for it may be so no more. */
  startOver(): void {
    this.ready = [];
    this.after = undefined;
    this.idle = undefined;
    this.left.clear();
  }

  isIdle({ changes }: WebhookQueueDocument, now: Date): boolean {
    return (
      this.idle?.changes === changes &&
      this.idle.until > timestamp(now) &&
      performance.now() - this.idle.seenAt < IDLE_MEMORY_MS
    );
  }

  /** Reads the next page of what is due; gives the queue as it stands. */
  async readOn(now: Date): Promise<WebhookQueueDocument | undefined> {
    this.stale = false;
    this.idle = undefined;
    const queue = await this.model.get(webhookQueues, this.endpointId);
    this.note(queue);
    if (queue?.busy) await this.readPage(queue, timestamp(now));
    else this.startOver();
    return queue;
  }

  private async readPage({ changes }: WebhookQueueDocument, now: string): Promise<void> {
    const { after } = this;
    const page = { limit: PAGE, order: 'asc', after } as const;
    const { documents, next } = await this.model.find(webhookLanes, 'due', [this.endpointId], page);
    const due = documents.filter(({ due_at }) => due_at !== null && due_at <= now);
    const held = new Set(this.ready);
    for (const { waiting } of due) {
      const id = waiting[0]?.delivery_id;
      if (id === undefined || held.has(id) || this.left.has(id) || this.isTaken(id)) continue;
      this.ready.push(id);
      this.foundInPass += 1;
    }
    if (due.length === 0 && after === undefined) {
      this.idle = { changes, until: documents[0]?.due_at ?? NEVER, seenAt: performance.now() };
    }
    this.turnPage(due.length === documents.length ? next : null);
  }

  private turnPage(next: PageCursor | null): void {
    this.pages += 1;
    if (next !== null && this.pages < PAGES_ON_END) {
      this.after = next;
      this.stale = true;
      return;
    }
    // A whole pass over nothing but what is being sent: news will come of it, and with them the next look.
    if (next !== null && this.foundInPass > 0) this.stale = true;
    this.after = undefined;
    this.pages = 0;
    this.foundInPass = 0;
  }
}
