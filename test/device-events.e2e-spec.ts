import { createActivePolicy, createIntent, setAgentPaymentScene } from './support/agent-payments';
import { bearing, claimInvitation, decide, mustBe, startPairing } from './support/connections';
import { registerDevice } from './support/devices';
import { openEventStream } from './support/event-stream';
import { eventually } from './support/eventually';
import { type Answer, call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { createPayment, type PaymentScene, refusal, reportPayment } from './support/payments';
import { useScene } from './support/use-service';

type DeviceEvent = Readonly<{ cursor: number; type: string; data: Record<string, any> }>;

describeOnEachPair('the feed of a device', (start) => {
  let paying: PaymentScene;
  let now = Date.parse('2030-01-01T00:00:00.000Z');
  const clock = { now: () => new Date(now) };

  const { service, scene } = useScene({ start, clock, set: setAgentPaymentScene });
  beforeAll(async () => {
    paying = { ...scene, headers: bearing(scene.connection.connectionToken) };
  });

  const feedOf = (id: string): string => `${service.url}/v1/wallet-devices/${id}/events`;
  const poll = (query = '', { deviceId, headers } = scene.device): Promise<Answer> =>
    call(`${feedOf(deviceId)}?${query}`, { headers });
  const eventsSince = async (since: number): Promise<DeviceEvent[]> => (await poll(`since=${since}`)).body.events;
  const newest = async (): Promise<number> => (await poll()).body.newest_cursor as number;
  const newRequest = async (): Promise<string> =>
    mustBe(201, await createPayment(service, paying)).body.payment_request.request_id as string;

  it('counts from 1 without gaps while the device is being connected', async () => {
    const { status, body } = await poll();
    expect(status).toBe(200);
    expect(body.events.map(({ cursor, type }: DeviceEvent) => [cursor, type])).toEqual([
      [1, 'connect_invitation.claimed'],
      [2, 'connect_invitation.approved'],
      [3, 'connection.created'],
      [4, 'connect_invitation.exchanged'],
    ]);
    expect(body).toMatchObject({ ok: true, next_cursor: 4, newest_cursor: 4, has_more: false });
    expect(body.events[2]).toEqual({
      cursor: 3,
      event_id: expect.stringMatching(/^evt_/),
      type: 'connection.created',
      occurred_at: clock.now().toISOString(),
      data: { connection_id: scene.connection.connectionId, status: 'active' },
    });
    expect(JSON.stringify(body)).not.toMatch(/hash|svc_/);
  });

  it('includes decisions, payments and policies, even if their events name no device', async () => {
    const since = await newest();
    const { invitationId } = await claimInvitation(service, scene.agent, scene.device);
    mustBe(200, await decide(service, scene.device, invitationId, 'reject'));
    const { sessionId, code } = await startPairing(service, scene.agent);
    const pairing = `${service.url}/v1/pairing/sessions/${sessionId}/reject`;
    mustBe(200, await call(pairing, { headers: scene.device.headers, body: { code } }));
    const request_id = await newRequest();
    await reportPayment(service, paying, request_id, { status: 'rejected', reason: 'too dear' });
    const policy_id = await createActivePolicy(service, scene);
    // A person's: one under the policy would be withdrawn with it.
    const { body } = mustBe(201, await createIntent(service, scene));
    const policy = `${service.url}/v1/automation-policies/${policy_id}`;
    mustBe(200, await call(policy, { method: 'DELETE', headers: scene.merchant.headers }));
    const expiring = await newRequest();
    now += 16 * 60_000;

    const events = await eventually(
      () => eventsSince(since),
      (found) => found.some(({ type }) => type === 'agent_payment.expired') && found.length >= 12,
      'both to expire',
    );
    expect(events.map(({ cursor }) => cursor)).toEqual(events.map((_, index) => since + index + 1));
    const told = events.map(({ type, data }) => [type, data]);
    const about = { connection_id: scene.connection.connectionId };
    expect(told).toEqual(
      expect.arrayContaining([
        ['connect_invitation.rejected', { connect_invitation_id: invitationId, status: 'rejected' }],
        ['pairing_session.rejected', { pairing_session_id: sessionId, status: 'rejected' }],
        ['payment_request.created', { ...about, request_id, status: 'pending' }],
        [
          'payment_request.rejected',
          { ...about, request_id, status: 'rejected', previous_status: 'pending', reason: 'too dear' },
        ],
        ['automation_policy.created', { ...about, policy_id, status: 'awaiting_opt_in' }],
        ['automation_policy.opted_in', { policy_id, status: 'active' }],
        ['automation_policy.revoked', { policy_id, status: 'revoked' }],
        ['agent_payment.created', expect.objectContaining({ payment_id: body.data.id, status: 'intent_created' })],
        ['agent_payment.expired', expect.objectContaining({ payment_id: body.data.id, status: 'expired' })],
        ['payment_request.expired', { ...about, request_id: expiring, status: 'expired', previous_status: 'pending' }],
      ]),
    );
  });

  it('holds an empty response back until something happens, and says where the feed ends', async () => {
    const since = await newest();
    const waiting = poll(`since=${since}&wait=30`);
    const id = await newRequest();
    const { body } = await waiting;
    expect(body.events.map(({ type, data }: DeviceEvent) => [type, data['request_id']])).toEqual([
      ['payment_request.created', id],
    ]);
    const beyond = await poll(`since=${since + 1_000}`);
    expect(beyond.body).toMatchObject({ events: [], next_cursor: since + 1_000, newest_cursor: since + 1 });
    const stream = await openEventStream(
      `${feedOf(scene.device.deviceId)}?since=${since + 1_000}`,
      scene.device.headers,
    );
    await stream.until(() => stream.typed('opened').length > 0);
    stream.close();
    expect(stream.typed('opened')).toEqual([{ since: since + 1_000, newest_cursor: since + 1 }]);
  });

  it('is available as a stream that ends with the device', async () => {
    const device = await registerDevice(service);
    const stream = await openEventStream(feedOf(device.deviceId), device.headers);
    await claimInvitation(service, scene.agent, device);
    await stream.until(() => stream.events.length === 1);
    expect(stream.events[0]).toMatchObject({ id: '1', data: { type: 'connect_invitation.claimed' } });
    const again = await openEventStream(feedOf(device.deviceId), { ...device.headers, 'last-event-id': '1' });
    mustBe(
      200,
      await call(`${service.url}/v1/wallet-devices/${device.deviceId}`, { method: 'DELETE', headers: device.headers }),
    );
    await Promise.all([stream.ended, again.ended]);
    expect(again.events).toEqual([]);
  });

  it('belongs to the device alone', async () => {
    const other = await registerDevice(service);
    expect(refusal(await call(feedOf(scene.device.deviceId), { headers: other.headers }))).toEqual([
      404,
      'resource_not_found',
    ]);
    expect((await poll('', other)).body).toMatchObject({ events: [], newest_cursor: 0 });
    expect(refusal(await poll('since=-1'))).toEqual([400, 'validation_failed']);
    expect(refusal(await call(feedOf(other.deviceId), { headers: paying.headers }))).toEqual([401, 'unauthenticated']);
  });
});
