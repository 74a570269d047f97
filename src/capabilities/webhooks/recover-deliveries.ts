import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  type DeliveryStatus,
  type WebhookDeliveryDocument,
  webhookDeliveries,
} from '../../../projections/webhook-deliveries.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { READ_MODEL, type PageCursor, type ReadModel } from '../../platform/read-model/read-model.port';
import { ownedEndpoint, webhookEndpoint, type WebhookEndpointCommand } from './webhook-endpoint';
import { type EndpointId, type MerchantId } from '../../kernel/aggregates';

const PAGE_SIZE = 200;

type Wanted = Readonly<{ endpointId: EndpointId; merchantId: MerchantId; since: string }>;

/**
 * Page by page, the deliveries of one status created at or after a given time. Those created at the same time are in
 * one page: the index orders them by id, so a page could otherwise hold a subject's later delivery but not its earlier.
 */
export async function* deliveriesSince(
  model: ReadModel,
  { endpointId, merchantId, since }: Wanted,
  status: DeliveryStatus,
): AsyncGenerator<readonly WebhookDeliveryDocument[]> {
  let after: PageCursor | null = { sort: since, id: '' };
  let held: readonly WebhookDeliveryDocument[] = [];
  while (after !== null) {
    const page = { limit: PAGE_SIZE, after, order: 'asc' } as const;
    const equals = [merchantId, endpointId, status];
    const found: Awaited<ReturnType<typeof model.find<WebhookDeliveryDocument>>> = await model.find(
      webhookDeliveries,
      'by_endpoint_and_status',
      equals,
      page,
    );
    after = found.next;
    const known = [...held, ...found.documents];
    const last = known.at(-1)?.created_at;
    held = after === null ? [] : known.filter(({ created_at }) => created_at === last);
    yield known.slice(0, known.length - held.length);
    // Let other requests run: the list may be long.
    await nextTurn();
  }
}

/** Returns how many there are; the recovery itself follows after the response. */
export class RecoverDeliveries extends Command<number> {
  constructor(
    readonly command: Extract<WebhookEndpointCommand, { kind: 'recover' }>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RecoverDeliveries)
export class RecoverDeliveriesHandler implements ICommandHandler<RecoverDeliveries> {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(READ_MODEL) private readonly model: ReadModel,
  ) {}

  async execute({ command, context }: RecoverDeliveries): Promise<number> {
    const { state } = await this.commands.fold(webhookEndpoint, command.endpointId);
    ownedEndpoint(state, command.merchantId);
    let count = 0;
    for (const status of ['failed', 'pending'] as const) {
      for await (const { length } of deliveriesSince(this.model, command, status)) count += length;
    }
    await this.commands.run(webhookEndpoint, command.endpointId, command, context);
    return count;
  }
}
