import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { webhookEndpoints } from '../../projections/webhook-endpoints.projection';
import { decodeEvent } from '../event-store/event-codec';
import { EVENT_STORE, type EventStore, type Position, type RecordedEvent } from '../event-store/event-store.port';
import { firstEvent } from '../event-store/first-event';
import { Reactors } from '../event-store/reactors';
import { CommandRunner } from '../event-store/run-command';
import { streamName } from '../event-store/stream-name';
import { CLOCK, type Clock, timestamp } from '../kernel/clock';
import { derivedId } from '../kernel/ids';
import { Projector } from '../read-model/projector';
import { READ_MODEL, type PageCursor, type ReadModel } from '../read-model/read-model.port';
import { type WebhookDeliveryScheduled } from './webhook-delivery.events';
import { wants, webhookEndpoint, type WebhookEndpointState } from './webhook-endpoint';
import { type WebhookEndpointEvent } from './webhook-endpoint.events';
import { messageOf, TOLD_TYPES, type WebhookMessage } from './webhook-messages';

const PAGE = 200;
const scheduling = firstEvent<WebhookDeliveryScheduled>('webhook_delivery');

/**
 * Turns what happened into deliveries. Who receives an event is who was active when it happened, as the log has it: not
 * who is when this comes round to it. A delivery's id follows from endpoint and event, so doing it twice does no harm.
 */
@Injectable()
export class WebhookFanoutReactor implements OnModuleInit {
  /** Nobody reads these writes at once, so this runner does not wait until they are readable. */
  private readonly writer: CommandRunner;

  constructor(
    private readonly reactors: Reactors,
    private readonly commands: CommandRunner,
    private readonly projector: Projector,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(READ_MODEL) private readonly model: ReadModel,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.writer = new CommandRunner(store, clock, () => Promise.resolve());
  }

  onModuleInit(): void {
    this.reactors.add({ name: 'webhook-fanout', types: TOLD_TYPES, react: (event) => this.react(event) });
  }

  private async react(event: RecordedEvent): Promise<void> {
    const message = await messageOf(event, ({ stream, version }) => this.history(stream, version));
    if (message === undefined) return;
    // Every endpoint from before the event is in the index once readers have come as far as the event.
    await this.projector.progress.passed(event.position);
    const candidates = await this.endpointsOf(message.merchantId);
    await Promise.all(
      candidates.map(async (endpointId) => {
        if (await this.receives(endpointId, message, event.position)) await this.schedule(endpointId, message, event);
      }),
    );
  }

  private async history(stream: string, version: number): Promise<readonly RecordedEvent[]> {
    return (await this.store.readStream(stream)).filter((event) => event.version <= version);
  }

  private async endpointsOf(merchantId: string): Promise<readonly string[]> {
    const ids: string[] = [];
    let after: PageCursor | undefined;
    do {
      const page = await this.model.find(webhookEndpoints, 'by_merchant', [merchantId], { limit: PAGE, after });
      ids.push(...page.documents.map(({ id }) => id));
      after = page.next ?? undefined;
    } while (after !== undefined);
    return ids;
  }

  private async receives(endpointId: string, { type }: WebhookMessage, position: Position): Promise<boolean> {
    const now = await this.commands.fold(webhookEndpoint, endpointId);
    if (now.state?.status === 'deleted') return false;
    const then = now.position < position ? now.state : await this.endpointBefore(endpointId, position);
    return then?.status === 'active' && wants(then, type);
  }

  private async endpointBefore(endpointId: string, position: Position): Promise<WebhookEndpointState> {
    const events = await this.store.readStream(streamName(webhookEndpoint.category, endpointId));
    return events
      .filter((event) => event.position < position)
      .reduce(
        (state, event) => webhookEndpoint.evolve(state, decodeEvent<WebhookEndpointEvent>(event)),
        webhookEndpoint.initial,
      );
  }

  private async schedule(endpointId: string, message: WebhookMessage, event: RecordedEvent): Promise<void> {
    const { event_id, request_id } = event.metadata;
    const { merchantId, type, subjectId, body } = message;
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
