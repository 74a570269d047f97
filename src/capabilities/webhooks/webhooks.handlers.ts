import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { webhookRewinds } from '../../../projections/webhook-rewinds.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { addSeconds, CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { complete, staleVersion } from '../../http/input/draft';
import { type Issue, refuseInput } from '../../kernel/errors';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { destinationIssues, forDestinations } from './create-webhook-endpoint';
import { MAX_RUNNING_REWINDS } from './rewind-endpoint';
import { newWebhookSecret, WebhookSecrets } from './signing';
import { ownedEndpoint, webhookEndpoint, type WebhookEndpointCommand } from './webhook-endpoint';
import { webhookRewind } from './webhook-rewind';
import { WebhookSender } from './webhook-sender';
import { type EndpointId, type MerchantId } from '../../kernel/aggregates';

const OLD_SECRET_SECONDS = 24 * 3600;

export class ChangeWebhookEndpoint extends Command<void> {
  constructor(
    readonly command: Extract<WebhookEndpointCommand, { kind: 'change' | 'delete' }>,
    readonly context: CommandContext,
    /** What is wrong with the input itself; the command then holds the valid parts. */
    readonly issues: readonly Issue[] = [],
  ) {
    super();
  }
}

@CommandHandler(ChangeWebhookEndpoint)
export class ChangeWebhookEndpointHandler implements ICommandHandler<ChangeWebhookEndpoint> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly sender: WebhookSender,
    @Inject(READ_MODEL) private readonly model: ReadModel,
  ) {}

  async execute({ command, context, issues }: ChangeWebhookEndpoint): Promise<void> {
    const sound: Readonly<{ url?: string | undefined }> = command.kind === 'change' ? command : {};
    const found = destinationIssues(this.sender, sound.url);
    const { state } = await this.commands.fold(webhookEndpoint, command.endpointId);
    const known = state?.merchantId === command.merchantId ? state : undefined;
    const stale = command.kind === 'change' && command.version > 0 ? staleVersion(command, known) : [];
    if (issues.length > 0) throw refuseInput([...issues, ...found, ...stale]);
    ownedEndpoint(state, command.merchantId);
    if (command.kind === 'delete') await this.cancelRewinds(command, context);
    complete({ issues, sound }, found.length > 0 ? [...found, ...stale] : [], forDestinations(this.sender, sound));
    await this.commands.run(webhookEndpoint, command.endpointId, command, context);
  }

  /** A deleted endpoint can no longer be sent anything. */
  private async cancelRewinds(
    command: Readonly<{ endpointId: EndpointId; merchantId: MerchantId; at: string }>,
    context: CommandContext,
  ) {
    const { endpointId, merchantId, at } = command;
    const page = { limit: MAX_RUNNING_REWINDS } as const;
    const { documents } = await this.model.find(webhookRewinds, 'running', [endpointId], page);
    for (const { id } of documents) {
      await this.commands.run(webhookRewind, id, { kind: 'cancel', endpointId, merchantId, at }, context);
    }
  }
}

export class RotateWebhookSecret extends Command<string> {
  constructor(
    readonly endpointId: EndpointId,
    readonly merchantId: MerchantId,
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
