import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type Logger } from 'pino';
import { webhookLanes, type WebhookQueueDocument, webhookQueues } from '../../../projections/webhook-queues.projection';
import { DueSweeper } from '../../platform/reacting/due-sweeper';
import { type Position, type RecordedEvent } from '../../platform/event-store/event-store.port';
import { LOGGER } from '../../platform/logging/logger';
import { Metrics } from '../../http/operations/metrics';
import { CLOCK, type Clock } from '../../kernel/clock';
import { Projector } from '../../platform/projecting/projector';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { DeliveryAttempts } from './delivery-attempts';
import { DeliveryLimits } from './delivery-limits';
import { EndpointBacklog } from './endpoint-backlog';
import { FollowedEndpoints } from './followed-endpoints';

const FAILING_MS = 5 * 24 * 3_600_000;
/** At the stop, sendings under way may take so much longer. */
const LAST_CALL_MS = 2_000;
/** When reads are so far behind what was sent, sending waits for them. */
const MOST_UNREAD = 5_000;
const CANCELLED_AT_ONCE = 100;
const ATTEMPTED = 'WebhookDeliveryAttempted';
const DELIVERY_NEWS: ReadonlySet<string> = new Set(['WebhookDeliveryScheduled', 'WebhookDeliveryRequeued', ATTEMPTED]);
const ENDPOINT_NEWS: ReadonlySet<string> = new Set([
  'WebhookEndpointVerified',
  'WebhookEndpointChanged',
  'WebhookEndpointEnabled',
  'WebhookEndpointDisabled',
  'WebhookEndpointDeleted',
]);

type News = Readonly<{ endpoint_id: string; delivery_id: string }>;

/**
 * Sends what is due. Due times stand in the read model, so no timer is lost with the process; only the first delivery of
 * a lane is ever looked at, and each endpoint has its own queue and its own share, so that none waits for another.
 * It can be stopped and started again; started before the fan-out, whose memory it clears.
 */
@Injectable()
export class WebhookDispatcher implements OnModuleInit {
  private readonly backlogs = new Map<string, EndpointBacklog>();
  private readonly sending = new Map<string, Promise<void>>();
  private sendingToFailing = 0;
  /** Sent and recorded at this position, which reads have not reached: they still show it as due. */
  private readonly unread = new Map<string, Position>();
  /** Endpoints that had something to send when there was no room. */
  private readonly waiting = new Set<EndpointBacklog>();
  private sweeps: readonly DueSweeper<WebhookQueueDocument>[] = [];
  private lastCall: AbortController | undefined;

  constructor(
    private readonly projector: Projector,
    private readonly attempts: DeliveryAttempts,
    private readonly followed: FollowedEndpoints,
    private readonly limits: DeliveryLimits,
    private readonly metrics: Metrics,
    @Inject(READ_MODEL) private readonly model: ReadModel,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.projector.onApplied((events) => this.hear(events));
    this.metrics.gauge('svc_webhook_deliveries_open', 'Deliveries that wait to be sent or sent again.', () =>
      [...this.backlogs.values()].reduce((sum, { open }) => sum + open, 0),
    );
  }

  start(): void {
    if (this.lastCall !== undefined) return;
    this.lastCall = new AbortController();
    // While this was off, another process may have gone on; the fan-out beside it goes on from there.
    this.followed.forget();
    // Every sending listens to it.
    setMaxListeners(0, this.lastCall.signal);
    this.sweeps = [
      this.sweepOf('busy', (queue) => Promise.resolve(this.consider(queue))),
      this.sweepOf('abandoned', ({ id }) => this.cancelAll(id)),
    ];
    for (const sweep of this.sweeps) sweep.start();
  }

  /** Begins no sending any more; resolves when those under way have ended, by themselves or cut off. */
  async stop(): Promise<void> {
    const { lastCall } = this;
    if (lastCall === undefined) return;
    this.lastCall = undefined;
    const cut = setTimeout(() => lastCall.abort(), LAST_CALL_MS);
    await Promise.all(this.sweeps.map((sweep) => sweep.stop()));
    await Promise.all(this.sending.values());
    clearTimeout(cut);
    this.backlogs.clear();
    this.waiting.clear();
    this.unread.clear();
  }

  private sweepOf(index: string, run: (queue: WebhookQueueDocument) => Promise<void>) {
    const sweep = { name: `webhook-queues ${index}`, collection: webhookQueues, index, equals: [true], run };
    return new DueSweeper(this.model, { ...sweep, dueAt: () => '' }, this.clock, this.logger);
  }

  private hear(events: readonly RecordedEvent[]): void {
    if (this.lastCall === undefined) return;
    const touched = new Set<string>();
    for (const { type, data } of events) {
      const ofEndpoint = ENDPOINT_NEWS.has(type);
      if (!ofEndpoint && !DELIVERY_NEWS.has(type)) continue;
      const { endpoint_id, delivery_id } = data as News;
      if (type === ATTEMPTED) this.unread.delete(delivery_id);
      if (ofEndpoint) this.backlogs.get(endpoint_id)?.startOver();
      touched.add(endpoint_id);
    }
    for (const endpointId of touched) this.lookSoon(this.backlogOf(endpointId));
  }

  private consider(queue: WebhookQueueDocument): void {
    const backlog = this.backlogOf(queue.id);
    backlog.note(queue);
    backlog.tryAgain();
    if (!backlog.isIdle(queue, this.clock.now())) this.lookSoon(backlog);
  }

  private lookSoon(backlog: EndpointBacklog): void {
    backlog.stale = true;
    void this.look(backlog);
  }

  /** One look at a time for each endpoint; what becomes stale during one means another after it. */
  private async look(backlog: EndpointBacklog): Promise<void> {
    if (backlog.looking) return;
    backlog.looking = true;
    try {
      while (backlog.needsLook && this.lastCall !== undefined && this.unread.size < MOST_UNREAD) {
        const queue = await backlog.readOn(this.clock.now());
        if (queue?.active && hasFailedTooLong(queue)) {
          backlog.startOver();
          await this.attempts.disable(queue.id, { merchantId: queue.merchant_id }, 'failing');
        }
        this.pump(backlog);
        // A store in this process answers without waiting, and shows nothing new before its next turn.
        await nextTurn();
      }
    } catch (error) {
      this.logger.warn({ err: error, webhook_endpoint_id: backlog.endpointId }, 'webhook queue could not be read');
    } finally {
      backlog.looking = false;
    }
    this.dropIfDone(backlog);
  }

  private pump(backlog: EndpointBacklog): void {
    const share = backlog.failing ? this.limits.perFailingEndpoint : this.limits.perEndpoint;
    while (this.lastCall !== undefined && backlog.inFlight < share && backlog.hasReady) {
      if (!this.hasRoomFor(backlog)) return void this.waiting.add(backlog);
      const deliveryId = backlog.take();
      if (deliveryId !== undefined) this.send(backlog, deliveryId, this.lastCall.signal);
    }
  }

  private hasRoomFor({ failing }: EndpointBacklog): boolean {
    const { overall } = this.limits;
    return this.sending.size < overall && (!failing || this.sendingToFailing < overall / 2);
  }

  private send(backlog: EndpointBacklog, deliveryId: string, signal: AbortSignal): void {
    const toFailing = backlog.failing ? 1 : 0;
    backlog.inFlight += 1;
    this.sendingToFailing += toFailing;
    const work = this.attempts
      .make(backlog.endpointId, deliveryId, signal)
      .catch((error: unknown) => {
        this.logger.warn({ err: error, webhook_delivery_id: deliveryId }, 'webhook attempt not recorded');
        return undefined;
      })
      .then((recorded) => {
        backlog.inFlight -= 1;
        this.sendingToFailing -= toFailing;
        this.sending.delete(deliveryId);
        if (recorded === undefined) backlog.leave(deliveryId);
        else if (recorded > this.projector.progress.position) this.unread.set(deliveryId, recorded);
        this.goOn(backlog);
      });
    this.sending.set(deliveryId, work);
  }

  /** What was not recorded waits for the next sweep: asking again at once would turn a store's pause into a storm. */
  private goOn(backlog: EndpointBacklog): void {
    this.pump(backlog);
    if (backlog.needsLook) void this.look(backlog);
    else this.dropIfDone(backlog);
    if (this.waiting.size === 0 || this.sending.size >= this.limits.overall) return;
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const other of waiting) this.pump(other);
  }

  /** A delivery that was scheduled while its endpoint was being deleted has nowhere to go; it shall not wait for ever. */
  private async cancelAll(endpointId: string): Promise<void> {
    const page = { limit: CANCELLED_AT_ONCE } as const;
    while (this.lastCall !== undefined) {
      const { documents } = await this.model.find(webhookLanes, 'due', [endpointId], page);
      if (documents.length === 0) return;
      const open = documents.flatMap(({ waiting }) => waiting.map(({ delivery_id }) => delivery_id));
      await Promise.all(open.map((deliveryId) => this.attempts.cancel(deliveryId)));
    }
  }

  private backlogOf(endpointId: string): EndpointBacklog {
    const known = this.backlogs.get(endpointId);
    if (known !== undefined) return known;
    const backlog = new EndpointBacklog(endpointId, this.model, (id) => this.sending.has(id) || this.isUnread(id));
    this.backlogs.set(endpointId, backlog);
    return backlog;
  }

  private isUnread(deliveryId: string): boolean {
    const recordedAt = this.unread.get(deliveryId);
    if (recordedAt === undefined) return false;
    if (recordedAt > this.projector.progress.position) return true;
    this.unread.delete(deliveryId);
    return false;
  }

  private dropIfDone(backlog: EndpointBacklog): void {
    if (backlog.isDone && !backlog.looking) this.backlogs.delete(backlog.endpointId);
  }
}

const hasFailedTooLong = ({ failing_since: since, last_failed_at: last }: WebhookQueueDocument): boolean =>
  since !== null && last !== null && Date.parse(last) - Date.parse(since) >= FAILING_MS;
