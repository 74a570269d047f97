import { eventually } from './support/eventually';
import { type Answer, call } from './support/http';
import { signUpMerchant } from './support/merchant';
import { describeOnEachPair } from './support/pairs';
import { createPayment, issues, refusal, reportPayment } from './support/payments';
import {
  type ActiveEndpoint,
  activeEndpoint,
  answering,
  createEndpoint,
  deliveriesOf,
  type Received,
} from './support/webhook-receiver';
import { useWebhookScene } from './support/use-service';

describeOnEachPair('a rewind', (start) => {
  const { service, dns, scene, receiver } = useWebhookScene({ start });
  let endpoint: ActiveEndpoint;
  let newest: number;

  beforeAll(async () => {
    const before = (await createPayment(service, scene)).body.payment_request.request_id as string;
    endpoint = await activeEndpoint(service, scene.merchant, receiver.url);
    await reportPayment(service, scene, before, { status: 'signed' });
    for (let number = 0; number < 5; number += 1) await createPayment(service, scene);
    await receiver.until(() => receiver.received.length === 6);
    newest = (await call(`${service.url}/v1/events`, { headers: scene.merchant.headers })).body.newest_cursor as number;
  });

  const path = (rest: string, id = endpoint.endpointId): string => `${service.url}/v1/webhook-endpoints/${id}${rest}`;
  const { rewind, read, cancel } = {
    rewind: (body: object, headers = scene.merchant.headers) => call(path('/rewind'), { headers, body }),
    read: (id: string) => call(path(`/rewinds/${id}`), { headers: scene.merchant.headers }),
    cancel: (id: string) =>
      call(path(`/rewinds/${id}`), { method: 'DELETE', headers: scene.merchant.headers, body: {} }),
  };
  const idOf = ({ body }: Answer): string => body.rewind.rewind_id as string;
  const becomes = (id: string, status: string) =>
    eventually(
      async () => (await read(id)).body.rewind,
      (seen) => seen.status === status,
      `a rewind ${status}`,
    );
  const cursorsSince = (from: number): number[] =>
    receiver.received.slice(from).map(({ headers }) => Number(headers['webhook-cursor']));

  it('sends a range of the feed again: the same ids and bytes, in order', async () => {
    const live = [...receiver.received];
    const from = live.length;
    const asked = await rewind({ from_cursor: 0 });
    expect(asked.status).toBe(202);
    expect(asked.body.rewind).toMatchObject({
      status: 'running',
      deliveries: newest,
      from_cursor: 0,
      to_cursor: newest,
    });
    await receiver.until(() => receiver.received.length === from + newest);
    expect(cursorsSince(from)).toEqual(Array.from({ length: newest }, (_, index) => index + 1));
    for (const { id, body } of live) {
      const again = receiver.received.slice(from).filter((message) => message.id === id);
      expect(again.map((message) => message.body)).toEqual([body]);
    }
    expect(await becomes(idOf(asked), 'done')).toMatchObject({ delivered: newest, failed: 0, reached_cursor: newest });
    const [delivery] = await eventually(
      async () =>
        (await deliveriesOf(service, scene.merchant)).filter(
          ({ webhook_delivery_id }) => webhook_delivery_id === live[0]?.id,
        ),
      ([seen]) => seen?.['attempt_count'] === 2,
      'both attempts of the delivery',
    );
    expect(delivery).toMatchObject({
      status: 'succeeded',
      attempts: [{ kind: 'initial' }, { kind: 'rewind', outcome: 'succeeded' }],
    });
  });

  it('sends events from before the endpoint existed, and only the requested types', async () => {
    const from = receiver.received.length;
    const types = ['payment_request.signed', 'connection.created'];
    const asked = await rewind({ from_cursor: 0, to_cursor: 5, types });
    expect(asked.body.rewind).toMatchObject({ deliveries: 2, types });
    await becomes(idOf(asked), 'done');
    expect(receiver.received.slice(from).map(({ type }) => type)).toEqual([
      'connection.created',
      'payment_request.signed',
    ]);
  });

  it('is refused where it makes no sense', async () => {
    expect(issues(await rewind({}))).toEqual([['required', 'from_cursor']]);
    expect(issues(await rewind({ from_cursor: newest + 1, to_cursor: newest + 2 }))).toEqual([
      ['out_of_range', 'from_cursor'],
      ['out_of_range', 'to_cursor'],
    ]);
    expect(issues(await rewind({ from_cursor: 3, to_cursor: 2, types: ['x'] }))).toEqual([
      ['not_allowed', 'types.0'],
      ['out_of_range', 'to_cursor'],
    ]);
    expect(issues(await rewind({ from_cursor: '0', to_cursor: newest + 1 }))).toEqual([
      ['wrong_type', 'from_cursor'],
      ['out_of_range', 'to_cursor'],
    ]);
    expect(issues(await rewind({ from_cursor: 3, to_cursor: 2 }))).toEqual([['out_of_range', 'to_cursor']]);
    const stranger = await signUpMerchant(service, { dns });
    expect(refusal(await rewind({ from_cursor: 0 }, stranger.headers))).toEqual([404, 'resource_not_found']);
    const made = await createEndpoint(service, scene.merchant, { url: receiver.url });
    const pending = made.body.webhook_endpoint.webhook_endpoint_id as string;
    const answer = await call(path('/rewind', pending), { headers: scene.merchant.headers, body: { from_cursor: 0 } });
    expect(refusal(answer)).toEqual([409, 'invalid_status_transition']);
    expect(answer.body.error.message).toContain('verify it');
  });

  it('can be cancelled, and is followed by the next', async () => {
    const held: (() => void)[] = [];
    receiver.behave((_message, _request, response) => void held.push(() => void response.writeHead(204).end()));
    const first = await rewind({ from_cursor: 0 });
    const second = await rewind({ from_cursor: newest - 1 });
    const from = receiver.received.length;
    await receiver.until(() => held.length === 1);
    expect((await cancel(idOf(first))).body.rewind).toMatchObject({ status: 'cancelled' });
    receiver.behave(answering(204));
    held.forEach((answer) => answer());
    await becomes(idOf(second), 'done');
    expect(cursorsSince(from).at(-1)).toBe(newest);
    expect(receiver.received.length - from).toBeLessThan(newest);
    expect((await cancel(idOf(second))).body.rewind).toMatchObject({ status: 'done' });
  });

  it('leaves refused messages to the usual retry schedule, in order, and continues', async () => {
    const request = receiver.received.find(({ type }) => type === 'payment_request.signed')?.data[
      'request_id'
    ] as string;
    const isFirst = ({ type, data }: Received): boolean =>
      type === 'payment_request.created' && data['request_id'] === request;
    const poison = receiver.received.find(isFirst)?.id;
    receiver.behave(({ id }, _request, response) => void response.writeHead(id === poison ? 500 : 204).end());
    const from = receiver.received.length;
    const asked = await rewind({ from_cursor: 0 });
    expect(await becomes(idOf(asked), 'done')).toMatchObject({ failed: 2, delivered: newest - 2 });
    const about = receiver.received.slice(from).filter(({ data }) => data['request_id'] === request);
    expect(new Set(about.map(({ type }) => type))).toEqual(new Set(['payment_request.created']));
    receiver.behave(answering(204));
    const redeliver = `${service.url}/v1/webhook-deliveries/${poison}/redeliver`;
    expect((await call(redeliver, { headers: scene.merchant.headers, body: {} })).status).toBe(202);
    await receiver.until(() => receiver.received.at(-1)?.type === 'payment_request.signed');
  });
});
