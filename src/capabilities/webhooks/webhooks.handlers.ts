import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { addSeconds, CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { refuse, refuseInput } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { KeyedQueue } from '../../kernel/keyed-queue';
import { EndpointPlaces, MOST_ENDPOINTS } from './endpoint-places';
import { newWebhookSecret, WebhookSecrets } from './signing';
import { webhookDelivery } from './webhook-delivery';
import { ownedEndpoint, webhookEndpoint, type WebhookEndpointCommand } from './webhook-endpoint';
import { WebhookSender } from './webhook-sender';

const OLD_SECRET_SECONDS = 24 * 3600;

type Create = Readonly<{
  merchantId: string;
  url: string;
  events: readonly string[] | null;
  description: string | null;
}>;

/** The secret is answered once and then known here in sealed form only. */
export class CreateWebhookEndpoint extends Command<{ endpointId: string; secret: string }> {
  constructor(
    readonly about: Create,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CreateWebhookEndpoint)
export class CreateWebhookEndpointHandler implements ICommandHandler<CreateWebhookEndpoint> {
  /** One merchant's creations do not race each other; those of another process are met by the id. */
  private readonly queue = new KeyedQueue();

  constructor(
    private readonly commands: CommandRunner,
    private readonly sender: WebhookSender,
    private readonly secrets: WebhookSecrets,
    private readonly places: EndpointPlaces,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute({ about, context }: CreateWebhookEndpoint): Promise<{ endpointId: string; secret: string }> {
    mustBeAllowed(this.sender, about.url);
    return this.queue.run(about.merchantId, () => this.create(about, context));
  }

  private async create(about: Create, context: CommandContext): Promise<{ endpointId: string; secret: string }> {
    for (;;) {
      const endpointId = await this.places.freeId(about.merchantId);
      if (endpointId === undefined) {
        const message = `there are ${MOST_ENDPOINTS} endpoints already; delete one first`;
        throw refuseInput([{ code: 'too_many', field: 'url', message }]);
      }
      const secret = newWebhookSecret();
      const secretSealed = this.secrets.sealed(endpointId, secret);
      const at = timestamp(this.clock.now());
      const command = { kind: 'create', endpointId, secretSealed, at, ...about } as const;
      const { events } = await this.commands.run(webhookEndpoint, endpointId, command, context);
      // Nothing happened when another process took the place first.
      if (events.length > 0) return { endpointId, secret };
    }
  }
}

export class ChangeWebhookEndpoint extends Command<void> {
  constructor(
    readonly command: Extract<WebhookEndpointCommand, { kind: 'change' | 'recover' | 'delete' }>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ChangeWebhookEndpoint)
export class ChangeWebhookEndpointHandler implements ICommandHandler<ChangeWebhookEndpoint> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly sender: WebhookSender,
  ) {}

  async execute({ command, context }: ChangeWebhookEndpoint): Promise<void> {
    const { state } = await this.commands.fold(webhookEndpoint, command.endpointId);
    ownedEndpoint(state, command.merchantId);
    if (command.kind === 'change' && command.url !== undefined) mustBeAllowed(this.sender, command.url);
    await this.commands.run(webhookEndpoint, command.endpointId, command, context);
  }
}

export class RotateWebhookSecret extends Command<string> {
  constructor(
    readonly endpointId: string,
    readonly merchantId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RotateWebhookSecret)
export class RotateWebhookSecretHandler implements ICommandHandler<RotateWebhookSecret> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly secrets: WebhookSecrets,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ endpointId, merchantId, context }: RotateWebhookSecret): Promise<string> {
    const secret = newWebhookSecret();
    const now = this.clock.now();
    const secretSealed = this.secrets.sealed(endpointId, secret);
    const times = { at: timestamp(now), previousUntil: timestamp(addSeconds(now, OLD_SECRET_SECONDS)) };
    const command = { kind: 'rotate-secret', endpointId, merchantId, secretSealed, ...times } as const;
    await this.commands.run(webhookEndpoint, endpointId, command, context);
    return secret;
  }
}

export class RedeliverWebhook extends Command<void> {
  constructor(
    readonly deliveryId: string,
    readonly merchantId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RedeliverWebhook)
export class RedeliverWebhookHandler implements ICommandHandler<RedeliverWebhook> {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ deliveryId, merchantId, context }: RedeliverWebhook): Promise<void> {
    const { state: delivery } = await this.commands.fold(webhookDelivery, deliveryId);
    if (delivery?.scheduled.merchant_id !== merchantId) throw refuse('resource_not_found');
    const { state: endpoint } = await this.commands.fold(webhookEndpoint, delivery.scheduled.endpoint_id);
    if (endpoint?.status !== 'active') {
      throw refuse('invalid_status_transition', { details: { endpoint_status: endpoint?.status } });
    }
    const command = {
      kind: 'redeliver',
      merchantId,
      requeueId: newId('req'),
      at: timestamp(this.clock.now()),
    } as const;
    await this.commands.run(webhookDelivery, deliveryId, command, context);
  }
}

function mustBeAllowed(sender: WebhookSender, url: string): void {
  const problem = sender.problemWith(url);
  if (problem !== undefined) throw refuse('destination_not_allowed', { field: 'url', details: { problem } });
}
