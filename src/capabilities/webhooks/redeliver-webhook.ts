import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { deliveryIdOf } from '../../../projections/merchant-feed.projection';
import { type WebhookDeliveryDocument, webhookDeliveries } from '../../../projections/webhook-deliveries.projection';
import { subjectCategoryOf, webhookTypeOf } from '../../../projections/webhook-types';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { EVENT_STORE, type EventStore } from '../../platform/event-store/event-store.port';
import { CommandRunner } from '../../platform/event-store/run-command';
import { streamOf } from '../../platform/event-store/stream-name';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { refuse } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { READ_MODEL_STORE, type ReadModelStore } from '../../platform/read-model/read-model.port';
import { laneOf } from './feed-walk';
import { type DeliveryFacts, webhookDelivery } from './webhook-delivery';
import { mustBeActive, webhookEndpoint } from './webhook-endpoint';
import { type DeliveryId, type MerchantId } from '../../kernel/aggregates';

/** Returns the earlier delivery it has to wait for, if any. */
export class RedeliverWebhook extends Command<string | null> {
  constructor(
    readonly deliveryId: DeliveryId,
    readonly merchantId: MerchantId,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RedeliverWebhook)
export class RedeliverWebhookHandler implements ICommandHandler<RedeliverWebhook> {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(READ_MODEL_STORE) private readonly model: ReadModelStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ deliveryId, merchantId, context }: RedeliverWebhook): Promise<string | null> {
    const delivery = await this.model.get(webhookDeliveries, deliveryId);
    if (delivery?.merchant_id !== merchantId) throw refuse('resource_not_found');
    const { state: endpoint } = await this.commands.fold(webhookEndpoint, delivery.endpoint_id);
    if (endpoint === null) throw refuse('resource_not_found');
    mustBeActive(endpoint);
    const at = timestamp(this.clock.now());
    const requeueId = newId('req');
    const earlier = await this.undeliveredBefore(delivery);
    // Put all of them in the lane before this one, so that it cannot overtake any.
    for (const one of earlier.filter(({ opened }) => !opened)) {
      const command = { kind: 'open-waiting', facts: factsOf(one), attempts: 0, rewindId: null, at } as const;
      await this.commands.run(webhookDelivery, one.id, command, context);
    }
    const [first] = earlier;
    if (first !== undefined) {
      await this.commands.run(webhookDelivery, first.id, { kind: 'redeliver', merchantId, requeueId, at }, context);
    }
    const unopened = delivery.opened
      ? {}
      : { unopened: { facts: factsOf(delivery), attempts: delivery.attempt_count } };
    const command = { kind: 'redeliver', merchantId, requeueId, at, ...unopened } as const;
    await this.commands.run(webhookDelivery, deliveryId, command, context);
    return first?.id ?? null;
  }

  /** Earlier deliveries about the same subject that the endpoint has not received yet, in order. */
  private async undeliveredBefore({ endpoint_id, event_type, subject_id, sequence }: WebhookDeliveryDocument) {
    if (sequence <= 1) return [];
    const events = await this.store.readStream(streamOf(subjectCategoryOf(event_type), subject_id), 0, sequence - 1);
    const refs = events
      .filter((event) => webhookTypeOf(event) !== undefined)
      .map(({ metadata }) => ({ collection: webhookDeliveries, id: deliveryIdOf(endpoint_id, metadata.event_id) }));
    const stored = refs.length === 0 ? [] : await this.model.load(refs);
    return stored
      .flatMap((one) => (one === undefined ? [] : [one.document as WebhookDeliveryDocument]))
      .filter(({ status }) => status === 'pending');
  }
}

function factsOf(delivery: WebhookDeliveryDocument): DeliveryFacts {
  const { id: delivery_id, endpoint_id, merchant_id, event_id, event_type, subject_id, sequence, cursor } = delivery;
  const lane = laneOf(endpoint_id, subject_id);
  return {
    delivery_id,
    endpoint_id,
    merchant_id,
    lane,
    event_id,
    event_type,
    subject_id,
    sequence,
    cursor: cursor ?? 0,
  };
}
