import { setMaxListeners } from 'node:events';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { type Logger } from 'pino';
import { webhookLanes, type WebhookQueueDocument, webhookQueues } from '../../projections/webhook-queues.projection';
import { DueSweepers } from '../event-store/due-sweepers';
import { type RecordedEvent } from '../event-store/event-store.port';
import { Draining } from '../http/draining';
import { LOGGER } from '../http/logger';
import { Metrics } from '../http/metrics';
import { CLOCK, type Clock, timestamp } from '../kernel/clock';
import { Projector } from '../read-model/projector';
import { READ_MODEL, type ReadModel } from '../read-model/read-model.port';
import { DeliveryAttempts } from './delivery-attempts';
import { DeliveryLimits } from './delivery-limits';

/** What is known of one endpoint with work before it. */
type Slot = {
  readonly endpointId: string;
  /** Due deliveries, the longest due first. */
  ready: string[];
  inFlight: number;
  open: number;
  failing: boolean;
  looking: boolean;
  lookAgain: boolean;
  /** Something was recorded since the last look began. */
  progress: boolean;
  /** Nothing was due at the last look, and nothing will be before `until` unless the queue changes. */
  idle: Readonly<{ changes: number; until: string; seenAt: number }> | undefined;
};

const LOOK_AHEAD = 32;
const FAILING_MS = 5 * 24 * 3_600_000;
/** So old may the memory of an idle queue become before it is looked at all the same. */
const IDLE_MEMORY_MS = 2_000;
/** At the stop, sendings under way may take so much longer. */
const LAST_CALL_MS = 2_000;
const NEVER = '9999';
const NEWS: ReadonlySet<string> = new Set([
  'WebhookDeliveryScheduled',
  'WebhookDeliveryRequeued',
  'WebhookEndpointVerified',
  'WebhookEndpointEnabled',
  'WebhookEndpointDisabled',
  'WebhookEndpointDeleted',
]);

/**
 * Sends what is due. Due times stand in the read model, so no timer is lost with the process; only the first delivery of
 * a lane is ever looked at, and each endpoint has its own queue and its own share, so that none waits for another.
 */
@Injectable()
export class WebhookDispatcher implements OnModuleInit, OnModuleDestroy {
  private readonly slots = new Map<string, Slot>();
  private readonly sending = new Map<string, Promise<void>>();
  private sendingToFailing = 0;
  /** Endpoints that had something to send when there was no room. */
  private readonly waiting = new Set<Slot>();
  private readonly lastCall = new AbortController();

  constructor(
    private readonly sweepers: DueSweepers,
    private readonly projector: Projector,
    private readonly attempts: DeliveryAttempts,
    private readonly limits: DeliveryLimits,
    private readonly draining: Draining,
    private readonly metrics: Metrics,
    @Inject(READ_MODEL) private readonly model: ReadModel,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    // Every sending listens to it.
    setMaxListeners(0, this.lastCall.signal);
    this.sweepers.add({
      name: 'webhook-queues',
      collection: webhookQueues,
      index: 'busy',
      equals: [true],
      dueAt: () => '',
      run: (queue) => Promise.resolve(this.consider(queue)),
    });
    this.projector.onApplied((events) => this.hear(events));
    this.draining.onBegin(() => setTimeout(() => this.lastCall.abort(), LAST_CALL_MS).unref());
    this.metrics.gauge('svc_webhook_deliveries_open', 'Deliveries that wait to be sent or sent again.', () =>
      [...this.slots.values()].reduce((sum, { open }) => sum + open, 0),
    );
  }

  async onModuleDestroy(): Promise<void> {
    this.lastCall.abort();
    await Promise.all(this.sending.values());
  }

  private hear(events: readonly RecordedEvent[]): void {
    const news = events.filter(({ type }) => NEWS.has(type));
    for (const id of new Set(news.map(({ data }) => (data as { endpoint_id: string }).endpoint_id))) void this.look(id);
  }

  private consider({ id, changes }: WebhookQueueDocument): void {
    const idle = this.slots.get(id)?.idle;
    const still =
      idle?.changes === changes &&
      idle.until > timestamp(this.clock.now()) &&
      performance.now() - idle.seenAt < IDLE_MEMORY_MS;
    if (!still) void this.look(id);
  }

  /** One look at a time for each endpoint; a call during one means another after it. */
  private async look(endpointId: string): Promise<void> {
    const slot = this.slotOf(endpointId);
    slot.lookAgain = true;
    if (slot.looking) return;
    slot.looking = true;
    try {
      while (slot.lookAgain && !this.draining.begun) {
        slot.lookAgain = false;
        await this.refresh(slot);
        this.pump(slot);
      }
    } catch (error) {
      this.logger.warn({ err: error, webhook_endpoint_id: endpointId }, 'webhook queue could not be read');
    } finally {
      slot.looking = false;
    }
    if (slot.open === 0 && slot.inFlight === 0) this.slots.delete(endpointId);
  }

  private async refresh(slot: Slot): Promise<void> {
    const { endpointId } = slot;
    slot.progress = false;
    const queue = await this.model.get(webhookQueues, endpointId);
    slot.ready = [];
    slot.open = queue?.busy ? queue.open : 0;
    slot.failing = (queue?.failing_since ?? null) !== null;
    slot.idle = undefined;
    if (queue?.active && hasFailedTooLong(queue)) {
      return this.attempts.disable(endpointId, { merchantId: queue.merchant_id }, 'failing');
    }
    if (!queue?.busy) return;

    const page = { limit: LOOK_AHEAD, order: 'asc' } as const;
    const { documents } = await this.model.find(webhookLanes, 'due', [endpointId], page);
    const now = timestamp(this.clock.now());
    const due = documents.filter(({ due_at }) => due_at !== null && due_at <= now);
    const heads = due.flatMap(({ waiting: [first] }) => (first ? [first.delivery_id] : []));
    slot.ready = heads.filter((id) => !this.sending.has(id));
    if (due.length === 0) {
      slot.idle = { changes: queue.changes, until: documents[0]?.due_at ?? NEVER, seenAt: performance.now() };
    }
  }

  private pump(slot: Slot): void {
    const share = slot.failing ? this.limits.perFailingEndpoint : this.limits.perEndpoint;
    while (slot.inFlight < share && slot.ready.length > 0 && !this.draining.begun) {
      if (!this.hasRoomFor(slot)) return void this.waiting.add(slot);
      const deliveryId = slot.ready.shift();
      if (deliveryId !== undefined && !this.sending.has(deliveryId)) this.start(slot, deliveryId);
    }
  }

  private hasRoomFor({ failing }: Slot): boolean {
    const { overall } = this.limits;
    return this.sending.size < overall && (!failing || this.sendingToFailing < overall / 2);
  }

  private start(slot: Slot, deliveryId: string): void {
    const toFailing = slot.failing ? 1 : 0;
    slot.inFlight += 1;
    this.sendingToFailing += toFailing;
    const work = this.attempts
      .make(slot.endpointId, deliveryId, this.lastCall.signal)
      .catch((error: unknown) => {
        this.logger.warn({ err: error, webhook_delivery_id: deliveryId }, 'webhook attempt not recorded');
        return false;
      })
      .then((recorded) => {
        slot.inFlight -= 1;
        this.sendingToFailing -= toFailing;
        this.sending.delete(deliveryId);
        if (recorded) slot.progress = true;
        this.goOn(slot);
      });
    this.sending.set(deliveryId, work);
  }

  /** What was not recorded is left to the next sweep: asking again at once would turn a store's pause into a storm. */
  private goOn(slot: Slot): void {
    if (slot.ready.length > 0) this.pump(slot);
    else if (slot.progress) void this.look(slot.endpointId);
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const other of waiting) this.pump(other);
  }

  private slotOf(endpointId: string): Slot {
    const fresh = {
      ready: [],
      inFlight: 0,
      open: 0,
      failing: false,
      looking: false,
      lookAgain: false,
      progress: false,
    };
    const slot = this.slots.get(endpointId) ?? { endpointId, ...fresh, idle: undefined };
    this.slots.set(endpointId, slot);
    return slot;
  }
}

const hasFailedTooLong = ({ failing_since: since, last_failed_at: last }: WebhookQueueDocument): boolean =>
  since !== null && last !== null && Date.parse(last) - Date.parse(since) >= FAILING_MS;
