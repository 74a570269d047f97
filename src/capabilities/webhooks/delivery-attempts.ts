import { Inject, Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { EgressError } from '../../platform/egress/egress-error';
import { causedBy, type CommandContext } from '../../platform/event-store/event-codec';
import { EVENT_STORE, type EventStore, type Position } from '../../platform/event-store/event-store.port';
import { CommandRunner } from '../../platform/event-store/run-command';
import { Metrics } from '../../http/operations/metrics';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { newId } from '../../kernel/ids';
import { Leadership } from '../../platform/reacting/leadership';
import { retryAfterSeconds } from './delivery-schedule';
import { DeliveryLimits } from './delivery-limits';
import { type Attempt, webhookDelivery } from './webhook-delivery';
import { type KnownEndpoint, webhookEndpoint } from './webhook-endpoint';
import { type DisabledReason } from './webhook-endpoint.events';
import { errorKindOf, type Message, WebhookSender } from './webhook-sender';

/** Answers are read this far and dropped. */
const MAX_ANSWER_BYTES = 4096;
const GONE = 410;

/** One sending of one delivery. Recording it is an append at an expected version: what is not recorded is sent again. */
@Injectable()
export class DeliveryAttempts {
  private readonly outcomes: Counter<'outcome'>;
  /** Nobody waits to read what is recorded here. */
  private readonly deliveries: CommandRunner;

  constructor(
    private readonly commands: CommandRunner,
    @Inject(EVENT_STORE) store: EventStore,
    private readonly sender: WebhookSender,
    private readonly limits: DeliveryLimits,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly leadership: Leadership,
    { registry }: Metrics,
  ) {
    this.deliveries = new CommandRunner(store, clock, () => Promise.resolve());
    this.outcomes = new Counter({
      name: 'svc_webhook_attempts_total',
      help: 'Webhook sendings by what became of them.',
      labelNames: ['outcome'],
      registers: [registry],
    });
  }

  /**
   * Where in the log the sending is recorded, or undefined if nothing was sent and recorded. What reads showed may be old,
   * so the log is asked before anything is sent. An instance that was paused sends and records nothing any more.
   */
  async make(endpointId: string, deliveryId: string, signal: AbortSignal): Promise<Position | undefined> {
    const [{ state: delivery, eventId }, { state: endpoint }] = await Promise.all([
      this.deliveries.fold(webhookDelivery, deliveryId),
      this.commands.fold(webhookEndpoint, endpointId),
    ]);
    const at = this.clock.now();
    if (delivery?.status !== 'pending' || endpoint?.status !== 'active') return undefined;
    if (delivery.dueAt > timestamp(at)) return undefined;

    const { body } = delivery.scheduled;
    const limits = { timeoutMs: this.limits.attemptMs, maxResponseBytes: MAX_ANSWER_BYTES, signal };
    const stillWanted = (): boolean => this.leadership.leads();
    const attempt = await this.send({ endpointId, endpoint, messageId: deliveryId, body, at, stillWanted, ...limits });
    if (attempt === 'cancelled' || !stillWanted()) return undefined;
    // Before it is recorded: if we are cut off in between, the next sending meets the same answer. The delivery itself goes
    // on waiting, in its place, for the day the endpoint is switched on again.
    // What last happened to it, its scheduling or the attempt before, is why it was sent now.
    const cause = causedBy(context(), eventId);
    if (attempt.statusCode === GONE) await this.disable(endpointId, endpoint, 'gone', cause);
    const command = { kind: 'record-attempt', number: delivery.attempts + 1, attempt } as const;
    const { events, position } = await this.deliveries.run(webhookDelivery, deliveryId, command, cause);
    const [recorded] = events;
    if (recorded?.type !== 'WebhookDeliveryAttempted') return undefined;
    this.outcomes.inc({ outcome: recorded.data.outcome });
    return position;
  }

  /** Its endpoint is gone for good. */
  async cancel(deliveryId: string): Promise<void> {
    if (!this.leadership.leads()) return;
    const at = timestamp(this.clock.now());
    await this.commands.run(webhookDelivery, deliveryId, { kind: 'cancel', at }, context());
  }

  async disable(
    endpointId: string,
    { merchantId }: Pick<KnownEndpoint, 'merchantId'>,
    reason: Exclude<DisabledReason, 'merchant'>,
    cause = context(),
  ): Promise<void> {
    if (!this.leadership.leads()) return;
    const at = timestamp(this.clock.now());
    await this.commands.run(
      webhookEndpoint,
      endpointId,
      { kind: 'disable', endpointId, merchantId, reason, at },
      cause,
    );
  }

  private async send(message: Message): Promise<Attempt | 'cancelled'> {
    const started = performance.now();
    const ended = () => ({
      sentAt: timestamp(message.at),
      endedAt: timestamp(this.clock.now()),
      durationMs: Math.round(performance.now() - started),
    });
    try {
      const { status, headers } = await this.sender.send(message);
      return {
        ...ended(),
        statusCode: status,
        errorKind: errorKindOf(status),
        succeeded: errorKindOf(status) === null,
        retryAfterSeconds: retryAfterSeconds(headers['retry-after'], this.clock.now()),
      };
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      if (error.kind === 'cancelled') return 'cancelled';
      const failed = { succeeded: false, retryAfterSeconds: null };
      return { ...ended(), statusCode: error.status ?? null, errorKind: error.kind, ...failed };
    }
  }
}

const context = (): CommandContext => ({ requestId: newId('req'), actor: { kind: 'service', id: 'webhooks' } });
