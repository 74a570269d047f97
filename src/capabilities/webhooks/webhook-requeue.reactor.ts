import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type WebhookDeliveryDocument } from '../../../projections/webhook-deliveries.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { Reactors } from '../../platform/reacting/reactors';
import { CommandRunner } from '../../platform/event-store/run-command';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { Projector } from '../../platform/projecting/projector';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { deliveriesSince } from './recover-deliveries';
import { webhookDelivery, type WebhookDeliveryCommand } from './webhook-delivery';
import { type WebhookEndpointRecoveryRequested } from '../../events/webhook-endpoint.events';
import { type DeliveryId } from '../../kernel/aggregates';
import { ignored, reactorTo } from '../../platform/reacting/reactor';

/** Sends undelivered messages again when a merchant asks for all of them at once. */
@Injectable()
export class WebhookRequeueReactor implements OnModuleInit {
  constructor(
    private readonly reactors: Reactors,
    private readonly commands: CommandRunner,
    private readonly projector: Projector,
    @Inject(READ_MODEL) private readonly model: ReadModel,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.reactors.add(
      reactorTo<'webhook_endpoint'>('webhook-requeue', {
        WebhookEndpointCreated: ignored,
        WebhookEndpointVerified: ignored,
        WebhookEndpointChanged: ignored,
        WebhookEndpointSecretRotated: ignored,
        WebhookEndpointDisabled: ignored,
        WebhookEndpointEnabled: ignored,
        WebhookEndpointRecoveryRequested: (event) => this.recover(event),
        WebhookEndpointDeleted: ignored,
      }),
    );
  }

  /**
   * May be interrupted and started over: a delivery accepts the same recovery only once. Where the reads were lost, it
   * comes again long after it was done: what has been sent since is not meant.
   */
  private async recover(event: RecordedEvent & WebhookEndpointRecoveryRequested): Promise<void> {
    await this.projector.progress.passed(event.position);
    const { merchant_id: merchantId, endpoint_id: endpointId, since, recovery_id: requeueId } = event.data;
    for (const status of ['failed', 'pending'] as const) {
      for await (const page of deliveriesSince(this.model, { merchantId, endpointId, since }, status)) {
        const at = timestamp(this.clock.now());
        const command = { kind: 'recover', requeueId, at } as const;
        // Deliveries of one subject are requeued in order: if only the later one were due, it would be sent first.
        await Promise.all(
          lanesOf(page).map(async (lane) => {
            for (const { id } of lane) await this.run(id, command, event);
          }),
        );
      }
    }
  }

  private async run(
    deliveryId: DeliveryId,
    command: WebhookDeliveryCommand,
    { data, metadata, position }: RecordedEvent & WebhookEndpointRecoveryRequested,
  ): Promise<void> {
    const { state, position: newest } = await this.commands.fold(webhookDelivery, deliveryId);
    // An attempt that was already on its way may fail afterwards, and be the last one: that delivery is meant.
    if (newest > position && (state?.lastSentAt ?? '') >= data.requested_at) return;
    const context: CommandContext = {
      requestId: metadata.request_id,
      actor: metadata.actor,
      causationId: metadata.event_id,
    };
    await this.commands.run(webhookDelivery, deliveryId, command, context);
  }
}

/** By subject, in the order of its events. Deliveries without a stream are being sent anyway. */
function lanesOf(page: readonly WebhookDeliveryDocument[]): readonly (readonly WebhookDeliveryDocument[])[] {
  const lanes = new Map<string, WebhookDeliveryDocument[]>();
  for (const delivery of page.filter(({ opened }) => opened)) {
    const lane = lanes.get(delivery.subject_id) ?? [];
    lanes.set(delivery.subject_id, [...lane, delivery]);
  }
  return [...lanes.values()].map((lane) => lane.sort((one, other) => one.sequence - other.sequence));
}
