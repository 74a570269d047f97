import { type ServerResponse } from 'node:http';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { createPayment, reportPayment } from './support/payments';
import { type ActiveEndpoint, activeEndpoint, answering, deliveriesOf } from './support/webhook-receiver';
import { useWebhookScene } from './support/use-service';

describe('a rewind of messages that are still in flight', () => {
  const { service, scene, receiver } = useWebhookScene();
  let endpoint: ActiveEndpoint;

  beforeAll(async () => {
    endpoint = await activeEndpoint(service, scene.merchant, receiver.url);
  });

  const typesOf = (requestId: string): readonly string[] =>
    receiver.received.filter(({ data }) => data['request_id'] === requestId).map(({ type }) => type);
  const [created, signed] = ['payment_request.created', 'payment_request.signed'];
  const newRequest = async (): Promise<string> =>
    (await createPayment(service, scene)).body.payment_request.request_id as string;
  /** Creates another request and waits for its first message. */
  const toldRequest = async (): Promise<string> => {
    const requestId = await newRequest();
    await receiver.until(() => typesOf(requestId).length > 0);
    return requestId;
  };

  /** A request whose first message is unanswered, while a rewind of the second is next in turn. */
  async function rewindSecond() {
    let first: ServerResponse | undefined;
    receiver.behave(({ type }, _request, response) => {
      if (type === created && first === undefined) first = response;
      else response.writeHead(204).end();
    });
    const requestId = await newRequest();
    await receiver.until(() => first !== undefined);
    const before = await toldRequest();
    await reportPayment(service, scene, requestId, { status: 'signed' });
    const { headers } = scene.merchant;
    const to_cursor = (await call(`${service.url}/v1/events`, { headers })).body.newest_cursor as number;
    const body = { from_cursor: to_cursor - 2, to_cursor };
    const path = `${service.url}/v1/webhook-endpoints/${endpoint.endpointId}`;
    const { rewind_id } = (await call(`${path}/rewind`, { headers, body })).body.rewind;
    await receiver.until(() => typesOf(before).length === 2);
    const isDone = () =>
      eventually(
        async () => (await call(`${path}/rewinds/${rewind_id}`, { headers })).body.rewind.status as string,
        (status) => status === 'done',
        'the end of the rewind',
      );
    // No scheduled retry before the test ends, however slow the machine is.
    const answerFirst = (status: number) => first?.writeHead(status, { 'retry-after': '3600' }).end();
    return { requestId, isDone, answerFirst };
  }

  it('overtakes nothing that the endpoint has yet to receive first', async () => {
    const { requestId, isDone, answerFirst } = await rewindSecond();
    // Anything the rewind sent now would arrive before the messages of this later request.
    await toldRequest();
    await toldRequest();
    expect(typesOf(requestId)).toEqual([created]);
    answerFirst(204);
    await isDone();
    expect(typesOf(requestId)).toEqual([created, signed, signed]);
  });

  it('overtakes nothing that was refused either', async () => {
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
