import { join } from 'node:path';
import { CommandBus } from '@nestjs/cqrs';
import type * as Deliveries from '../../projections/webhook-deliveries.projection';
import type * as Endpoints from '../../projections/webhook-endpoints.projection';
import type * as Queues from '../../projections/webhook-queues.projection';
import type * as Config from '../../src/platform/config';
import type * as Logger from '../../src/platform/logging/logger';
import type * as Networks from '../../src/networks';
import type * as Port from '../../src/platform/read-model/read-model.port';
import type * as App from '../../src/app/service';
import type * as Limits from '../../src/capabilities/webhooks/delivery-limits';
import type * as Handlers from '../../src/capabilities/webhooks/webhooks.handlers';
import { type Query, type QueryResult } from './clocked-process';
import { MovingClock } from './moving-clock';
import { type EndpointId } from '../../src/kernel/aggregates';

// A program: the service with a clock that its parent moves, and a short timeout for webhook receivers. It loads the
// build, whose compiled code is cached: a third of a start.
const load = <T>(file: string): T => module.require(join(__dirname, '../../dist', file)) as T;
const { webhookDeliveries } = load<typeof Deliveries>('projections/webhook-deliveries.projection');
const { webhookEndpoints } = load<typeof Endpoints>('projections/webhook-endpoints.projection');
const { webhookLanes } = load<typeof Queues>('projections/webhook-queues.projection');
const { readConfig } = load<typeof Config>('src/platform/config');
const { createLogger } = load<typeof Logger>('src/platform/logging/logger');
const { networkNames } = load<typeof Networks>('src/networks');
const { READ_MODEL } = load<typeof Port>('src/platform/read-model/read-model.port');
const { startService } = load<typeof App>('src/app/service');
const { DeliveryLimits } = load<typeof Limits>('src/capabilities/webhooks/delivery-limits');
const { ChangeWebhookEndpoint } = load<typeof Handlers>('src/capabilities/webhooks/webhooks.handlers');

const clock = new MovingClock();
let skipped = 0;
const skipTo = (altogether: number): void => {
  clock.skip(altogether - skipped);
  skipped = altogether;
};
const context = { requestId: 'test', actor: { kind: 'test', id: 'test' } };

async function answer({ app }: App.Service, query: Query): Promise<QueryResult> {
  const model = app.get<Port.ReadModel>(READ_MODEL);
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
