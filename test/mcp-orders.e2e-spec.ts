import { type Client } from '@modelcontextprotocol/sdk/client/index.js';
import { createApiKey, optIn, proposePolicy } from './support/agent-payments';
import { type Called, type McpScene, setMcpScene, useTool } from './support/mcp';
import { describeOnEachPair } from './support/pairs';
import { eventsOfType } from './support/payments';
import { call } from './support/http';

describeOnEachPair('a model that mixes request_payment and pay_within_policy', (start) => {
  let scene: McpScene;
  let secret: string;
  /** Two processes of one agent, as far as the service can tell; neither knows of the other. */
  let one: Client;
  let two: Client;
  let connectionId: string;

  beforeAll(async () => {
    scene = await setMcpScene(start);
    connectionId = await scene.connect();
    ({ secret } = await createApiKey(scene.service, scene.merchant));
    [one, two] = await Promise.all([scene.converse({ SVC_API_KEY: secret }), scene.converse({ SVC_API_KEY: secret })]);
  });
  afterAll(() => scene.end());

  const order = (order_reference: string, amount: string, more: object = {}) => ({
    payee_id: scene.recipientId,
    amount,
    order_reference,
    ...more,
  });
  const ask = (reference: string, amount: string, more: object = {}, client = one): Promise<Called> =>
    useTool(client, 'request_payment', order(reference, amount, more));
  const pay = (reference: string, amount: string, more: object = {}, client = two): Promise<Called> =>
    useTool(client, 'pay_within_policy', order(reference, amount, more));
  const get = (request_id: string): Promise<Called> => useTool(one, 'get_payment', { request_id });
  /** Every payment with these references, on both surfaces, according to the log. */
  const madeUnder = async (...references: readonly string[]): Promise<number> =>
    (await eventsOfType(scene.service, 'PaymentRequestCreated', 'AgentPaymentCreated')).filter(({ data }) =>
      references.includes((data as { idempotency_key: string }).idempotency_key),
    ).length;
  const reject = (id: string): Promise<unknown> => {
    const path = id.startsWith('ap_') ? 'agent-payments' : 'payment-requests';
    const { headers } = scene.device;
    return call(`${scene.service.url}/v1/${path}/${id}/status`, { headers, body: { status: 'rejected' } });
  };

  it('is sent to the person if no policy allows it, with the same reference', async () => {
    expect((await pay('hitl-1', '2')).failure).toMatchObject({ code: 'HC_NC_5_HITL_REQUIRED' });
    const asked = await ask('hitl-1', '2');
    expect(asked.structured).toMatchObject({ status: 'pending', repeated: false });
    const parties = { ...scene, recipient: scene, connection: { connectionId } };
    const { body } = await proposePolicy(scene.service, parties as never, { cumulative_limit: '1000' });
    await optIn(scene.service, scene, body.data.id as string);
    // A policy would allow it now, but the order already has its payment.
    expect((await pay('hitl-1', '2')).structured).toMatchObject({
      payment_id: asked.structured['request_id'],
      request_id: asked.structured['request_id'],
      status: 'pending',
      repeated: true,
      next: expect.stringMatching(/Waiting for the person/),
    });
    expect(await madeUnder('hitl-1')).toBe(1);
  });

  it('gets the existing payment, whichever tool created it', async () => {
    const paid = await pay('mixed-1', '3');
    expect(paid.structured).toMatchObject({ status: 'intent_created', repeated: false });
    const id = paid.structured['payment_id'] as string;
    for (const again of [await ask('mixed-1', '3.0'), await ask('mixed-1', '3', { allow_duplicate: true })])
      expect(again.structured).toMatchObject({ request_id: id, status: 'intent_created', repeated: true });
    expect((await pay('mixed-1', '3.00', { description: 'in other words' })).structured).toMatchObject({
      payment_id: id,
      repeated: true,
    });
    const asked = await ask('mixed-2', '4');
    expect((await pay('mixed-2', '4')).structured).toMatchObject({
      payment_id: asked.structured['request_id'],
      repeated: true,
    });
    // The same once it has ended: the person rejected this order.
    await reject(id);
    await reject(asked.structured['request_id'] as string);
    expect((await ask('mixed-1', '3')).structured).toMatchObject({
      request_id: id,
      status: 'rejected',
      is_final: true,
    });
    expect((await pay('mixed-2', '4')).structured).toMatchObject({ status: 'rejected', repeated: true });
    expect(await madeUnder('mixed-1', 'mixed-2')).toBe(2);
  });

  it('is told what a reference belongs to, whichever tool used it', async () => {
    const paid = await pay('belongs-1', '5');
    const id = paid.structured['payment_id'] as string;
    for (const other of [await ask('belongs-1', '6'), await pay('belongs-1', '6')])
      expect(other.failure).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED', details: { request_id: id } });
    expect(await madeUnder('belongs-1')).toBe(1);
  });

  it('is warned of a likely duplicate under an invented reference, whichever tool it uses', async () => {
    const paid = await pay('twice-1', '7');
    const id = paid.structured['payment_id'] as string;
    for (const { failure } of [await pay('twice-2', '7'), await ask('twice-3', '7.0')]) {
      expect(failure).toMatchObject({
        code: 'possible_duplicate',
        safe_to_repeat: true,
        details: { duplicates: [expect.objectContaining({ request_id: id })] },
        what_to_do: expect.stringMatching(/request_payment .*allow_duplicate: true/),
      });
      expect(failure?.['what_to_do']).not.toMatch(/if_duplicate/);
      expect(failure?.['message']).not.toMatch(/if_duplicate/);
    }
    const asked = await ask('twice-4', '7.5');
    expect((await pay('twice-5', '7.5')).failure).toMatchObject({
      code: 'possible_duplicate',
      details: { duplicates: [expect.objectContaining({ request_id: asked.structured['request_id'] })] },
    });
    expect(await madeUnder('twice-1', 'twice-2', 'twice-3', 'twice-4', 'twice-5')).toBe(2);
    // Following the advice works.
    expect((await ask('twice-2', '7', { allow_duplicate: true })).structured).toMatchObject({ repeated: false });
  });

  it('pays a second time within the policy if the person says so', async () => {
    const said = await scene.converse({ SVC_API_KEY: secret }, [false, true]);
    await pay('second-1', '8', {}, said);
    expect((await pay('second-2', '8', {}, said)).failure).toMatchObject({ code: 'possible_duplicate' });
    expect((await pay('second-2', '8', {}, said)).structured).toMatchObject({ repeated: false });
    expect((await ask('second-2', '8')).structured).toMatchObject({ repeated: true });
  });

  it('creates one payment per order in two simultaneous conversations, with both tools', async () => {
    for (let round = 0; round < 6; round += 1) {
      const reference = `at-once-${round}`;
      const amount = `0.1${round}`;
      const calls = [ask, pay, pay, ask].flatMap((tool, at) => [
        tool(reference, amount, {}, at % 2 ? one : two),
        tool(reference, amount, { description: 'again' }, at % 2 ? two : one),
      ]);
      const answers = await Promise.all(calls);
      expect(await madeUnder(reference)).toBe(1);
      const { structured: found } = await useTool(one, 'find_payment', { order_reference: reference });
      for (const { structured, failure } of answers)
        expect(failure ?? structured['request_id']).toBe(found['request_id']);
    }
  });

  it('creates one payment from many invented references at once, with both tools', async () => {
    const references = Array.from({ length: 8 }, (_, at) => `made-up-${at}`);
    const answers = await Promise.all(references.map((reference, at) => (at % 2 ? ask : pay)(reference, '0.77')));
    expect(await madeUnder(...references)).toBe(1);
    expect(answers.filter(({ failure }) => failure === undefined)).toHaveLength(1);
    for (const { failure } of answers.filter((answer) => answer.failure !== undefined))
      expect(failure).toMatchObject({ code: 'possible_duplicate' });
  });

  it('finds, reads, lists and waits for agent payments like any other', async () => {
    const paid = await pay('follow-1', '0.5');
    const id = paid.structured['payment_id'] as string;
    const same = {
      request_id: id,
      status: 'intent_created',
      order_reference: 'follow-1',
      amount: '0.5',
      is_final: false,
    };
    expect((await get(id)).structured).toMatchObject({ ...same, meaning: expect.stringMatching(/policy/) });
    const find = (order_reference: string) => useTool(one, 'find_payment', { order_reference });
    expect((await find('follow-1')).structured).toMatchObject({ found: true, ...same });
    const list = async (args: object) => (await useTool(one, 'list_payments', args)).structured;
    expect((await list({ limit: 1 }))['payments']).toEqual([expect.objectContaining(same)]);
    const asked = await ask('follow-2', '0.6');
    const newest = (await list({ limit: 2 }))['payments'].map((shown: { request_id: string }) => shown.request_id);
    expect(newest).toEqual([asked.structured['request_id'], id]);
    expect((await list({ limit: 2 }))['more']).toBe(true);
    for (const { status } of (await list({ status: 'intent_created' }))['payments'])
      expect(status).toBe('intent_created');
    const wait = { request_id: id, timeout_seconds: 0 };
    expect((await useTool(one, 'wait_for_payment', wait)).structured).toMatchObject({
      outcome: 'still_waiting',
      ...same,
    });
    await reject(id);
    expect((await useTool(one, 'wait_for_payment', { request_id: id })).structured).toMatchObject({
      outcome: 'final',
      status: 'rejected',
    });
    expect((await list({ status: 'rejected' }))['payments'][0]).toMatchObject({ request_id: id });
  });

  it('cannot read an agent payment of another connection, and is told what to do without an API key', async () => {
    const paid = await pay('private-1', '0.9');
    const id = paid.structured['payment_id'] as string;
    const { structured } = await useTool(one, 'connection_status');
    expect(structured['status']).toBe('connected');
    const keyless = await scene.converse();
    expect((await useTool(keyless, 'get_payment', { request_id: id })).failure).toMatchObject({
      code: 'api_key_missing',
    });
    // The service itself prevents a second payment, even for a process that cannot see the first.
    expect((await ask('private-1', '0.9', {}, keyless)).failure).toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
      details: { payment_id: id },
    });
    await scene.connect();
    const another = await scene.converse({ SVC_API_KEY: secret });
    expect((await useTool(another, 'get_payment', { request_id: id })).failure).toMatchObject({
      code: 'resource_not_found',
    });
    expect((await useTool(another, 'find_payment', { order_reference: 'private-1' })).structured).toEqual({
      found: false,
    });
    expect((await useTool(another, 'list_payments')).structured['payments']).toEqual([]);
  });
});
