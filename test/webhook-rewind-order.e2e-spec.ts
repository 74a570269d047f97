import { type ServerResponse } from 'node:http';
import { pause } from '../src/kernel/pause';
import { type DnsResponder } from './support/dns-responder';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { createPayment, type PaymentScene, reportPayment, setPaymentScene, startPaymentDns } from './support/payments';
import { startTestService, type TestService } from './support/service';
import {
  type ActiveEndpoint,
  activeEndpoint,
  answering,
  deliveriesOf,
  startWebhookReceiver,
  type WebhookReceiver,
} from './support/webhook-receiver';

describe('a rewind of what is still on its way', () => {
  let service: TestService;
  let dns: DnsResponder;
  let scene: PaymentScene;
  let receiver: WebhookReceiver;
  let endpoint: ActiveEndpoint;

  beforeAll(async () => {
    const { dns: responder, env } = await startPaymentDns();
    dns = responder;
    receiver = await startWebhookReceiver();
    service = await startTestService({ env: { ...env, ALLOW_PRIVATE_NETWORKS: 'true' } });
    scene = await setPaymentScene(service, dns);
    endpoint = await activeEndpoint(service, scene.merchant, receiver.url);
  });
  afterAll(async () => {
    await service.stopAndForget();
    await dns.close();
    await receiver.close();
  });

  const typesOf = (requestId: string): readonly string[] =>
    receiver.received.filter(({ data }) => data['request_id'] === requestId).map(({ type }) => type);
  const [created, signed] = ['payment_request.created', 'payment_request.signed'];

  /** A request whose first message has no answer yet, while the second one is asked for again. */
  async function rewindSecond() {
    let first: ServerResponse | undefined;
    receiver.behave(({ type }, _request, response) => {
      if (type === created && first === undefined) first = response;
      else response.writeHead(204).end();
    });
    const requestId = (await createPayment(service, scene)).body.payment_request.request_id as string;
    await receiver.until(() => first !== undefined);
    await reportPayment(service, scene, requestId, { status: 'signed' });
    const { headers } = scene.merchant;
    const to_cursor = (await call(`${service.url}/v1/events`, { headers })).body.newest_cursor as number;
    const body = { from_cursor: to_cursor - 1, to_cursor };
    const path = `${service.url}/v1/webhook-endpoints/${endpoint.endpointId}`;
    const { rewind_id } = (await call(`${path}/rewind`, { headers, body })).body.rewind;
    const isDone = () =>
      eventually(
        async () => (await call(`${path}/rewinds/${rewind_id}`, { headers })).body.rewind.status as string,
        (status) => status === 'done',
        'the end of the rewind',
      );
    return { requestId, isDone, answerFirst: (status: number) => first?.writeHead(status).end() };
  }

  it('overtakes nothing that the endpoint has yet to receive before it', async () => {
    const { requestId, isDone, answerFirst } = await rewindSecond();
    await pause(500);
    expect(typesOf(requestId)).toEqual([created]);
    answerFirst(204);
    await isDone();
    expect(typesOf(requestId)).toEqual([created, signed, signed]);
  });

  it('overtakes nothing that was not accepted either', async () => {
    const { requestId, isDone, answerFirst } = await rewindSecond();
    answerFirst(500);
    await isDone();
    expect(typesOf(requestId)).toEqual([created]);
    receiver.behave(answering(204));
    const [delivery] = (await deliveriesOf(service, scene.merchant)).filter(
      ({ event_type, status }) => event_type === created && status === 'pending',
    );
    const redeliver = `${service.url}/v1/webhook-deliveries/${delivery?.['webhook_delivery_id']}/redeliver`;
    expect((await call(redeliver, { headers: scene.merchant.headers, body: {} })).status).toBe(202);
    await receiver.until(() => typesOf(requestId).length === 3);
    expect(typesOf(requestId)).toEqual([created, created, signed]);
  });
});
