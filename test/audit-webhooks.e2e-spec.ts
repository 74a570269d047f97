import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '../src/kernel/ids';
import { openEmbeddedEventStore } from '../src/platform/event-store/embedded/open-embedded-event-store';
import { LOG_START } from '../src/platform/event-store/event-store.port';
import { auditHere } from './support/audit-command';
import { type DnsResponder } from './support/dns-responder';
import { eventually } from './support/eventually';
import { createPayment, setPaymentScene, startPaymentDns } from './support/payments';
import { findingsAfter } from './support/seeded-log';
import { startTestService, type TestService } from './support/service';
import { temporaryDirectories } from './support/temp-directory';
import { activeEndpoint, deliveriesOf, startWebhookReceiver } from './support/webhook-receiver';

type Data = Record<string, any>;

describe('auditors and webhook deliveries', () => {
  const directory = temporaryDirectories();
  let service: TestService;
  let dns: DnsResponder;
  let requestId: string;
  let other: string;
  let taken: string;
  let refused: string;

  beforeAll(async () => {
    const { dns: responder, env } = await startPaymentDns();
    dns = responder;
    const receiver = await startWebhookReceiver();
    service = await startTestService({ env: { ...env, ALLOW_PRIVATE_NETWORKS: 'true' } });
    const scene = await setPaymentScene(service, dns);
    // Tried again long after this service has stopped.
    receiver.behave(({ path }, _request, response) => {
      if (path.endsWith('/bad')) response.writeHead(500, { 'retry-after': '3600' }).end();
      else response.writeHead(204).end();
    });
    await activeEndpoint(service, scene.merchant, `${receiver.url}/good`);
    await activeEndpoint(service, scene.merchant, `${receiver.url}/bad`);
    requestId = (await createPayment(service, scene)).body.payment_request.request_id as string;
    other = (await createPayment(service, scene)).body.payment_request.request_id as string;
    const own = await eventually(
      async () => (await deliveriesOf(service, scene.merchant)).filter(({ subject_id }) => subject_id === requestId),
      (found) => found.length === 2 && found.every(({ attempt_count }) => attempt_count === 1),
      'both attempts',
    );
    taken = own.find(({ status }) => status === 'succeeded')?.['webhook_delivery_id'] as string;
    refused = own.find(({ status }) => status === 'pending')?.['webhook_delivery_id'] as string;
    await service.stop();
    await receiver.close();
  });
  afterAll(async () => {
    await service.stopAndForget();
    await dns.close();
  });

  const run = (...args: string[]) => auditHere(service.settings, args);

  it('find each attempt in a payment’s history, and none of another payment', async () => {
    const { code, lines } = await run('timeline', requestId, '--deliveries');
    expect(code).toBe(0);
    const told = lines.filter((line) => line.includes('Webhook'));
    expect(told.filter((line) => line.includes('WebhookDeliveriesRecorded'))).toEqual([
      expect.stringContaining(`payment_request.created (204, ${taken})`),
    ]);
    expect(told.filter((line) => line.includes('WebhookDeliveryAttempted'))).toEqual([
      expect.stringContaining(`webhook_delivery-${refused}`),
    ]);
    expect(lines.join('\n')).not.toContain(other);
  });

  it('find no attempt of another merchant whose payment has the same name', async () => {
    const copy = directory();
    cpSync(service.dataDir, copy, { recursive: true });
    const store = await openEmbeddedEventStore(join(copy, 'events'));
    const events = await store.readAll(LOG_START, 1_000);
    const recorded = events.filter(({ type }) => type === 'WebhookDeliveriesRecorded');
    const stranger = newId('mer');
    for (const { type, data, metadata } of recorded) {
      const own = { ...(data as Data), merchant_id: stranger };
      await store.append(`webhook_outcomes-${newId('whe')}`, 0, [
        { type, data: own, metadata: { ...metadata, event_id: newId('evt') } },
      ]);
    }
    await store.close();
    const { lines } = await auditHere({ ...service.settings, DATA_DIR: copy }, ['timeline', requestId, '--deliveries']);
    expect(lines.filter((line) => line.includes('WebhookDeliveriesRecorded'))).toHaveLength(1);
  });

  it('see the outcome of each delivery, whether it has a stream or not', async () => {
    const stateOf = async (id: string) => JSON.parse((await run('state', id, '--json')).lines[0] ?? '{}').state as Data;
    expect(await stateOf(taken)).toMatchObject({ id: taken, status: 'succeeded', subject_id: requestId });
    expect(await stateOf(refused)).toMatchObject({ id: refused, status: 'pending', attempt_count: 1 });
    expect((await run('state', newId('whd'))).code).toBe(1);
  });

  it('find nothing wrong, but do find an outcome without a delivery', async () => {
    expect(await findingsAfter(service.dataDir, async () => undefined)).toEqual([]);
    const found = await findingsAfter(service.dataDir, async ({ one, add }) => {
      const { stream, data } = one<Data>('WebhookDeliveriesRecorded');
      const [outcome] = data['outcomes'] as Data[];
      await add(stream, 'WebhookDeliveriesRecorded', { ...data, outcomes: [{ ...outcome, event_id: newId('evt') }] });
    });
    expect(new Set(found.map(([invariant]) => invariant))).toEqual(new Set(['traceable-delivery']));
  });
});
