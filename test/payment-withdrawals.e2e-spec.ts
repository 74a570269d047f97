import {
  type AgentPaymentScene,
  createActivePolicy,
  createIntent,
  readIntent,
  reportIntent,
  setAgentPaymentScene,
  spentOf,
} from './support/agent-payments';
import { bearing, connectAgent } from './support/connections';
import { type DnsResponder } from './support/dns-responder';
import { eventually } from './support/eventually';
import { type Answer, call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import {
  createPayment,
  pollEvents,
  readPayment,
  refusal,
  reportPayment,
  setPaymentScene,
  startPaymentDns,
} from './support/payments';
import { type TestService } from './support/service';

type Headers = Readonly<Record<string, string>>;

describeOnEachPair('what nobody has signed, and money that moves late', (start) => {
  let service: TestService;
  let dns: DnsResponder;
  /** With a project key; the agent's own token beside it. */
  let scene: AgentPaymentScene;
  let token: Headers;
  let now = Date.parse('2030-01-01T00:00:00.000Z');
  const clock = { now: () => new Date(now) };

  beforeAll(async () => {
    const { dns: responder, env } = await startPaymentDns();
    dns = responder;
    service = await start({ env, clock });
    scene = await setAgentPaymentScene(service, dns, { clock });
    token = bearing(scene.connection.connectionToken);
  });
  afterAll(async () => {
    await service.stopAndForget();
    await dns.close();
  });

  const asked = async (changes: object = {}): Promise<string> =>
    (await createPayment(service, { ...scene, headers: token }, { ...changes })).body.payment_request
      .request_id as string;
  const intended = async (changes: object = {}): Promise<string> =>
    (await createIntent(service, scene, { ...changes })).body.data.id as string;
  const withdraw = (id: string, headers: Headers = token, body: object = {}): Promise<Answer> =>
    call(`${service.url}/v1/payment-requests/${id}/withdraw`, { headers, body });
  const withdrawIntent = (id: string, headers: Headers = scene.headers, body: object = {}): Promise<Answer> =>
    call(`${service.url}/v1/agent-payments/${id}/withdraw`, { headers, body });
  const report = (id: string, body: object): Promise<Answer> => reportPayment(service, scene, id, body);
  const read = async (id: string): Promise<any> =>
    (await readPayment(service, scene.merchant, id)).body.payment_request;
  const becomesWithdrawn = (id: string) =>
    eventually(
      () => read(id),
      ({ status }) => status !== 'pending',
      'the withdrawal',
    );
  const told = async (id: string): Promise<any[]> =>
    (await pollEvents(service, { headers: token }, 'limit=200')).body.events.filter(
      ({ request_id }: any) => request_id === id,
    );
  const fed = async (id: string): Promise<any[]> =>
    (await call(`${service.url}/v1/events?since=0&limit=200`, { headers: scene.merchant.headers })).body.events.filter(
      ({ data }: any) => [data.request_id, data.id].includes(id),
    );
  const toWallet = async (id: string): Promise<any[]> => {
    const url = `${service.url}/v1/wallet-devices/${scene.device.deviceId}/events?since=0&limit=200`;
    const { events } = (await call(url, { headers: scene.device.headers })).body;
    return events.filter(({ data }: any) => [data.request_id, data.payment_id].includes(id));
  };

  describe('a withdrawal', () => {
    it.each([
      ['agent', () => token, 'sold out'],
      ['merchant', () => scene.merchant.headers, null],
    ] as const)('by the %s ends the request, for everybody to see', async (by, headers, reason) => {
      const id = await asked();
      const body = reason === null ? {} : { reason };
      const first = await withdraw(id, headers(), body);
      expect([first.status, first.body.payment_request]).toEqual([
        200,
        expect.objectContaining({ status: 'failed', reason: 'withdrawn', withdrawn_by: by, is_final: true }),
      ]);
      expect(first.body.payment_request.withdrawn_reason ?? null).toBe(reason);
      const again = await withdraw(id, scene.merchant.headers, { reason: 'another' });
      expect([again.status, again.body.payment_request]).toEqual([200, first.body.payment_request]);
      expect((await told(id)).at(-1)).toMatchObject({
        type: 'payment_request.failed',
        previous_status: 'pending',
        data: { reason: 'withdrawn' },
      });
      expect((await fed(id)).at(-1)).toMatchObject({
        type: 'payment_request.failed',
        data: { payment_request: { withdrawn_by: by } },
      });
      expect((await toWallet(id)).at(-1)).toMatchObject({ type: 'payment_request.failed', data: { status: 'failed' } });
      const { timeline } = (await call(`${service.url}/v1/payment-requests/${id}/timeline`, { headers: token })).body;
      expect(timeline.at(-1)).toMatchObject({ type: 'payment_request.withdrawn', status: 'failed' });
      expect(timeline.at(-1).data).toMatchObject({ withdrawn_by: by });
    });

    it('lets no wallet sign any more, and says why', async () => {
      const id = await asked();
      await withdraw(id, token, { reason: 'sold out' });
      const answer = await report(id, { status: 'signed' });
      expect(refusal(answer)).toEqual([409, 'invalid_status_transition']);
      expect(answer.body.error.details).toEqual({
        current_status: 'failed',
        reason: 'withdrawn',
        withdrawn_by: 'agent',
        withdrawn_reason: 'sold out',
      });
    });

    it.each([
      ['signed', [{ status: 'signed' }]],
      ['rejected', [{ status: 'rejected' }]],
      ['failed', [{ status: 'failed', reason: 'no funds' }]],
      [
        'confirmed',
        [
          { status: 'signed' },
          { status: 'broadcasted', transaction_hash: 'h1' },
          { status: 'confirmed', transaction_hash: 'h1' },
        ],
      ],
    ])('is refused once it is %s', async (current_status, reports) => {
      const id = await asked();
      for (const one of reports) expect((await report(id, one)).status).toBe(200);
      const answer = await withdraw(id);
      expect([...refusal(answer), answer.body.error.details]).toEqual([
        409,
        'invalid_status_transition',
        { current_status },
      ]);
    });

    it('is refused once it has expired', async () => {
      const id = await asked({ expires_at: new Date(now + 60_000).toISOString() });
      now += 60_001;
      const answer = await withdraw(id);
      expect([...refusal(answer), answer.body.error.details]).toEqual([
        409,
        'invalid_status_transition',
        { current_status: 'expired' },
      ]);
    });

    it('and a signature at once: exactly one of them counts', async () => {
      for (let round = 0; round < 10; round += 1) {
        const id = await asked();
        const answers = await Promise.all([withdraw(id), report(id, { status: 'signed' })]);
        const { status } = await read(id);
        const won = answers.map((one) => one.status);
        expect([won, status]).toEqual(won[0] === 200 ? [[200, 409], 'failed'] : [[409, 200], 'signed']);
      }
    });

    it('does not exist for anybody else', async () => {
      const id = await asked();
      const stranger = await setPaymentScene(service, dns, { clock });
      for (const headers of [stranger.headers, stranger.merchant.headers])
        expect(refusal(await withdraw(id, headers))).toEqual([404, 'resource_not_found']);
      expect(refusal(await withdraw(id, { cookie: scene.merchant.cookie }))).toEqual([403, 'csrf_failed']);
      expect((await withdraw(id, token, { reason: 7 })).body.error.issues).toEqual([
        expect.objectContaining({ field: 'reason' }),
      ]);
      expect((await read(id)).status).toBe('pending');
    });

    it('of an agent payment gives its amount back to its policy', async () => {
      const policyId = await createActivePolicy(service, scene);
      const id = await intended({ initiator: 'agent', policy_id: policyId, amount: '4' });
      expect(await spentOf(service, scene, policyId)).toEqual(['4', '96']);
      const answer = await withdrawIntent(id, scene.headers, { reason: 'changed my mind' });
      expect([answer.status, answer.body.data]).toEqual([
        200,
        expect.objectContaining({
          status: 'failed',
          reason: 'withdrawn',
          withdrawn_by: 'agent',
          withdrawn_reason: 'changed my mind',
        }),
      ]);
      expect(await spentOf(service, scene, policyId)).toEqual(['0', '100']);
      expect((await withdrawIntent(id, scene.merchant.headers)).body.data).toEqual(answer.body.data);
      expect((await fed(id)).at(-1)).toMatchObject({
        type: 'agent_payment.failed',
        data: { previous_status: 'intent_created' },
      });
      await call(`${service.url}/v1/automation-policies/${policyId}`, {
        method: 'DELETE',
        headers: scene.merchant.headers,
      });
    });
  });

  describe('money that moves after the end', () => {
    let made = 0;
    const freshHash = (): string => (made += 1).toString(16).padStart(64, 'd');
    const ends: readonly (readonly [string, string, (id: string) => Promise<unknown>])[] = [
      ['was rejected', 'rejected', (id) => report(id, { status: 'rejected' })],
      ['failed', 'failed', (id) => report(id, { status: 'failed', reason: 'no funds' })],
      ['was withdrawn', 'failed', (id) => withdraw(id)],
    ];
    it.each(ends)('is kept, shown, found and told although the request %s', async (_, current_status, end) => {
      const id = await asked();
      await end(id);
      const transaction_hash = freshHash();
      const broadcast = await report(id, { status: 'broadcasted', transaction_hash });
      expect(refusal(broadcast)).toEqual([409, 'invalid_status_transition']);
      expect(broadcast.body.error.details).toMatchObject({ current_status, late: true });
      const confirm = { status: 'confirmed', transaction_hash, ledger: 7 };
      for (const answer of [await report(id, confirm), await report(id, confirm)])
        expect([...refusal(answer), answer.body.error.details.late]).toEqual([409, 'invalid_status_transition', true]);
      const shown = await read(id);
      expect(shown).toMatchObject({ status: current_status, is_final: true });
      expect(shown.late).toEqual({ status: 'confirmed', transaction_hash, reported_at: expect.any(String) });
      const found = await call(`${service.url}/v1/payment-requests?q=${transaction_hash}`, {
        headers: scene.merchant.headers,
      });
      expect(found.body.payment_requests.map(({ request_id }: any) => request_id)).toEqual([id]);
      for (const feed of [told, fed, toWallet]) {
        const late = (await feed(id)).filter(({ type }) => type === 'payment_request.late_report');
        expect(late).toHaveLength(2);
      }
      const [first, second] = (await told(id)).filter(({ type }) => type === 'payment_request.late_report');
      const unmoved = { status: current_status, previous_status: current_status };
      expect([first, second]).toMatchObject([
        { ...unmoved, data: { transaction_hash } },
        { ...unmoved, data: { transaction_hash, ledger: 7 } },
      ]);
      expect((await fed(id)).at(-1)?.data.payment_request).toEqual(shown);
    });

    it('is not lost after a broadcast that was reported as failed', async () => {
      const id = await asked();
      const transaction_hash = freshHash();
      await report(id, { status: 'signed' });
      await report(id, { status: 'broadcasted', transaction_hash });
      await report(id, { status: 'failed', reason: 'timeout' });
      const answer = await report(id, { status: 'confirmed', transaction_hash });
      expect(refusal(answer)).toEqual([409, 'invalid_status_transition']);
      expect(await read(id)).toMatchObject({ status: 'failed', late: { status: 'confirmed', transaction_hash } });
    });

    it('after expiry too', async () => {
      const id = await asked({ expires_at: new Date(now + 60_000).toISOString() });
      now += 60_001;
      const transaction_hash = freshHash();
      expect(refusal(await report(id, { status: 'broadcasted', transaction_hash }))).toEqual([409, 'request_expired']);
      expect(await read(id)).toMatchObject({ status: 'expired', late: { status: 'broadcasted', transaction_hash } });
    });

    it('of an agent payment', async () => {
      const id = await intended();
      await withdrawIntent(id);
      const transaction_hash = freshHash();
      const answer = await reportIntent(service, scene, id, { status: 'confirmed', transaction_hash });
      expect(refusal(answer)).toEqual([409, 'invalid_status_transition']);
      const { data } = (await readIntent(service, scene, id)).body;
      expect(data.late).toEqual({ status: 'confirmed', transaction_hash, reported_at: expect.any(String) });
      expect((await fed(id)).at(-1)).toMatchObject({
        type: 'agent_payment.late_report',
        data: { status: 'failed', previous_status: 'failed', data: { transaction_hash }, agent_payment: data },
      });
      expect((await toWallet(id)).at(-1)).toMatchObject({ type: 'agent_payment.late_report' });
    });
  });

  describe('the transaction that a wallet names when it signs', () => {
    it('is shown, told and found before it is broadcast', async () => {
      const id = await asked();
      const transaction_hash = 'ce'.repeat(32);
      expect((await report(id, { status: 'signed', transaction_hash })).body.payment_request).toMatchObject({
        status: 'signed',
        transaction_hash,
      });
      expect((await report(id, { status: 'signed', transaction_hash })).status).toBe(200);
      expect(refusal(await report(id, { status: 'signed', transaction_hash: 'other' }))).toEqual([
        409,
        'invalid_status_transition',
      ]);
      expect((await told(id)).at(-1)).toMatchObject({ type: 'payment_request.signed', data: { transaction_hash } });
      expect(
        (await report(id, { status: 'broadcasted', transaction_hash: 'another' })).body.payment_request,
      ).toMatchObject({ status: 'broadcasted', transaction_hash: 'another' });
    });
  });

  describe('when it can no longer be trusted', () => {
    const ofAnother = async () => {
      const connection = await connectAgent(service, scene.agent, scene.device);
      const other = { ...scene, connection, headers: bearing(connection.connectionToken) };
      const id = (await createPayment(service, other)).body.payment_request.request_id as string;
      const intent = (await createIntent(service, { ...scene, connection })).body.data.id as string;
      return { connection, other, id, intent };
    };
    const remove = (id: string, headers: Headers): Promise<Answer> =>
      call(`${service.url}/v1/connections/${id}`, { method: 'DELETE', headers });

    it.each([
      ['the wallet', 'wallet', () => scene.device.headers],
      ['the merchant', 'merchant', () => scene.merchant.headers],
      ['its own token', 'agent', undefined],
    ] as const)('a connection is ended by %s, and what it asked for is withdrawn', async (_, reason, headers) => {
      const { connection, other, id, intent } = await ofAnother();
      const signed = (await createPayment(service, other)).body.payment_request.request_id as string;
      await report(signed, { status: 'signed' });
      const answer = await remove(connection.connectionId, headers?.() ?? other.headers);
      expect([answer.status, answer.body.connection]).toEqual([
        200,
        expect.objectContaining({ status: 'revoked', revoked_reason: reason }),
      ]);
      expect(refusal(await readPayment(service, other, id))).toEqual([403, 'connection_revoked']);
      expect(await becomesWithdrawn(id)).toMatchObject({
        status: 'failed',
        reason: 'withdrawn',
        withdrawn_by: 'service',
        withdrawn_reason: 'connection_revoked',
      });
      const payment = await eventually(
        async () => (await readIntent(service, scene, intent)).body.data,
        ({ status }) => status !== 'intent_created',
        'the withdrawal of the agent payment',
      );
      expect(payment).toMatchObject({ reason: 'withdrawn', withdrawn_by: 'service' });
      expect((await read(signed)).status).toBe('signed');
    });

    it('a connection is ended by nobody else', async () => {
      const stranger = await setPaymentScene(service, dns, { clock });
      const { connectionId } = scene.connection;
      for (const headers of [stranger.headers, stranger.merchant.headers, stranger.device.headers])
        expect(refusal(await remove(connectionId, headers))).toEqual([404, 'resource_not_found']);
      expect(refusal(await remove(connectionId, { cookie: scene.merchant.cookie }))).toEqual([403, 'csrf_failed']);
      const { connection } = await ofAnother();
      expect(refusal(await remove(connection.connectionId, token))).toEqual([404, 'resource_not_found']);
    });

    it('an agent is revoked, and what it asked for is withdrawn', async () => {
      const other = await setPaymentScene(service, dns, { clock });
      const id = (await createPayment(service, other)).body.payment_request.request_id as string;
      const { agentId } = other.agent;
      const url = `${service.url}/v1/agents/${agentId}`;
      const { version } = (await call(url, { headers: other.merchant.headers })).body.agent;
      await call(url, { method: 'PATCH', headers: other.merchant.headers, body: { version, status: 'revoked' } });
      const found = await eventually(
        async () => (await readPayment(service, other.merchant, id)).body.payment_request,
        ({ status }) => status !== 'pending',
        'the withdrawal',
      );
      expect(found).toMatchObject({ withdrawn_by: 'service', withdrawn_reason: 'agent_revoked' });
    });

    it.each([
      [true, { status: 'failed', withdrawn_by: 'service', withdrawn_reason: 'version_retired' }],
      [false, { status: 'pending' }],
    ])('a version is retired, with what is pending on it: %s', async (withdraw_pending, expected) => {
      const other = await setPaymentScene(service, dns, { clock });
      const id = (await createPayment(service, other)).body.payment_request.request_id as string;
      const { recipientId, recipientVersionId } = other.recipient;
      const { headers } = other.merchant;
      const url = `${service.url}/v1/recipients/${recipientId}`;
      const { version } = (await call(url, { headers })).body.recipient;
      const body = { version, withdraw_pending };
      const retired = await call(`${url}/versions/${recipientVersionId}/retire`, { headers, body });
      expect(retired.status).toBe(200);
      const ofOther = async () => (await readPayment(service, other.merchant, id)).body.payment_request;
      if (withdraw_pending) await eventually(ofOther, ({ status }) => status !== 'pending', 'the withdrawal');
      expect(await ofOther()).toMatchObject(expected);
    });

    it('a credential is compromised, and what its connections asked for is withdrawn', async () => {
      const other = await setPaymentScene(service, dns, { clock });
      const id = (await createPayment(service, other)).body.payment_request.request_id as string;
      const { agentId, credentialId } = other.agent;
      const url = `${service.url}/v1/agents/${agentId}/credentials/${credentialId}/revoke`;
      await call(url, { method: 'POST', headers: other.merchant.headers, body: { reason: 'compromised' } });
      const found = await eventually(
        async () => (await readPayment(service, other.merchant, id)).body.payment_request,
        ({ status }) => status !== 'pending',
        'the withdrawal',
      );
      expect(found).toMatchObject({ withdrawn_by: 'service', withdrawn_reason: 'credential_revoked' });
    });
  });
});
