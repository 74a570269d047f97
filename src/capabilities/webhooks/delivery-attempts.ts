import { Inject, Injectable } from '../../platform/injection';
import { Counter } from 'prom-client';
import { webhookDeliveries } from '../../../projections/webhook-deliveries.projection';
import { EgressError } from '../../platform/egress/egress-error';
import { causedBy, type CommandContext } from '../../platform/event-store/event-codec';
import { type Position } from '../../platform/event-store/event-store.port';
import { CommandRunner } from '../../platform/event-store/run-command';
import { streamOf } from '../../platform/event-store/stream-name';
import { Metrics } from '../../http/operations/metrics';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { newId } from '../../kernel/ids';
import { Shares } from '../../platform/reacting/shares';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { retryAfterSeconds } from '../../kernel/retry-after';
import { DeliveryLimits } from './delivery-limits';
import { type WalkItem } from './feed-walk';
import { MerchantFeed } from './merchant-feed';
import { Recording } from './recording';
import { type Answered } from './send-window';
import { type Attempt, type KnownDelivery, webhookDelivery, type WebhookDeliveryCommand } from './webhook-delivery';
import { type KnownEndpoint, webhookEndpoint } from './webhook-endpoint';
import { type DisabledReason } from '../../events/webhook-endpoint.events';
import { errorKindOf, type Message, WebhookSender } from './webhook-sender';
import { type DeliveryId, type EndpointId } from '../../kernel/aggregates';

/** Responses are read up to this size, then discarded. */
const MAX_RESPONSE_BYTES = 4096;
const GONE = 410;
/** A refusal that says nothing about the receiver's load, unlike 408 and 429. */
const isRefusal = (status: number): boolean => status >= 400 && status < 500 && status !== 408 && status !== 429;

export type Target = Readonly<{ endpointId: EndpointId; endpoint: KnownEndpoint }>;
type Posted = Pick<Message, 'messageId' | 'body'> & Readonly<{ cursor: number | null }>;
export type AttemptResult = Readonly<{ answered: Answered; recorded: Position | undefined }>;

/** One attempt and its record: an append at an expected version. An attempt that is not recorded is made again. */
@Injectable()
export class DeliveryAttempts {
  private readonly outcomes: Counter<'outcome'>;

  constructor(
    private readonly commands: CommandRunner,
    private readonly sender: WebhookSender,
    private readonly feed: MerchantFeed,
    private readonly recording: Recording,
    private readonly limits: DeliveryLimits,
    @Inject(READ_MODEL) private readonly model: ReadModel,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly shares: Shares,
    { registry }: Metrics,
  ) {
    this.outcomes = new Counter({
      name: 'svc_webhook_attempts_total',
      help: 'Webhook delivery attempts, by outcome.',
      labelNames: ['outcome'],
      registers: [registry],
    });
  }

  /**
   * Posts a message. An instance that was paused no longer sends; it reports `cancelled`, as after a stop. A response
   * counts even if the lease expired meanwhile: `Recording` decides whether it may be recorded.
   */
  post({ endpointId, endpoint }: Target, posted: Posted, signal: AbortSignal): Promise<Attempt | 'cancelled'> {
    const stillWanted = (): boolean => this.shares.holds(endpointId);
    const limits = { timeoutMs: this.limits.attemptMs, maxResponseBytes: MAX_RESPONSE_BYTES, signal, stillWanted };
    return this.send({ endpointId, endpoint, at: this.clock.now(), ...posted, ...limits });
  }

  /**
   * Another attempt at a delivery that has a stream. Reads may be stale, so the log is checked before anything is sent:
   * it must be due, or still to become so at `dueAt`, which a clock that was ahead has set too late.
   * `onStuck` is called with the answer if it cannot be recorded now, so that nothing else waits for it.
   */
  async retry(
    target: Target,
    { deliveryId, dueAt }: Readonly<{ deliveryId: DeliveryId; dueAt: string | undefined }>,
    signal: AbortSignal,
    onStuck: (answered: Answered) => void,
  ): Promise<AttemptResult> {
    const { state: delivery, eventId } = await this.commands.fold(webhookDelivery, deliveryId);
    const notSent = { answered: 'neutral', recorded: undefined } as const;
    if (delivery?.status !== 'pending') return notSent;
    if (delivery.dueAt > timestamp(this.clock.now()) && delivery.dueAt !== dueAt) return notSent;
    const body = await this.textOf(delivery);
    const posted = { messageId: deliveryId, body, cursor: await this.cursorOf(delivery) };
    const attempt = await this.post(target, posted, signal);
    if (attempt === 'cancelled') return notSent;
    const command = { kind: 'record-attempt', number: delivery.attempts + 1, attempt } as const;
    // The cause is the delivery's latest event: its opening or the previous attempt.
    const cause = causedBy(context(), eventId);
    const answered = answeredBy(attempt);
    const recorded = await this.record(target, deliveryId, command, cause, signal, () => onStuck(answered));
    return { answered, recorded };
  }

  /** Records the result of an attempt in the delivery's own stream; undefined if it could not be recorded. */
  async record(
    { endpointId, endpoint }: Target,
    deliveryId: DeliveryId,
    command: Extract<WebhookDeliveryCommand, { attempt: Attempt }>,
    cause: CommandContext,
    signal: AbortSignal,
    onStuck: () => void = () => undefined,
  ): Promise<Position | undefined> {
    let isToBeDisabled = command.attempt.statusCode === GONE;
    const write = async (): Promise<Position> => {
      // Disable first: if the process dies in between, the next attempt gets the same response. The delivery itself
      // keeps waiting, in its place, until the endpoint is enabled again. Once only: its merchant may enable it while
      // the rest cannot be recorded.
      if (isToBeDisabled) await this.disable(endpointId, endpoint, 'gone', cause);
      isToBeDisabled = false;
      const { events, position } = await this.commands.run(webhookDelivery, deliveryId, command, cause, {
        untilReadable: false,
      });
      const recorded = events.find(({ type }) => type === 'WebhookDeliveryAttempted');
      if (recorded?.type === 'WebhookDeliveryAttempted') this.count(recorded.data.outcome);
      return position;
    };
    return this.recording.retryUntilRecorded(endpointId, write, signal, onStuck);
  }

  count(outcome: 'succeeded' | 'retry' | 'failed', times = 1): void {
    this.outcomes.inc({ outcome }, times);
  }

  /** For a delivery whose endpoint was deleted. */
  async cancel(endpointId: EndpointId, deliveryId: DeliveryId): Promise<void> {
    if (!this.shares.holds(endpointId)) return;
    const at = timestamp(this.clock.now());
    await this.commands.run(webhookDelivery, deliveryId, { kind: 'cancel', at }, context());
  }

  async disable(
    endpointId: EndpointId,
    { merchantId, url }: Pick<KnownEndpoint, 'merchantId' | 'url'>,
    reason: Exclude<DisabledReason, 'merchant'>,
    cause = context(),
  ): Promise<void> {
    if (!this.shares.holds(endpointId)) return;
    const at = timestamp(this.clock.now());
    const command = { kind: 'disable', endpointId, merchantId, url, reason, at } as const;
    await this.commands.run(webhookEndpoint, endpointId, command, cause);
  }

  /** The text of an entry that the endpoint may have received before, from an older version that stored it. */
  async textAgain({ entry, facts: { delivery_id } }: WalkItem): Promise<string> {
    const hasStream = (await this.model.get(webhookDeliveries, delivery_id))?.opened === true;
    const { state: delivery } = hasStream ? await this.commands.fold(webhookDelivery, delivery_id) : { state: null };
    return delivery === null ? JSON.stringify(await this.feed.message(entry)) : this.textOf(delivery);
  }

  /** Old logs hold the body; otherwise it is built from the reported event, with the same result every time. */
  private async textOf({ scheduled }: KnownDelivery): Promise<string> {
    const { body, event_type: type, subject_id, sequence: version } = scheduled;
    if (body !== null) return body;
    const [category = ''] = type.split('.');
    return JSON.stringify(await this.feed.message({ type, stream: streamOf(category, subject_id), version }));
  }

  private async cursorOf({ scheduled: { cursor, delivery_id } }: KnownDelivery): Promise<number | null> {
    return cursor ?? (await this.model.get(webhookDeliveries, delivery_id))?.cursor ?? null;
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

export function answeredBy({ succeeded, statusCode }: Attempt): Answered {
  if (succeeded) return 'accepted';
  return statusCode !== null && isRefusal(statusCode) ? 'neutral' : 'overloaded';
}

/** The context of commands that webhook delivery issues on its own. */
export const context = (): CommandContext => ({ requestId: newId('req'), actor: { kind: 'service', id: 'webhooks' } });
