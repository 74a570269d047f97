import { eventually } from './support/eventually';
import { call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { createPayment, readPayment, setPaymentScene } from './support/payments';
import { useWebhookScene } from './support/use-service';
import { activeEndpoint, deliveriesOf } from './support/webhook-receiver';

describeOnEachPair('the subject of a delivery', (start) => {
  const { service, dns, scene, receiver } = useWebhookScene({ start });
  const subjects = async (query = ''): Promise<string[]> =>
    (await deliveriesOf(service, scene.merchant, query)).map(({ subject_id }) => subject_id as string);

  it('is named and found by the id that the agent chose for its payment request', async () => {
    await activeEndpoint(service, scene.merchant, receiver.url);
    const other = await setPaymentScene(service, dns);
    await activeEndpoint(service, other.merchant, receiver.url);
    await createPayment(service, other, { request_id: 'order-1' });
    await createPayment(service, scene, { request_id: 'order-1' });
    const ours = (await createPayment(service, scene)).body.payment_request.request_id as string;
    await eventually(subjects, (found) => found.length === 2, 'both deliveries');

    expect((await subjects()).sort()).toEqual(['order-1', ours].sort());
    expect(await subjects('subject_id=order-1')).toEqual(['order-1']);
    expect(await subjects(`subject_id=${ours}`)).toEqual([ours]);
    expect(await subjects('subject_id=order-2')).toEqual([]);
    const [found] = await deliveriesOf(service, scene.merchant, 'subject_id=order-1');
    const single = await call(`${service.url}/v1/webhook-deliveries/${found?.['webhook_delivery_id']}`, scene.merchant);
    expect(single.body.webhook_delivery).toEqual(found);
    expect((await readPayment(service, scene.merchant, found?.['subject_id'] as string)).status).toBe(200);
  });

  it('is found by an id that looks like ours, and hides nothing that has that id', async () => {
    const { endpointId } = await activeEndpoint(service, scene.merchant, receiver.url);
    const { connectionId } = scene.connection;
    const free = ['con_01JZ5Y0W3X0000000000000000', 'ap_01JZ5Y0W3X0000000000000000'];
    for (const request_id of [...free, connectionId]) await createPayment(service, scene, { request_id });
    const connection = `${service.url}/v1/connections/${connectionId}`;
    for (const status of ['paused', 'active'])
      await call(connection, { method: 'PATCH', headers: scene.device.headers, body: { status } });
    const here = `endpoint_id=${endpointId}`;
    await eventually(
      () => subjects(here),
      (found) => found.length === 5,
      'all deliveries',
    );

    for (const name of free) expect(await subjects(`${here}&subject_id=${name}`)).toEqual([name]);
    const types = async (query: string): Promise<string[]> =>
      (await deliveriesOf(service, scene.merchant, query)).map(({ event_type }) => event_type as string);
    const both = ['connection.paused', 'connection.resumed', 'payment_request.created'];
    expect((await types(`${here}&subject_id=${connectionId}`)).sort()).toEqual(both);
    const idsIn = (found: readonly Record<string, unknown>[]) => found.map((one) => one['webhook_delivery_id']);
    const paged: unknown[] = [];
    for (let more = ''; ;) {
      const query = `limit=1&subject_id=${connectionId}${more}`;
      const { body } = await call(`${service.url}/v1/webhook-deliveries?${query}`, scene.merchant);
      paged.push(...idsIn(body.webhook_deliveries));
      if (body.next_cursor === null) break;
      more = `&cursor=${body.next_cursor}`;
    }
    expect(paged).toEqual(idsIn(await deliveriesOf(service, scene.merchant, `subject_id=${connectionId}`)));
  });
});
