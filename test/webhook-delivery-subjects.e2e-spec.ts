import { eventually } from './support/eventually';
import { call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { createPayment, readPayment, setPaymentScene } from './support/payments';
import { useWebhookScene } from './support/use-service';
import { activeEndpoint, deliveriesOf } from './support/webhook-receiver';

describeOnEachPair('what a delivery is about', (start) => {
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

  it('is found by its name even if that has the form of another record’s id, unless the merchant has that record', async () => {
    const { connectionId } = scene.connection;
    const named = ['ap_7YHCKJJBSTGFWV7KZFP52C6B65', connectionId];
    for (const [at, request_id] of named.entries())
      await createPayment(service, scene, { request_id, payment: { amount: `77.${at + 1}` } });
    await eventually(subjects, (found) => named.every((name) => found.includes(name)), 'both deliveries');
    expect(await subjects(`subject_id=${named[0]}`)).toEqual([named[0]]);
    expect(await subjects(`subject_id=${connectionId}`)).toEqual([]);
  });
});
