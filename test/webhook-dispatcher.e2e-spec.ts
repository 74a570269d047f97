import { type DeliveryStatus, webhookDeliveries } from '../projections/webhook-deliveries.projection';
import { webhookLanes } from '../projections/webhook-queues.projection';
import { READ_MODEL, type ReadModel } from '../src/read-model/read-model.port';
import { WebhookDispatcher } from '../src/webhooks/webhook-dispatcher';
import { eventually } from './support/eventually';
import { describeOnEachPair } from './support/pairs';
import { startTestService, type TestService } from './support/service';
import { deleteEndpoint, openEndpoint, scheduleDeliveries, scheduleDelivery } from './support/webhook-deliveries';
import { answering, startWebhookReceiver, type WebhookReceiver } from './support/webhook-receiver';

const BODY = JSON.stringify({ type: 'payment_request.created', data: {} });
const env = { ALLOW_PRIVATE_NETWORKS: 'true' };

describeOnEachPair('the webhook dispatcher', (start) => {
  let service: TestService;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    receiver = await startWebhookReceiver();
    service = await start({ env });
  });
  afterAll(async () => {
    await service.stopAndForget();
    await receiver.close();
  });

  const statusOf = async (deliveryId: string) =>
    (await service.app.get<ReadModel>(READ_MODEL).get(webhookDeliveries, deliveryId))?.status;

  const becomes = (deliveryId: string, status: DeliveryStatus) =>
    eventually(
      () => statusOf(deliveryId),
      (seen) => seen === status,
      `a delivery ${status}`,
    );

  it('gives up what was scheduled while its endpoint was being deleted', async () => {
    const { endpointId } = await openEndpoint(service, receiver.url);
    await deleteEndpoint(service, endpointId);
    // The fan-out had looked just before.
    const late = await scheduleDelivery(service, endpointId, BODY);
    await becomes(late, 'cancelled');
    expect(receiver.received.filter(({ id }) => id === late)).toEqual([]);
  });

  it('gives up what was waiting when its endpoint was deleted', async () => {
    receiver.behave(answering(500));
    const { endpointId } = await openEndpoint(service, receiver.url);
    const failing = await scheduleDelivery(service, endpointId, BODY);
    await receiver.until(() => receiver.received.some(({ id }) => id === failing));
    await deleteEndpoint(service, endpointId);
    await becomes(failing, 'cancelled');
    receiver.behave(answering(204));
  });

  it('sends nothing while it is stopped, and goes on when it is started again', async () => {
    const dispatcher = service.app.get(WebhookDispatcher);
    const { endpointId } = await openEndpoint(service, receiver.url);
    const sent = (id: string): number => receiver.received.filter((message) => message.id === id).length;
    for (let turn = 0; turn < 2; turn += 1) {
      const before = await scheduleDelivery(service, endpointId, BODY);
      await becomes(before, 'succeeded');
      await dispatcher.stop();
      await dispatcher.stop();
      const meanwhile = await scheduleDelivery(service, endpointId, BODY);
      await becomes(meanwhile, 'pending');
      expect(sent(meanwhile)).toBe(0);
      dispatcher.start();
      dispatcher.start();
      await becomes(meanwhile, 'succeeded');
      expect([sent(before), sent(meanwhile)]).toEqual([1, 1]);
    }
  });
});

describe('a webhook dispatcher with a long queue before it', () => {
  it('reads little of it while nobody answers, and sends all of it when somebody does', async () => {
    const service = await startTestService({ env });
    const receiver = await startWebhookReceiver();
    const held: (() => void)[] = [];
    receiver.behave((_message, _request, response) => void held.push(() => response.end()));
    const model = service.app.get<ReadModel>(READ_MODEL);
    const find = jest.spyOn(model, 'find');
    const { endpointId } = await openEndpoint(service, receiver.url);
    const many = 3000;
    const ids = await scheduleDeliveries(
      service,
      many,
      () => endpointId,
      () => BODY,
    );
    const last = ids.at(-1) ?? '';
    const lastIsReadable = async () => (await model.get(webhookDeliveries, last)) !== undefined;
    await eventually(lastIsReadable, (readable) => readable, 'the last delivery in the read model');
    await receiver.until(() => held.length >= 8);
    const pages = await Promise.all(
      find.mock.results.flatMap(({ value }, at) =>
        find.mock.calls[at]?.[0] === webhookLanes ? [value as ReturnType<ReadModel['find']>] : [],
      ),
    );
    expect(pages.reduce((sum, { documents }) => sum + documents.length, 0)).toBeLessThan(500);
    expect(receiver.received).toHaveLength(8);

    receiver.behave(answering(204));
    held.forEach((answer) => answer());
    await receiver.until(() => receiver.received.length >= many);
    expect(new Set(receiver.received.map(({ id }) => id))).toEqual(new Set(ids));
    expect(receiver.received).toHaveLength(many);
    await service.stopAndForget();
    await receiver.close();
  });
});
