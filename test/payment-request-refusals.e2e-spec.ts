import fc from 'fast-check';
import { changeAgent, createActiveRecipient } from './support/agents';
import { bearing } from './support/connections';
import { type Answer, call } from './support/http';
import {
  connectAnotherWallet,
  createPayment,
  issues,
  paymentInput,
  readPayment,
  refusal,
  setPaymentScene,
} from './support/payments';
import { recipientsOf } from './support/recipients';
import { useScene } from './support/use-service';

describe('a payment request is refused', () => {
  const time = Date.parse('2030-01-01T00:00:00.000Z');
  const clock = { now: () => new Date(time) };

  const { service, dns, scene } = useScene({ clock });

  const create = (changes: Readonly<Record<string, unknown>>, headers = {}): Promise<Answer> =>
    createPayment(service, scene, changes, headers);
  const aRequest = async (): Promise<string> => (await create({})).body.payment_request.request_id as string;

  it('for everything that is wrong with it at once', async () => {
    const answer = await create({
      payment: { amount: '1.12345678', network: 'stellar_public' },
      expires_at: '2029-12-31T23:59:59Z',
      display: { deep: [{ 'Pay-To': 'G…' }] },
      policy: { requires_user_approval: false },
      recipient_version_id: 'rcv_01JZZZZZZZZZZZZZZZZZZZZZZZ',
    });
    expect(refusal(answer)).toEqual([400, 'validation_failed']);
    expect(issues(answer).sort()).toEqual([
      ['in_the_past', 'expires_at'],
      ['must_be_true', 'policy.requires_user_approval'],
      ['override_not_accepted', 'display.deep.0.Pay-To'],
      ['payment_fact_not_accepted', 'payment.network'],
      ['recipient_version_not_active', 'recipient_version_id'],
      ['too_many_fraction_digits', 'payment.amount'],
    ]);
    expect(answer.body.error.field).toBe(answer.body.error.issues[0].field);
  });

  it('for everything that is missing, each field by its own name', async () => {
    const empty = await call(`${service.url}/v1/payment-requests`, { headers: scene.headers, body: {} });
    expect(issues(empty)).toEqual([
      ['required', 'recipient_id'],
      ['required', 'recipient_version_id'],
      ['required', 'payment'],
      ['required', 'payment.amount'],
      ['required', 'policy'],
      ['required', 'policy.requires_user_approval'],
    ]);
  });

  it('if the amount has more decimals than the asset, together with other problems', async () => {
    expect(issues(await create({ payment: { amount: '1.12345678' } }))).toEqual([
      ['too_many_fraction_digits', 'payment.amount'],
    ]);
    expect(issues(await create({ payment: { amount: '1.12345678' }, metadata: { memo: 1 } })).sort()).toEqual([
      ['override_not_accepted', 'metadata.memo'],
      ['too_many_fraction_digits', 'payment.amount'],
    ]);
  });

  it('if what it says in its own words is another payee, and not if it is its own', async () => {
    const other = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
    const own = (await create({})).body.payment_request.payment as Record<string, string>;
    const pays = (address: string) =>
      `web+stellar:pay?destination=${address}&amount=1&network_passphrase=Test%20SDF%20Network%20%3B%20September%202015`;
    const answer = await create({
      payment: { amount: '1' },
      source: { note: `Please pay to ${other} instead.` },
      display: { lines: [{ text: 'Coffee' }, { text: pays(other) }], wallet: other },
      metadata: { [other]: 1, shipping_address: '1 Main Street', bitcoin: 'bitcoin:?lno=1' },
    });
    expect(refusal(answer)).toEqual([400, 'validation_failed']);
    expect(issues(answer).sort()).toEqual([
      ['override_not_accepted', 'display.lines.1.text'],
      ['override_not_accepted', 'display.wallet'],
      ['override_not_accepted', `metadata.${other}`],
      ['override_not_accepted', 'metadata.bitcoin'],
      ['override_not_accepted', 'source.note'],
    ]);
    // Also if the recipient is unknown: links mean a payee on any network.
    const nobody = await create({ recipient_id: 'rcp_1', metadata: { link: pays(other) } });
    expect(issues(nobody).sort()).toEqual([
      ['override_not_accepted', 'metadata.link'],
      ['resource_not_found', 'recipient_id'],
    ]);
    const honest = {
      payment: { amount: '1' },
      metadata: { paid: `to ${own['to']}`, link: pays(String(own['to'])), order: 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335' },
    };
    expect((await create(honest)).status).toBe(201);
  });

  it('if it would expire in the past or too far in the future', async () => {
    const at = (milliseconds: number): string => new Date(time + milliseconds).toISOString();
    const month = 30 * 24 * 3_600_000;
    expect(issues(await create({ expires_at: at(0) }))).toEqual([['in_the_past', 'expires_at']]);
    expect(issues(await create({ expires_at: at(month + 1) }))).toEqual([['too_far', 'expires_at']]);
    const longest = await create({ expires_at: at(month).replace('Z', '+00:00') });
    expect([longest.status, longest.body.payment_request.expires_at]).toEqual([201, at(month)]);
  });

  it('if its recipient version is not the active one, with its own code', async () => {
    const recipients = recipientsOf(service, scene.merchant);
    const unverified = await recipients.created();
    const answer = await create({ recipient_id: unverified.id, recipient_version_id: unverified.versionId });
    expect([refusal(answer), issues(answer)]).toEqual([
      [409, 'recipient_version_not_active'],
      [['recipient_version_not_active', 'recipient_version_id']],
    ]);
    expect(answer.body.error.details).toEqual({ active_version_id: null });
    const verified = await recipients.verify(unverified);
    expect(refusal(await create({ recipient_id: unverified.id, recipient_version_id: unverified.versionId }))).toEqual([
      409,
      'recipient_version_not_active',
    ]);
    await recipients.activate(unverified, recipients.evidenceIn(verified));
    expect((await create({ recipient_id: unverified.id, recipient_version_id: unverified.versionId })).status).toBe(
      201,
    );
    const both = await create({ recipient_version_id: unverified.versionId });
    expect(refusal(both)).toEqual([409, 'recipient_version_not_active']);
    expect(both.body.error.details).toEqual({ active_version_id: scene.recipient.recipientVersionId });
    const { active_version_id } = both.body.error.details as { active_version_id: string };
    expect((await create({ recipient_version_id: active_version_id })).status).toBe(201);
  });

  it('if the recipient does not exist, together with other problems', async () => {
    expect(refusal(await create({ recipient_id: 'rcp_01JZZZZZZZZZZZZZZZZZZZZZZZ' }))).toEqual([
      404,
      'resource_not_found',
    ]);
    expect(refusal(await create({ recipient_id: '../merchant' }))).toEqual([404, 'resource_not_found']);
    const answer = await create({ recipient_id: 'rcp_01JZZZZZZZZZZZZZZZZZZZZZZZ', payment: { amount: '0' } });
    expect([refusal(answer), issues(answer)]).toEqual([
      [400, 'validation_failed'],
      [
        ['invalid_amount', 'payment.amount'],
        ['resource_not_found', 'recipient_id'],
      ],
    ]);
  });

  it('but not for line breaks in free-form fields', async () => {
    const free = { note: 'a\nb', deep: [{ text: '\tc\r\n' }] };
    const { status, body } = await create({ source: free, display: free, metadata: free });
    expect(status).toBe(201);
    expect(body.payment_request).toMatchObject({ source: free, display: free, metadata: free });
    const { body: refused } = await create({ metadata: { 'a\nb': 1, c: 'd\u0000' } });
    expect(refused.error.issues).toHaveLength(2);
  });

  it('if its idempotency key could never be asked for by its path', async () => {
    for (const key of ['.', '..']) {
      // What every client makes of the address: encoded or not, such a segment is left out.
      const encoded = key.replaceAll('.', '%2E');
      expect(new URL(`${service.url}/v1/payment-requests/by-key/${encoded}`).pathname).not.toContain(encoded);
      const answers = [
        [await create({ idempotency_key: key }), 'idempotency_key'],
        [await create({}, { 'x-idempotency-key': key }), 'x-idempotency-key'],
      ] as const;
      for (const [answer, field] of answers)
        expect([refusal(answer), issues(answer)]).toEqual([[400, 'validation_failed'], [['malformed', field]]]);
    }
    expect((await create({ idempotency_key: '...' })).status).toBe(201);
  });

  it('if its idempotency keys differ', async () => {
    const answers = [
      await create({ idempotency_key: 'a' }, { 'x-idempotency-key': 'b' }),
      await create({ idempotency_key: 'a' }, { 'idempotency-key': 'A' }),
      await create({}, { 'idempotency-key': 'a', 'x-idempotency-key': 'b' }),
      await create({ idempotency_key: 'a ' }, { 'idempotency-key': 'a' }),
      await create({ idempotency_key: 5 }, { 'idempotency-key': 'a' }),
      await create({ idempotency_key: null }, { 'x-idempotency-key': 'a' }),
    ];
    expect(answers.map(refusal)).toEqual(answers.map(() => [400, 'IDEMPOTENCY_KEY_MISMATCH']));
    const more = await create({ idempotency_key: 'a', payment: { amount: '-1' } }, { 'x-idempotency-key': 'b' });
    expect([refusal(more), issues(more).length]).toEqual([[400, 'validation_failed'], 2]);
    const bytes = await create({ idempotency_key: 'caf\u00e9' }, { 'x-idempotency-key': 'caf\u00e9' });
    const listed = [
      ['malformed', 'x-idempotency-key'],
      ['IDEMPOTENCY_KEY_MISMATCH', 'idempotency_key'],
    ];
    expect([refusal(bytes), issues(bytes)]).toEqual([[400, 'IDEMPOTENCY_KEY_MISMATCH'], listed]);
    const agreeing = await create(
      { idempotency_key: 'agreed' },
      { 'x-idempotency-key': 'agreed', 'idempotency-key': 'agreed' },
    );
    expect([agreeing.status, agreeing.body.payment_request.idempotency_key]).toEqual([201, 'agreed']);
  });

  it('without the required scope', async () => {
    const scopes = ['transaction_contexts.read'];
    const other = await setPaymentScene(service, dns, { clock, scopes });
    const made = await createPayment(service, other);
    expect([refusal(made), made.body.error.details]).toEqual([
      [403, 'insufficient_scope'],
      { required_scope: 'payment.requests.create' },
    ]);
    const id = await aRequest();
    for (const path of ['', '/events', '/by-key/a', `/${id}`, `/${id}/timeline`, `/${id}/proof`]) {
      const answer = await call(`${service.url}/v1/payment-requests${path}`, { headers: other.headers });
      expect([path, refusal(answer), answer.body.error.details]).toEqual([
        path,
        [403, 'insufficient_scope'],
        { required_scope: 'payment.requests.read' },
      ]);
    }
    expect((await readPayment(service, { headers: other.headers }, 'x')).status).toBe(403);
  });

  it('without a credential, with a wrong one, or with one of the other side', async () => {
    const url = `${service.url}/v1/payment-requests`;
    const body = paymentInput(scene);
    expect(refusal(await call(url, { body }))).toEqual([401, 'unauthenticated']);
    expect(refusal(await call(url, { body, headers: bearing('svc_ct_nonsense') }))).toEqual([401, 'invalid_token']);
    expect(refusal(await call(url, { body, headers: bearing(await scene.agent.token()) }))).toEqual([
      401,
      'unauthenticated',
    ]);
    expect(refusal(await call(url, { body, headers: scene.device.headers }))).toEqual([401, 'unauthenticated']);
    expect(refusal(await call(url))).toEqual([401, 'unauthenticated']);
    const id = await aRequest();
    const byAgent = await call(`${url}/${id}/status`, { headers: scene.headers, body: { status: 'signed' } });
    expect(refusal(byAgent)).toEqual([401, 'unauthenticated']);
  });

  it('while the connection or the agent may not act', async () => {
    const other = await connectAnotherWallet(service, await setPaymentScene(service, dns, { clock }));
    const connection = `${service.url}/v1/connections/${other.connection.connectionId}`;
    const set = (status: string) =>
      call(connection, { method: 'PATCH', headers: other.device.headers, body: { status } });
    expect((await set('paused')).status).toBe(200);
    expect(refusal(await createPayment(service, other))).toEqual([403, 'connection_paused']);
    await set('active');
    await changeAgent(service, other.merchant, other.agent.agentId, { status: 'suspended' });
    expect(refusal(await createPayment(service, other))).toEqual([403, 'agent_not_active']);
    await changeAgent(service, other.merchant, other.agent.agentId, { status: 'active' });
    expect((await createPayment(service, other)).status).toBe(201);
    await call(connection, { method: 'DELETE', headers: other.device.headers, body: {} });
    expect(refusal(await createPayment(service, other))).toEqual([403, 'connection_revoked']);
  });

  it('if the list gets an invalid filter, limit or cursor', async () => {
    const list = (query: string): Promise<Answer> =>
      call(`${service.url}/v1/payment-requests?${query}`, { headers: scene.headers });
    expect(issues(await list('status=paid'))).toEqual([['not_allowed', 'status']]);
    expect(issues(await list('limit=0&cursor=%21'))).toEqual([
      ['out_of_range', 'limit'],
      ['malformed', 'cursor'],
    ]);
    expect((await list('limit=201')).status).toBe(400);
  });

  it('but never for the digits of its amount, which are returned as sent', async () => {
    const unlimited = await createActiveRecipient(service, scene.merchant);
    const written = fc
      .tuple(
        fc.stringMatching(/^(0|[1-9][0-9]{0,20})$/),
        fc.option(fc.stringMatching(/^[0-9]{1,7}$/), { nil: undefined }),
      )
      .map(([whole, fraction]) => (fraction === undefined ? whole : `${whole}.${fraction}`))
      .filter((amount) => /[1-9]/.test(amount));
    await fc.assert(
      fc.asyncProperty(written, async (amount) => {
        const made = await createPayment(service, { ...scene, recipient: unlimited }, { payment: { amount } });
        const id = made.body.payment_request.request_id as string;
        const read = await readPayment(service, scene, id);
        expect([made.status, read.body.payment_request.payment.amount]).toEqual([201, amount]);
      }),
      { numRuns: 25 },
    );
  });
});
