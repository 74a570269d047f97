import { newId } from '../src/kernel/ids';
import { TESTNET_FACTS } from './support/agents';
import { mustBe } from './support/connections';
import { eventually } from './support/eventually';
import { type Answer } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { createPayment, refusal, pollEvents, readPayment, reportPayment, setPaymentScene } from './support/payments';
import { useScene } from './support/use-service';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const HASH = 'ab'.repeat(32);

describeOnEachPair('payment requests', (start) => {
  const { service, dns, scene } = useScene({ start });

  it('are created pending, with every fact from the recipient and the credential', async () => {
    const answer = await createPayment(
      service,
      scene,
      {
        transaction_id: 'order-7',
        source: { channel: 'chat', agent_id: 'agt_pretended', merchant_name: 'Pretended' },
        display: { title: 'Order 7', lines: [{ label: 'Coffee', total: '12.50' }] },
        metadata: { 'a.b': { $where: [1, null, 'x'] }, '': 0 },
        surprise: 'ignored',
      },
      { 'x-idempotency-key': 'order-7-payment' },
    );
    expect(answer.status).toBe(201);
    const { request_id: id, created_at } = answer.body.payment_request as Record<string, string>;
    expect(answer.body).toEqual({
      ok: true,
      payment_request: {
        protocol: 'svc.payment_request.v1',
        request_id: expect.stringMatching(/^pr_[0-9A-HJKMNP-TV-Z]{26}$/),
        connection_id: scene.connection.connectionId,
        transaction_id: 'order-7',
        created_at: expect.stringMatching(TIME),
        expires_at: new Date(Date.parse(created_at ?? '') + 15 * 60_000).toISOString(),
        idempotency_key: 'order-7-payment',
        status: 'pending',
        source: {
          channel: 'chat',
          agent_id: scene.agent.agentId,
          agent_name: 'Checkout agent',
          merchant_id: scene.merchant.merchantId,
          merchant_name: expect.stringMatching(/^Shop \d+$/),
          merchant_domain: scene.merchant.domain,
        },
        payee: { name: 'Example Shop', verified: true, domain: scene.merchant.domain },
        payment: {
          rail: 'stellar_xlm',
          network: 'stellar_testnet',
          asset: 'XLM',
          amount: '12.50',
          to: TESTNET_FACTS.address,
          decimals: 7,
        },
        policy: { requires_user_approval: true },
        display: { title: 'Order 7', lines: [{ label: 'Coffee', total: '12.50' }] },
        metadata: { 'a.b': { $where: [1, null, 'x'] }, '': 0 },
        recipient_id: scene.recipient.recipientId,
        recipient_version_id: scene.recipient.recipientVersionId,
        settlement: null,
        contested: false,
        version: 1,
        is_final: false,
        updated_at: created_at,
      },
    });
    expect(answer.headers.get('location')).toBe(`/v1/payment-requests/${id}`);
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
    expect((await readPayment(service, scene, id ?? '')).body).toEqual(answer.body);
  });

  it('omit fields that do not apply', async () => {
    const { body } = await createPayment(service, scene);
    const absent = ['transaction_id', 'idempotency_key', 'display', 'metadata', 'transaction_hash', 'ledger', 'reason'];
    expect(Object.keys(body.payment_request as object).filter((name) => absent.includes(name))).toEqual([]);
  });

  it('reach confirmed as the wallet reports each step, and both sides read the same', async () => {
    const { body: created } = await createPayment(service, scene);
    const id = created.payment_request.request_id as string;
    const steps = [
      [{ status: 'signed' }, { status: 'signed', version: 2, is_final: false }],
      [
        { status: 'broadcasted', transaction_hash: HASH },
        { status: 'broadcasted', transaction_hash: HASH, version: 3 },
      ],
      [
        { status: 'confirmed', transaction_hash: HASH, ledger: 1017 },
        { status: 'confirmed', transaction_hash: HASH, ledger: 1017, version: 4, is_final: true },
      ],
    ] as const;
    for (const [report, expected] of steps) {
      const first = await reportPayment(service, scene, id, report);
      expect([first.status, first.body.payment_request]).toEqual([200, expect.objectContaining(expected)]);
      const again = await reportPayment(service, scene, id, report);
      expect([again.status, again.body]).toEqual([200, first.body]);
      const [byAgent, byWallet] = await Promise.all([
        readPayment(service, scene, id),
        readPayment(service, scene.device, id),
      ]);
      expect(byAgent.body).toEqual(first.body);
      // A wallet also gets the review for the person.
      const { review, payment_uri, ...request } = byWallet.body.payment_request;
      expect(request).toEqual(first.body.payment_request);
      expect([review, payment_uri]).toEqual([expect.any(Object), expect.any(String)]);
    }
  });

  it.each([
    [{ status: 'rejected' }, {}],
    [{ status: 'rejected', reason: 'not mine' }, { reason: 'not mine' }],
    [{ status: 'failed', reason: 'no funds' }, { reason: 'no funds' }],
  ])('end with %j', async (report, shown) => {
    const { body } = await createPayment(service, scene);
    const id = body.payment_request.request_id as string;
    const ended = await reportPayment(service, scene, id, report);
    expect(ended.body.payment_request).toEqual({
      ...body.payment_request,
      ...shown,
      status: report.status,
      version: 2,
      is_final: true,
      updated_at: expect.stringMatching(TIME),
    });
    const after = await reportPayment(service, scene, id, { status: 'signed' });
    expect(refusal(after)).toEqual([409, 'invalid_status_transition']);
    expect(after.body.error.details).toEqual({ current_status: report.status });
  });

  it('are polled as events with a gapless cursor', async () => {
    const other = await setPaymentScene(service, dns);
    const { body } = await createPayment(service, other, { transaction_id: 'order-9' });
    const id = body.payment_request.request_id as string;
    await reportPayment(service, other, id, { status: 'signed' });
    await reportPayment(service, other, id, { status: 'broadcasted', transaction_hash: HASH });
    await reportPayment(service, other, id, { status: 'failed', reason: 'reverted' });
    const answer = await pollEvents(service, other);
    const about = { event_id: expect.stringMatching(/^evt_/), request_id: id, transaction_id: 'order-9' };
    const at = { occurred_at: expect.stringMatching(TIME) };
    expect(answer.body).toEqual({
      ok: true,
      events: [
        {
          cursor: 1,
          type: 'payment_request.created',
          status: 'pending',
          previous_status: null,
          data: {},
          ...about,
          ...at,
        },
        {
          cursor: 2,
          type: 'payment_request.signed',
          status: 'signed',
          previous_status: 'pending',
          data: {},
          ...about,
          ...at,
        },
        {
          cursor: 3,
          type: 'payment_request.broadcasted',
          status: 'broadcasted',
          previous_status: 'signed',
          data: { transaction_hash: HASH },
          ...about,
          ...at,
        },
        {
          cursor: 4,
          type: 'payment_request.failed',
          status: 'failed',
          previous_status: 'broadcasted',
          data: { reason: 'reverted' },
          ...about,
          ...at,
        },
      ],
      next_cursor: 4,
      newest_cursor: 4,
      has_more: false,
    });
    const middle = await pollEvents(service, other, 'since=1&limit=2');
    expect(middle.body.events).toEqual(answer.body.events.slice(1, 3));
    expect(middle.body).toMatchObject({ next_cursor: 3, has_more: true });
    expect((await pollEvents(service, other, 'since=4')).body).toMatchObject({ events: [], next_cursor: 4 });
    expect((await pollEvents(service, other, 'since=99')).body).toMatchObject({ events: [], next_cursor: 99 });
  });

  it('are created once, however many calls use one key at once', async () => {
    const count = 200;
    const answers = await Promise.all(
      Array.from({ length: count }, () => createPayment(service, scene, {}, { 'idempotency-key': 'storm' })),
    );
    const ids = new Set(answers.map(({ body }) => body.payment_request.request_id as string));
    expect(ids.size).toBe(1);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(count - 1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(count - 1);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  it('are readable as soon as they are written', async () => {
    /** A store timeout on a busy machine breaks no promise: the call is repeated with its key. */
    const create = (): Promise<Answer> => {
      const key = { 'x-idempotency-key': newId('req') };
      const isDone = ({ status }: Answer): boolean => status !== 503;
      return eventually(() => createPayment(service, scene, {}, key), isDone, 'a create');
    };
    const answers = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const made = await create();
        const { body } = mustBe(made.status === 200 ? 200 : 201, made);
        return readPayment(service, scene, body.payment_request.request_id as string);
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });
});
