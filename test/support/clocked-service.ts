import { CommandBus } from '@nestjs/cqrs';
import { webhookDeliveries } from '../../projections/webhook-deliveries.projection';
import { webhookEndpoints } from '../../projections/webhook-endpoints.projection';
import { webhookLanes } from '../../projections/webhook-queues.projection';
import { readConfig } from '../../src/platform/config';
import { createLogger } from '../../src/platform/logging/logger';
import { networkNames } from '../../src/networks';
import { READ_MODEL, type ReadModel } from '../../src/platform/read-model/read-model.port';
import { type Service, startService } from '../../src/app/service';
import { DeliveryLimits } from '../../src/capabilities/webhooks/delivery-limits';
import { ChangeWebhookEndpoint } from '../../src/capabilities/webhooks/webhooks.handlers';
import { type Query, type QueryResult } from './clocked-process';
import { MovingClock } from './moving-clock';
import { type EndpointId } from '../../src/kernel/aggregates';

// A program: the service with a clock that its parent moves, and a short timeout for webhook receivers.
const clock = new MovingClock();
let skipped = 0;
const skipTo = (altogether: number): void => {
  clock.skip(altogether - skipped);
  skipped = altogether;
};
const context = { requestId: 'test', actor: { kind: 'test', id: 'test' } };

async function answer({ app }: Service, query: Query): Promise<QueryResult> {
  const model = app.get<ReadModel>(READ_MODEL);
  const endpointId = query.endpointId as EndpointId;
  if (query.kind === 'skip') skipTo(query.altogether);
  const endpoint = await model.get(webhookEndpoints, endpointId);
  if (query.kind === 'switch-on' && endpoint?.merchant_id) {
    const { merchant_id: merchantId, version } = endpoint;
    const at = clock.now().toISOString();
    const command = { kind: 'change', endpointId, merchantId, version, status: 'active', at } as const;
    await app.get(CommandBus).execute(new ChangeWebhookEndpoint(command, context));
  }
  const end = async (order: 'asc' | 'desc') =>
    (await model.find(webhookLanes, 'due', [endpointId], { limit: 1, order })).documents[0]?.due_at ?? null;
  const ofEndpoint = [endpoint?.merchant_id ?? '', endpointId, 'failed'];
  const failed = await model.find(webhookDeliveries, 'by_endpoint_and_status', ofEndpoint, { limit: 1 });
  return {
    now: clock.now().toISOString(),
    active: endpoint?.status === 'active',
    firstDue: await end('asc'),
    lastDue: await end('desc'),
    anyFailed: failed.documents.length > 0,
  };
}

async function main(): Promise<void> {
  skipTo(Number(process.env['CLOCK_SKIPPED_MS']));
  const config = readConfig(process.env, networkNames);
  const service = await startService({ config, clock, logger: createLogger(config.logLevel) });
  service.app.get(DeliveryLimits).attemptMs = Number(process.env['ATTEMPT_MS']);
  process.on('message', (query: Query) => void answer(service, query).then((result) => process.send?.(result)));
  process.stdout.write(`svc listens on ${service.url}\n`);
}

void main();
