import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { webhookDeliveries } from '../../../projections/webhook-deliveries.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { Reactors } from '../../platform/reacting/reactors';
import { CommandRunner } from '../../platform/event-store/run-command';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { Projector } from '../../platform/projecting/projector';
import { READ_MODEL, type PageCursor, type ReadModel } from '../../platform/read-model/read-model.port';
import { webhookDelivery, type WebhookDeliveryCommand } from './webhook-delivery';
import { type WebhookEndpointRecoveryRequested } from './webhook-endpoint.events';

const PAGE = 100;

/** Sends again what finally failed, when a merchant asks for all of it at once. */
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
    const types = ['WebhookEndpointRecoveryRequested'];
    this.reactors.add({ name: 'webhook-requeue', types, react: (event) => this.react(event) });
  }

  private async react(event: RecordedEvent): Promise<void> {
    const recorded = event as RecordedEvent & WebhookEndpointRecoveryRequested;
    if (recorded.type === 'WebhookEndpointRecoveryRequested') await this.recover(recorded);
  }

  /** The walk may be cut off and begun anew: each delivery takes one recovery once. */
  private async recover(event: RecordedEvent & WebhookEndpointRecoveryRequested): Promise<void> {
    await this.projector.progress.passed(event.position);
    const { merchant_id, endpoint_id, since, recovery_id: requeueId } = event.data;
    const failed = [merchant_id, endpoint_id, 'failed'];
    let after: PageCursor | null = { sort: since, id: '' };
    while (after !== null) {
      const page: Awaited<ReturnType<typeof this.failedPage>> = await this.failedPage(failed, after);
      const at = timestamp(this.clock.now());
      await Promise.all(page.documents.map(({ id }) => this.run(id, { kind: 'recover', requeueId, at }, event)));
      after = page.next;
    }
  }

  private failedPage(equals: readonly string[], after: PageCursor) {
    return this.model.find(webhookDeliveries, 'by_endpoint_and_status', equals, { limit: PAGE, after, order: 'asc' });
  }

  private async run(deliveryId: string, command: WebhookDeliveryCommand, { metadata }: RecordedEvent): Promise<void> {
    const context: CommandContext = {
      requestId: metadata.request_id,
      actor: metadata.actor,
      causationId: metadata.event_id,
    };
    await this.commands.run(webhookDelivery, deliveryId, command, context);
  }
}
