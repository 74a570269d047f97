import { setMaxListeners } from 'node:events';
import { type OnModuleInit } from '@nestjs/common';
import { Injectable } from '../../platform/injection';
import { type MerchantFeed as FeedDocument, merchantFeeds } from '../../../projections/merchant-feed.projection';
import { type Collection, type Document } from '../../platform/read-model/projection';
import { type WebhookQueueDocument, webhookQueues } from '../../../projections/webhook-queues.projection';
import { webhookTypeOf } from '../../../projections/webhook-types';
import { DueSweeper } from '../../platform/reacting/due-sweeper';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { parseStreamName } from '../../platform/event-store/stream-name';
import { Metrics } from '../../http/operations/metrics';
import { pause } from '../../kernel/pause';
import { type PageCursor } from '../../platform/read-model/read-model.port';
import { DeletedEndpoints } from './deleted-endpoints';
import { DeliveryParts } from './delivery-parts';
import { EndpointSender } from './endpoint-sender';
import { FollowedSubjects } from './followed-subjects';
import { type WebhookDeliveriesRecorded } from '../../events/webhook-outcomes.events';
import { type EndpointId, type MerchantId } from '../../kernel/aggregates';

/** How long messages in flight may still take during a stop. */
const STOP_GRACE_MS = 2_000;
/** How often every active endpoint is checked, even without a notification. */
const RECHECK_INTERVAL_MS = 5_000;
const PAGE_SIZE = 200;

type Rewound = WebhookDeliveriesRecorded['data'];
type OfEndpoint = Readonly<{ endpoint_id: EndpointId; merchant_id: MerchantId }>;

/**
 * Notifies endpoints of events. The projection of the merchant's feed determines who receives what; when the read model
 * shows a new entry, the senders of that merchant's endpoints are woken (`onEvents`). Each endpoint has its own sender
 * with its own window, so that none waits for another. It can be stopped and started again.
 */
@Injectable()
export class WebhookDispatcher implements OnModuleInit {
  private readonly senders = new Map<string, EndpointSender>();
  private readonly sendersOf = new Map<string, Set<EndpointSender>>();
  private readonly aborters = new WeakMap<EndpointSender, AbortController>();
  private sweeps: readonly Readonly<{ start(): void; stop(): Promise<void> }>[] = [];
  private rechecking: Promise<void> = Promise.resolve();
  /** Set after a share was gained: the read model must first show everything another instance recorded for it. */
  private isBehind = false;
  private shareGained = new AbortController();
  private releasing: Promise<unknown> = Promise.resolve();
  /** `abortInFlight` aborts messages in flight, `stopped` everything else. */
  private running: Readonly<{ abortInFlight: AbortController; stopped: AbortController }> | undefined;

  constructor(
    private readonly parts: DeliveryParts,
    private readonly subjects: FollowedSubjects,
    private readonly deleted: DeletedEndpoints,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    this.parts.projector.onApplied((events) => this.onEvents(events));
    this.parts.recording.onRecovered(() => this.senders.forEach((sender) => sender.wake()));
    this.metrics.gauge('svc_webhook_deliveries_open', 'Deliveries that wait to be sent or sent again.', () =>
      [...this.senders.values()].reduce((sum, { open }) => sum + open, 0),
    );
    this.metrics.gauge(
      'svc_webhook_partitions',
      'Partitions of the endpoints that this instance sends to.',
      () => this.parts.shares.size,
    );
    this.metrics.gauge('svc_webhook_sending_paused', '1 while outcomes cannot be recorded, and nothing is sent.', () =>
      Number(!this.parts.recording.isWorking),
    );
    this.metrics.gauge(
      'svc_webhook_outcomes_stuck',
      'Outcomes that cannot be recorded although the store is available; each is retried.',
      () => this.parts.recording.stuck,
    );
  }

  async start(): Promise<void> {
    if (this.running !== undefined) return;
    const running = { abortInFlight: new AbortController(), stopped: new AbortController() };
    this.running = running;
    const { parts, deleted } = this;
    const { signal } = running.stopped;
    this.sweeps = [
      this.sweepOf<WebhookQueueDocument>(webhookQueues, 'busy', async (queue) =>
        this.senderOf({ endpoint_id: queue.id, merchant_id: queue.merchant_id })?.sweepDue(queue),
      ),
      this.sweepOf<WebhookQueueDocument>(webhookQueues, 'abandoned', ({ id }) =>
        deleted.cancelOpened(parts, id, signal),
      ),
      this.sweepOf<FeedDocument>(merchantFeeds, 'ending', (feed) => deleted.cancelUnsent(parts, feed, signal)),
    ];
    for (const sweep of this.sweeps) sweep.start();
    await parts.shares.start({ gained: () => this.gained(), release: () => this.release() });
    this.rechecking = this.recheck(signal);
  }

  /** Starts no more attempts; resolves when those in flight have finished or were aborted. */
  async stop(): Promise<void> {
    const { running } = this;
    if (running === undefined) return;
    this.running = undefined;
    running.stopped.abort();
    const cut = setTimeout(() => running.abortInFlight.abort(), STOP_GRACE_MS);
    const senders = [...this.senders.values()];
    await Promise.all([
      ...senders.map((sender) => sender.close()),
      ...this.sweeps.map((sweep) => sweep.stop()),
      this.rechecking,
    ]);
    await this.releasing;
    clearTimeout(cut);
    await this.parts.shares.stop();
    this.senders.clear();
    this.sendersOf.clear();
  }

  private gained(): void {
    this.isBehind = true;
    this.shareGained.abort();
  }

  /** Closes the senders of endpoints that now belong to others; resolves when those closed earlier are done, too. */
  private async release(): Promise<void> {
    const closing = this.closeReleased();
    // A failure is reported to the caller that caused it, and blocks neither the next release nor the stop.
    this.releasing = Promise.allSettled([this.releasing, closing]);
    await this.releasing;
    await closing;
  }

  private async closeReleased(): Promise<void> {
    const leaving = [...this.senders.values()].filter(({ own }) => this.parts.shares.isLeaving(own.endpointId));
    for (const sender of leaving) this.forget(sender);
    const cut = setTimeout(() => leaving.forEach((sender) => this.aborters.get(sender)?.abort()), STOP_GRACE_MS);
    await Promise.all(leaving.map((sender) => sender.close()));
    clearTimeout(cut);
  }

  /** Called with events as soon as the read model shows them. */
  private onEvents(events: readonly RecordedEvent[]): void {
    if (this.running === undefined) return;
    const reported: RecordedEvent[] = [];
    for (const event of events) {
      if (webhookTypeOf(event) !== undefined) reported.push(event);
      const own = event.data as OfEndpoint;
      switch (parseStreamName(event.stream).category) {
        case 'webhook_endpoint':
          this.senderOf(own)?.endpointChanged();
          break;
        case 'webhook_delivery':
          this.senderOf(own)?.wake('due');
          break;
        case 'webhook_rewind':
          this.senderOf(own)?.rewindChanged();
          break;
        case 'webhook_outcomes':
          // A rewind that has finished lets the next one start.
          if ((event.data as Partial<Rewound>).rewind_id) this.senderOf(own)?.wake('rewind');
          break;
        default:
      }
    }
    if (reported.length > 0 && this.senders.size > 0) void this.wakeReceivers(reported);
  }

  /** Receivers that cannot be found now are woken by the next periodic check. */
  private async wakeReceivers(reported: readonly RecordedEvent[]): Promise<void> {
    try {
      const merchants = new Set<string>();
      for (const event of reported) merchants.add(await this.subjects.merchantOf(event));
      for (const merchantId of merchants) this.sendersOf.get(merchantId)?.forEach((sender) => sender.wake('live'));
    } catch (error) {
      this.parts.logger.warn({ err: error }, 'webhook endpoints could not be found, trying again soon');
    }
  }

  /** Finds every active endpoint at the start, and later those whose notification was missed. */
  private async recheck(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        this.shareGained = new AbortController();
        if (this.isBehind) await this.catchUp();
        for (const sender of [...this.senders.values()]) if (sender.isDone) this.forget(sender);
        let after: PageCursor | undefined;
        do {
          const page = { limit: PAGE_SIZE, after };
          const { documents, next } = await this.parts.model.find(webhookQueues, 'by_active', [true], page);
          for (const { id, merchant_id } of documents) {
            await this.senderOf({ endpoint_id: id, merchant_id })?.recheck();
          }
          after = next ?? undefined;
        } while (after !== undefined && !signal.aborted);
      } catch (error) {
        this.parts.logger.warn({ err: error }, 'webhook endpoints could not be listed, trying again');
      }
      await pause(RECHECK_INTERVAL_MS, AbortSignal.any([signal, this.shareGained.signal]));
    }
  }

  /** If another share is gained meanwhile, catches up again later: its records may be newer. */
  private async catchUp(): Promise<void> {
    const { outcomes, projector } = this.parts;
    const { signal: gainedMore } = this.shareGained;
    await projector.progress.passed(await outcomes.end());
    this.isBehind = gainedMore.aborted;
  }

  private sweepOf<D extends Document>(collection: Collection<D>, index: string, run: (found: D) => Promise<void>) {
    const { model, clock, logger, projector } = this.parts;
    const sweep = { name: `${collection.name} ${index}`, collection, index, equals: [true], run };
    return new DueSweeper<D>(model, { ...sweep, dueAt: () => '' }, clock, logger, () => projector.progress.position);
  }

  private senderOf({ endpoint_id: endpointId, merchant_id: merchantId }: OfEndpoint): EndpointSender | undefined {
    if (this.running === undefined) return undefined;
    const known = this.senders.get(endpointId);
    if (known !== undefined) return known;
    if (this.isBehind || !this.parts.shares.keeps(endpointId)) return undefined;
    const cut = new AbortController();
    const signal = AbortSignal.any([this.running.abortInFlight.signal, cut.signal]);
    // Every attempt listens to it.
    setMaxListeners(0, signal);
    const sender = new EndpointSender({ endpointId, merchantId, signal }, this.parts);
    this.aborters.set(sender, cut);
    this.senders.set(endpointId, sender);
    this.sendersOf.set(merchantId, (this.sendersOf.get(merchantId) ?? new Set()).add(sender));
    return sender;
  }

  private forget(sender: EndpointSender): void {
    const { endpointId, merchantId } = sender.own;
    this.senders.delete(endpointId);
    const others = this.sendersOf.get(merchantId);
    others?.delete(sender);
    if (others?.size === 0) this.sendersOf.delete(merchantId);
  }
}
