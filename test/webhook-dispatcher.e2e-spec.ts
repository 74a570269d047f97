import { type DeliveryStatus, webhookDeliveries } from '../projections/webhook-deliveries.projection';
import { webhookLanes } from '../projections/webhook-queues.projection';
import { pause } from '../src/kernel/pause';
import { LOG_START, type Position } from '../src/platform/event-store/event-store.port';
import { type ShareHolder } from '../src/platform/reacting/shares';
import { READ_MODEL, type ReadModel } from '../src/platform/read-model/read-model.port';
import { DeliveryParts } from '../src/capabilities/webhooks/delivery-parts';
import { WebhookDispatcher } from '../src/capabilities/webhooks/webhook-dispatcher';
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

  it('gives up a delivery that was scheduled while its endpoint was being deleted', async () => {
    const { endpointId } = await openEndpoint(service, receiver.url);
    await deleteEndpoint(service, endpointId);
    // The fan-out had read the endpoint just before.
    const late = await scheduleDelivery(service, endpointId, BODY);
    await becomes(late, 'cancelled');
    expect(receiver.received.filter(({ id }) => id === late)).toEqual([]);
  });

  it('gives up a delivery that was waiting when its endpoint was deleted', async () => {
    receiver.behave(answering(500));
    const { endpointId } = await openEndpoint(service, receiver.url);
    const failing = await scheduleDelivery(service, endpointId, BODY);
    await receiver.until(() => receiver.received.some(({ id }) => id === failing));
    await deleteEndpoint(service, endpointId);
    expect(await becomes(failing, 'cancelled')).toBe('cancelled');
    receiver.behave(answering(204));
  });

  it('sends nothing while it is stopped, and continues when it is started again', async () => {
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
      await dispatcher.start();
      await dispatcher.start();
      await becomes(meanwhile, 'succeeded');
      expect([sent(before), sent(meanwhile)]).toEqual([1, 1]);
    }
  });
});

describe('a webhook dispatcher', () => {
  let service: TestService;
  let receiver: WebhookReceiver;
  let model: ReadModel;
  beforeEach(async () => {
    service = await startTestService({ env });
    receiver = await startWebhookReceiver();
    model = service.app.get<ReadModel>(READ_MODEL);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await service.stopAndForget();
    await receiver.close();
  });
  const isThere = (deliveryId: string) =>
    eventually(
      () => model.get(webhookDeliveries, deliveryId),
      (seen) => seen !== undefined,
      'a delivery in the read model',
    );

  it('reads little of a long queue while the receiver does not answer, and sends all of it once it does', async () => {
    const held: (() => void)[] = [];
    receiver.behave((_message, _request, response) => void held.push(() => response.end()));
    const find = jest.spyOn(model, 'find');
    const { endpointId } = await openEndpoint(service, receiver.url);
    const many = 1200;
    const ids = await scheduleDeliveries(
      service,
      many,
      () => endpointId,
      () => BODY,
    );
    await isThere(ids.at(-1) ?? '');
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
  });

  it('reads what others recorded after each share it gains, even one gained during such a read', async () => {
    const { shares, outcomes } = service.app.get(DeliveryParts);
    const dispatcher = service.app.get(WebhookDispatcher);
    await dispatcher.stop();
    let holder: ShareHolder | undefined;
    const start = shares.start.bind(shares);
    jest.spyOn(shares, 'start').mockImplementation((given) => {
      holder = given;
      return start(given);
    });
    const looks: ((end: Position) => void)[] = [];
    jest.spyOn(outcomes, 'end').mockImplementation(() => new Promise((resolve) => looks.push(resolve)));
    const untilLooks = (count: number): Promise<number> =>
      eventually(
        async () => looks.length,
        (found) => found === count,
        `${count} looks`,
      );
    await dispatcher.start();
    holder?.gained();
    await untilLooks(1);
    holder?.gained();
    looks[0]?.(LOG_START);
    expect(await untilLooks(2)).toBe(2);
    looks[1]?.(LOG_START);
  });

  it('waits if the read model shows as due what the log knows to be sent', async () => {
    const { endpointId } = await openEndpoint(service, receiver.url);
    // Not due before the test ends, however slow the machine is.
    receiver.behave(answering(500, { 'retry-after': '3600' }));
    const open = await scheduleDelivery(service, endpointId, BODY);
    await receiver.until(() => receiver.received.length === 1);
    receiver.behave(answering(204));
    const before = await model.find(webhookLanes, 'due', [endpointId], { limit: 1 });
    const stale = before.documents.map((lane) => ({ ...lane, due_at: '2020-01-01T00:00:00.000Z' }));
    const many = Array.from({ length: 64 }, () => stale).flat();
    const real = model.find.bind(model);
    let looks = 0;
    const next = { sort: '2020-01-01T00:00:00.000Z', id: open };
    jest.spyOn(model, 'find').mockImplementation((collection, ...rest) => {
      if ((collection as unknown) !== webhookLanes) return real(collection, ...rest);
      looks += 1;
      return Promise.resolve({ documents: many, next } as never);
    });
    // Another delivery, so that the queue is read.
    await isThere(await scheduleDelivery(service, endpointId, BODY));
    const turns = 4;
    for (let turn = 0; turn < turns; turn += 1) await pause(250);
    expect(receiver.received.map(({ id }) => id)).toEqual([open]);
    // At most two passes over its pages in a row, for each time it is notified.
    expect(looks).toBeLessThan(32 * (turns + 4));
  });
});
