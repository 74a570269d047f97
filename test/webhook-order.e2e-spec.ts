import { type ServerResponse } from 'node:http';
import { WebhookDispatcher } from '../src/capabilities/webhooks/webhook-dispatcher';
import { pause } from '../src/kernel/pause';
import {
  EVENT_STORE,
  type EventStore,
  LOG_START,
  StoreUnavailable,
} from '../src/platform/event-store/event-store.port';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { createPayment, reportPayment } from './support/payments';
import { activeEndpoint, answering, type Received } from './support/webhook-receiver';
import { useWebhookScene } from './support/use-service';

const HASH = 'ab'.repeat(32);

describe('the order of one payment request’s webhooks', () => {
  const { service, scene, receiver } = useWebhookScene();
  let store: EventStore;
  let dispatcher: WebhookDispatcher;

  beforeAll(async () => {
    store = service.app.get<EventStore>(EVENT_STORE);
    dispatcher = service.app.get(WebhookDispatcher);
  });
  afterEach(() => jest.restoreAllMocks());

  const newRequest = async (): Promise<string> =>
    (await createPayment(service, scene)).body.payment_request.request_id as string;
  const told = (path: string): Received[] => receiver.received.filter((message) => message.path === `/hook/${path}`);
  const short = ({ type }: Received): string => type.slice('payment_request.'.length);
  const redeliver = async (id: string): Promise<void> => {
    const url = `${service.url}/v1/webhook-deliveries/${id}/redeliver`;
    expect((await call(url, { headers: scene.merchant.headers, body: {} })).status).toBe(202);
  };
  const untilOpened = (endpointId: string, sequence: number): Promise<boolean> =>
    eventually(
      async () =>
        (await store.readAll(LOG_START, 10_000))
          .filter(({ type }) => type === 'WebhookDeliveryOpened')
          .map(({ data }) => data as { endpoint_id: string; sequence: number })
          .some((one) => one.endpoint_id === endpointId && one.sequence === sequence),
      Boolean,
      `${sequence} opened`,
    );
  /** The append that opens this delivery fails five times, as if the connection broke; CommandRunner retries it. */
  const slowToOpen = (endpointId: string, wanted: number): void => {
    const append = store.append.bind(store);
    let failures = 0;
    jest.spyOn(store, 'append').mockImplementation((stream, version, events) => {
      const { endpoint_id, sequence } = events[0]?.data as { endpoint_id?: string; sequence?: number };
      const isIt = events[0]?.type === 'WebhookDeliveryOpened' && endpoint_id === endpointId && sequence === wanted;
      if (!isIt || failures === 5) return append(stream, version, events);
      failures += 1;
      return Promise.reject(new StoreUnavailable('unknown'));
    });
  };
  const firstArrivals = (path: string): string[] => [...new Set(told(path).map(short))];

  it('is kept if an earlier one is redelivered while another is in flight', async () => {
    await activeEndpoint(service, scene.merchant, `${receiver.url}/again`);
    const { endpointId } = await activeEndpoint(service, scene.merchant, `${receiver.url}/flight`);
    const id = await newRequest();
    await receiver.until(() => told('flight').length === 1);
    const [created] = told('flight');
    await eventually(
      async () =>
        (await call(`${service.url}/v1/webhook-deliveries/${created?.id}`, { headers: scene.merchant.headers })).body,
      ({ webhook_delivery }) => webhook_delivery.status === 'succeeded',
      'the first delivered',
    );
    const held = new Map<string, ServerResponse>();
    receiver.behave((message, _request, response) => {
      if (message.path === '/hook/flight') held.set(short(message), response);
      else response.writeHead(204).end();
    });
    await reportPayment(service, scene, id, { status: 'signed' });
    await receiver.until(() => held.has('signed'));
    await redeliver(created?.id ?? '');
    await receiver.until(() => held.has('created'));
    await reportPayment(service, scene, id, { status: 'broadcasted', transaction_hash: HASH });
    // It should not be opened, so this only waits: if it were, it could overtake the one in flight.
    await Promise.race([untilOpened(endpointId, 3), pause(2_000)]);
    held.get('created')?.writeHead(204).end();
    await pause(1_500);
    const beforeTheAnswer = told('flight').map(short);
    held.get('signed')?.writeHead(500).end();
    held.get('broadcasted')?.writeHead(204).end();
    expect(beforeTheAnswer).toEqual(['created', 'signed', 'created']);
  });

  it('is kept if recording that one waits takes long', async () => {
    const { endpointId } = await activeEndpoint(service, scene.merchant, `${receiver.url}/slow`);
    receiver.behave(answering(500));
    const id = await newRequest();
    await receiver.until(() => told('slow').length === 1);
    await untilOpened(endpointId, 1);
    slowToOpen(endpointId, 2);
    await reportPayment(service, scene, id, { status: 'signed' });
    receiver.behave(answering(204));
    await redeliver(told('slow')[0]?.id ?? '');
    await receiver.until(() => told('slow').length === 2);
    await pause(150);
    await reportPayment(service, scene, id, { status: 'broadcasted', transaction_hash: HASH });
    await receiver.until(() => firstArrivals('slow').length === 3);
    expect(firstArrivals('slow')).toEqual(['created', 'signed', 'broadcasted']);
  });

  it('is kept if two wait, and recording the first of them takes long', async () => {
    const { endpointId } = await activeEndpoint(service, scene.merchant, `${receiver.url}/two`);
    receiver.behave(answering(500));
    const id = await newRequest();
    await receiver.until(() => told('two').length === 1);
    await untilOpened(endpointId, 1);
    await dispatcher.stop();
    await reportPayment(service, scene, id, { status: 'signed' });
    await reportPayment(service, scene, id, { status: 'broadcasted', transaction_hash: HASH });
    slowToOpen(endpointId, 2);
    receiver.behave(answering(204));
    await dispatcher.start();
    await Promise.race([untilOpened(endpointId, 3), pause(500)]);
    await redeliver(told('two')[0]?.id ?? '');
    await receiver.until(() => firstArrivals('two').length === 3);
    expect(firstArrivals('two')).toEqual(['created', 'signed', 'broadcasted']);
  });
});
