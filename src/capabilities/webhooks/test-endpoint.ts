import { Inject } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { EgressError } from '../../platform/egress/egress-error';
import { CommandRunner } from '../../platform/event-store/run-command';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { newId } from '../../kernel/ids';
import { DeliveryLimits } from './delivery-limits';
import { TEST_TYPE } from './event-types';
import { ownedEndpoint, webhookEndpoint } from './webhook-endpoint';
import { errorKindOf, WebhookSender } from './webhook-sender';
import { type EndpointId, type MerchantId } from '../../kernel/aggregates';

const MAX_RESPONSE_BYTES = 4096;

export type TestResult = Readonly<{
  message_id: string;
  delivered: boolean;
  status_code: number | null;
  duration_ms: number;
  error_kind: string | null;
}>;

/** Sends a signed test message and returns the response. Nothing is recorded. */
export class TestWebhookEndpoint extends Query<TestResult> {
  constructor(
    readonly endpointId: EndpointId,
    readonly merchantId: MerchantId,
  ) {
    super();
  }
}

@QueryHandler(TestWebhookEndpoint)
export class TestWebhookEndpointHandler implements IQueryHandler<TestWebhookEndpoint> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly sender: WebhookSender,
    private readonly limits: DeliveryLimits,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ endpointId, merchantId }: TestWebhookEndpoint): Promise<TestResult> {
    const { state } = await this.commands.fold(webhookEndpoint, endpointId);
    const endpoint = ownedEndpoint(state, merchantId);
    const at = this.clock.now();
    const data = { webhook_endpoint_id: endpointId, test: true };
    const body = JSON.stringify({ type: TEST_TYPE, timestamp: timestamp(at), data });
    const messageId = newId('evt');
    const limits = { timeoutMs: this.limits.attemptMs, maxResponseBytes: MAX_RESPONSE_BYTES };
    const started = performance.now();
    const result = (status_code: number | null, error_kind: string | null): TestResult => ({
      message_id: messageId,
      delivered: error_kind === null,
      status_code,
      duration_ms: Math.round(performance.now() - started),
      error_kind,
    });
    try {
      const { status } = await this.sender.send({ endpointId, endpoint, messageId, body, at, ...limits });
      return result(status, errorKindOf(status));
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      return result(error.status ?? null, error.kind);
    }
  }
}
