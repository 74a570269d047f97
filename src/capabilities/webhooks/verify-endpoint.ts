import { randomBytes } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EgressError } from '../../platform/egress/egress-error';
import { type GuardedResponse } from '../../platform/egress/guarded-http';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { isPlainObject } from '../../http/input/checks';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { refuse } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { DeliveryLimits } from './delivery-limits';
import { VERIFICATION_TYPE } from './event-types';
import { type KnownEndpoint, ownedEndpoint, webhookEndpoint } from './webhook-endpoint';
import { errorKindOf, WebhookSender } from './webhook-sender';
import { type EndpointId, type MerchantId } from '../../kernel/aggregates';

const MAX_RESPONSE_BYTES = 16 * 1024;

/** Asks the endpoint's URL to echo a challenge, and activates the endpoint if it does. */
export class VerifyWebhookEndpoint extends Command<void> {
  constructor(
    readonly endpointId: EndpointId,
    readonly merchantId: MerchantId,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(VerifyWebhookEndpoint)
export class VerifyWebhookEndpointHandler implements ICommandHandler<VerifyWebhookEndpoint> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly sender: WebhookSender,
    private readonly limits: DeliveryLimits,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ endpointId, merchantId, context }: VerifyWebhookEndpoint): Promise<void> {
    const { state } = await this.commands.fold(webhookEndpoint, endpointId);
    const endpoint = ownedEndpoint(state, merchantId);
    const challenge = randomBytes(32).toString('base64url');
    const { status, body } = await this.ask(endpointId, endpoint, challenge);
    const error_kind = errorKindOf(status);
    if (error_kind !== null) throw failed({ status_code: status, error_kind });
    if (!repeats(body, challenge)) throw failed({ status_code: status, error_kind: 'challenge_not_repeated' });
    // Include the URL: if it changed while we asked, the response proves nothing about the new one.
    const { url, version } = endpoint;
    const command = { kind: 'confirm', endpointId, merchantId, url, version, at: this.now() } as const;
    await this.commands.run(webhookEndpoint, endpointId, command, context);
  }

  private async ask(endpointId: EndpointId, endpoint: KnownEndpoint, challenge: string): Promise<GuardedResponse> {
    const data = { webhook_endpoint_id: endpointId, challenge };
    const body = JSON.stringify({ type: VERIFICATION_TYPE, timestamp: this.now(), data });
    const limits = { timeoutMs: this.limits.attemptMs, maxResponseBytes: MAX_RESPONSE_BYTES };
    const at = this.clock.now();
    try {
      return await this.sender.send({ endpointId, endpoint, messageId: newId('evt'), body, at, ...limits });
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      if (error.kind === 'destination_not_allowed') throw refuse('destination_not_allowed', { field: 'url' });
      throw failed({ ...(error.status === undefined ? {} : { status_code: error.status }), error_kind: error.kind });
    }
  }

  private now(): string {
    return timestamp(this.clock.now());
  }
}

const failed = (details: Readonly<Record<string, unknown>>) => refuse('webhook_verification_failed', { details });

function repeats(body: Buffer, challenge: string): boolean {
  try {
    const answer: unknown = JSON.parse(body.toString('utf8'));
    return isPlainObject(answer) && answer['challenge'] === challenge;
  } catch {
    return false;
  }
}
