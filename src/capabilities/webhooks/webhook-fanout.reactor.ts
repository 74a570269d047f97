import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import {
  EVENT_STORE,
  type EventStore,
  LOG_START,
  type Position,
  type RecordedEvent,
} from '../../platform/event-store/event-store.port';
import { firstEvent } from '../../platform/event-store/first-event';
import { parseStreamName } from '../../platform/event-store/stream-name';
import { Reactors } from '../../platform/reacting/reactors';
import { CommandRunner } from '../../platform/event-store/run-command';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { derivedId } from '../../kernel/ids';
import { type WebhookEventType } from './event-types';
import { ENDPOINT_EVENT_TYPES, FollowedEndpoints } from './followed-endpoints';
import { FollowedSubjects } from './followed-subjects';
import { type WebhookDeliveryScheduled } from './webhook-delivery.events';
import { toldTypes } from './event-types';
import { messageOf, type WebhookMessage } from './webhook-messages';

const ENDPOINT_EVENTS: ReadonlySet<string> = new Set(ENDPOINT_EVENT_TYPES);
const scheduling = firstEvent<WebhookDeliveryScheduled>('webhook_delivery');

/**
 * Turns what happened into deliveries. Who receives an event is who was active when it happened, as the log has it: not
 * who is when this comes round to it. A delivery's id follows from endpoint and event, so doing it twice does no harm.
 * Most merchants have no endpoint: for them nothing is read, waited for or written.
 */
@Injectable()
export class WebhookFanoutReactor implements OnModuleInit {
  /** Nobody reads these writes at once, so this runner does not wait until they are readable. */
  private readonly writer: CommandRunner;
  private reached: Position = LOG_START;

  constructor(
    private readonly reactors: Reactors,
    private readonly endpoints: FollowedEndpoints,
    private readonly subjects: FollowedSubjects,
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.writer = new CommandRunner(store, clock, () => Promise.resolve());
  }

  onModuleInit(): void {
    const types = [...ENDPOINT_EVENT_TYPES, ...Object.keys(toldTypes)];
    this.reactors.add({ name: 'webhook-fanout', types, react: (event) => this.react(event) });
  }

  private async react(event: RecordedEvent): Promise<void> {
    // Once more: the endpoints in memory are ahead of this event.
    if (event.position <= this.reached) this.endpoints.forget();
    this.reached = event.position;
    if (ENDPOINT_EVENTS.has(event.type)) return this.endpoints.follow(event);
    const type = toldTypes[event.type];
    if (type === undefined) return;
    const merchantId = await this.subjects.merchantOf(event);
    const receivers = await this.endpoints.receivers(merchantId, type, event.position);
    if (receivers.length === 0) return;
    const { document } = await this.subjects.after(event.stream, event.version);
    const message = messageOf(type, event, document);
    await Promise.all(receivers.map((endpointId) => this.schedule(endpointId, { merchantId, type, message, event })));
  }

  private async schedule(
    endpointId: string,
    {
      merchantId,
      type,
      message,
      event,
    }: Readonly<{
      merchantId: string;
      type: WebhookEventType;
      message: WebhookMessage;
      event: RecordedEvent;
    }>,
  ): Promise<void> {
    const { event_id, request_id } = event.metadata;
    const { id: subjectId } = parseStreamName(event.stream);
    const body = JSON.stringify(message);
    const now = timestamp(this.clock.now());
    const scheduled: WebhookDeliveryScheduled = {
      type: 'WebhookDeliveryScheduled',
      data: {
        delivery_id: derivedId('whd', endpointId, event_id),
        endpoint_id: endpointId,
        merchant_id: merchantId,
        lane: `${endpointId}:${subjectId}`,
        event_id,
        event_type: type,
        subject_id: subjectId,
        sequence: event.version,
        body,
        due_at: now,
        scheduled_at: now,
      },
    };
    await this.writer.run(scheduling, scheduled.data.delivery_id, scheduled, {
      requestId: request_id,
      actor: { kind: 'service', id: 'webhooks' },
      causationId: event_id,
    });
  }
}
