import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client } from '@modelcontextprotocol/sdk/client/index.js';
import { CredentialStore } from '../sdk/src/node/credentials.ts';
import { createApiKey, optIn, proposePolicy } from './support/agent-payments';
import { type Device } from './support/devices';
import { call } from './support/http';
import { type McpScene, setMcpScene, useTool } from './support/mcp';
import { type SignedUpMerchant } from './support/merchant';
import { eventsOfType, reportPayment } from './support/payments';
import { startTestService, type TestService } from './support/service';

describe('the MCP server', () => {
  let scene: McpScene;
  let service: TestService;
  let merchant: SignedUpMerchant;
  let recipientId: string;
  let device: Device;
  let directory: string;
  let file: string;
  let converse: McpScene['converse'];
  const use = useTool;

  beforeAll(async () => {
    scene = await setMcpScene(startTestService);
    ({ service, merchant, recipientId, device, directory, file, converse } = scene);
  });
  afterAll(() => scene.end());

  const ask = (client: Client, order_reference: string, more: Record<string, unknown> = {}) =>
    use(client, 'request_payment', { payee_id: recipientId, amount: '4.5', order_reference, ...more });
  const wallet = (path: string, body: object) => call(`${service.url}/v1/${path}`, { headers: device.headers, body });
  const paid = async (id: string): Promise<void> => {
    const transaction_hash = 'ab'.repeat(32);
    await reportPayment(service, { device }, id, { status: 'signed' });
    await reportPayment(service, { device }, id, { status: 'broadcasted', transaction_hash });
    await reportPayment(service, { device }, id, { status: 'confirmed', transaction_hash });
  };

  it('lists its tools with schemas, annotations and texts that promise no payment', async () => {
    const { tools } = await (await converse()).listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      'connect_wallet',
      'connection_status',
      'describe_transaction',
      'find_payment',
      'get_payment',
      'list_payees',
      'list_payments',
      'pay_within_policy',
      'request_payment',
      'wait_for_payment',
      'withdraw_payment',
    ]);
    for (const { inputSchema, outputSchema, annotations, description = '' } of tools) {
      expect(inputSchema.type).toBe('object');
      expect(outputSchema?.type).toBe('object');
      expect(annotations).toMatchObject({
        readOnlyHint: expect.any(Boolean),
        destructiveHint: expect.any(Boolean),
        idempotentHint: expect.any(Boolean),
      });
      expect(description.length).toBeGreaterThan(60);
    }
    const textOf = (name: string): string => tools.find((tool) => tool.name === name)?.description ?? '';
    expect(textOf('request_payment')).toMatch(/waiting for the person/);
    expect(textOf('request_payment')).toMatch(/Never tell anyone that it was paid/);
    expect(textOf('request_payment')).toMatch(/same order_reference/);
    expect(textOf('wait_for_payment')).toMatch(/still_waiting/);
  });

  it('says what to do before a wallet is connected', async () => {
    const client = await converse();
    expect((await use(client, 'connection_status')).structured).toMatchObject({ status: 'none', reason: null });
    const { failure } = await ask(client, 'too-early');
    expect(failure).toMatchObject({ code: 'not_connected', what_to_do: expect.stringMatching(/connect_wallet/) });
  });

  it('claims a Connect Key, and learns that the person said no', async () => {
    const client = await converse();
    const { body } = await wallet('connect-keys', {});
    const asked = await use(client, 'connect_wallet', { connect_key: body.connect_key });
    expect(asked.structured).toMatchObject({ status: 'waiting', method: 'connect_key' });
    const waiting = await call(`${service.url}/v1/connect-invitations`, { headers: device.headers });
    const id = waiting.body.connect_invitations[0].connect_invitation_id as string;
    await wallet(`connect-invitations/${id}/reject`, {});
    expect((await use(client, 'connection_status')).structured).toMatchObject({
      status: 'ended',
      reason: 'invitation_rejected',
    });
    expect((await use(client, 'connect_wallet', { connect_key: body.connect_key })).failure).toMatchObject({
      code: 'invalid_grant',
    });
  });

  it('pairs with a code, a link and a picture, and stores the token with mode 0600', async () => {
    const client = await converse();
    const { structured, content } = await use(client, 'connect_wallet');
    expect(structured['uri']).toMatch(/^svc:\/\/pair\?/);
    expect(content.find(({ type }) => type === 'image')).toMatchObject({ mimeType: 'image/png' });
    expect((await use(client, 'connection_status')).structured).toMatchObject({ status: 'waiting' });
    const id = new URL(structured['uri']).searchParams.get('session') ?? structured['uri'].match(/prs_\w+/)?.[0];
    const { status } = await wallet(`pairing/sessions/${id}/approve`, { code: structured['code'] });
    expect(status).toBe(200);
    expect((await use(client, 'connection_status')).structured).toMatchObject({
      status: 'connected',
      merchant: { merchant_id: merchant.merchantId },
      scopes: expect.arrayContaining(['payment.requests.create']),
    });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      connection_token: expect.stringMatching(/^svc_ct_/),
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('lists payees without addresses', async () => {
    const { structured, content } = await use(await converse(), 'list_payees', { query: 'xlm' });
    expect(structured['payees']).toEqual([expect.objectContaining({ payee_id: recipientId, asset: 'XLM' })]);
    expect(JSON.stringify(content)).not.toMatch(/G[A-Z2-7]{55}/);
    expect((await use(await converse(), 'list_payees', { query: 'nobody' })).structured['payees']).toEqual([]);
  });

  it('requests a payment, waits for the person, and explains the status', async () => {
    const client = await converse();
    const told = await use(client, 'describe_transaction', {
      title: 'Two coffees',
      items: [{ label: 'Coffee', value: '2' }],
    });
    const { structured } = await ask(client, 'coffee-1', {
      description: 'Two coffees',
      transaction_id: told.structured['transaction_id'],
    });
    expect(structured).toMatchObject({ status: 'pending', repeated: false, next: expect.stringMatching(/not paid/) });
    const id = structured['request_id'] as string;
    const steps: number[] = [];
    const waiting = await client.callTool(
      { name: 'wait_for_payment', arguments: { request_id: id, timeout_seconds: 0.2 } },
      undefined,
      {
        onprogress: ({ progress }) => steps.push(progress),
      },
    );
    expect(waiting.structuredContent).toMatchObject({ outcome: 'still_waiting', next: expect.stringMatching(/again/) });
    expect(steps.length).toBeGreaterThan(0);
    const patient = use(client, 'wait_for_payment', { request_id: id });
    await paid(id);
    expect((await patient).structured).toMatchObject({ outcome: 'final', status: 'confirmed' });
    expect((await use(client, 'get_payment', { request_id: id })).structured['meaning']).toMatch(/wallet’s claim/);
    expect((await use(client, 'find_payment', { order_reference: 'coffee-1' })).structured).toMatchObject({
      found: true,
      request_id: id,
    });
    // Without an API key the result says what it could not see.
    expect((await use(client, 'find_payment', { order_reference: 'tea-1' })).structured).toEqual({
      found: false,
      not_looked_at: expect.stringMatching(/policy.*API key/),
    });
    const { payments } = (await use(client, 'list_payments', { limit: 5 })).structured;
    expect(payments[0]).toMatchObject({ request_id: id });
  });

  it('takes back what nobody has signed, and says what has become of anything else', async () => {
    const client = await converse();
    const id = (await ask(client, 'pie-1', { amount: '9.25' })).structured['request_id'] as string;
    const withdraw = (request_id: string) => use(client, 'withdraw_payment', { request_id, reason: 'sold out' });
    for (const { structured } of [await withdraw(id), await withdraw(id)])
      expect(structured).toMatchObject({
        withdrawn: true,
        outcome: 'withdrawn',
        status: 'failed',
        reason: 'withdrawn',
      });
    const late = (await ask(client, 'pie-2', { amount: '9.25' })).structured['request_id'] as string;
    await reportPayment(service, { device }, late, { status: 'signed' });
    expect((await withdraw(late)).structured).toMatchObject({ withdrawn: false, outcome: 'signed', status: 'signed' });
    expect((await withdraw('pr_unknown')).failure).toMatchObject({ code: 'resource_not_found' });
  });

  it('makes at most one payment per order, whatever a model does', async () => {
    const [one, two] = await Promise.all([converse(), converse()]);
    const order = { amount: '7', description: 'Cake' };
    const made = (await ask(one, 'cake-1', order)).structured['request_id'] as string;
    // Repeats with the same reference, with other texts, out of order and from another conversation.
    const again = await Promise.all([
      ask(one, 'cake-1', order),
      ask(two, 'cake-1', { amount: '7.0', description: 'A cake, please' }),
      ask(one, 'cake-1', { amount: '7' }),
    ]);
    for (const { structured } of again) expect(structured).toMatchObject({ request_id: made, repeated: true });
    // The same order under a newly invented reference.
    expect((await ask(two, 'cake-1-retry', order)).failure).toMatchObject({
      code: 'possible_duplicate',
      what_to_do: expect.stringMatching(/ask/),
      details: { duplicates: [expect.objectContaining({ request_id: made })] },
    });
    // Another order under the same reference.
    expect((await ask(one, 'cake-1', { amount: '8' })).failure).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    expect((await ask(two, 'cake-2', { ...order, allow_duplicate: true })).structured).toMatchObject({
      repeated: false,
    });
    const created = await eventsOfType(service, 'PaymentRequestCreated');
    expect(created.filter(({ data }) => (data as { amount: string }).amount.startsWith('7'))).toHaveLength(2);
  });

  it('creates one of many simultaneous orders in two conversations', async () => {
    const [one, two] = await Promise.all([converse(), converse()]);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        ask(at % 2 ? one : two, 'crowd-1', { amount: '9', description: `try ${at}` }),
      ),
    );
    expect(new Set(answers.map(({ structured }) => structured['request_id'])).size).toBe(1);
    const invented = await Promise.all(
      Array.from({ length: 10 }, (_, at) => ask(at % 2 ? one : two, `crowd-new-${at}`, { amount: '9.5' })),
    );
    expect(invented.filter(({ failure }) => failure === undefined)).toHaveLength(1);
  });

  it('asks the person about a second order if the client supports it', async () => {
    const said = await converse({}, [false, true]);
    await ask(said, 'tart-1', { amount: '3' });
    expect((await ask(said, 'tart-2', { amount: '3' })).failure).toMatchObject({ code: 'possible_duplicate' });
    expect((await ask(said, 'tart-2', { amount: '3' })).structured).toMatchObject({
      status: 'pending',
      repeated: false,
    });
  });

  it.each([
    ['request_payment', {}, ['payee_id', 'amount', 'order_reference']],
    ['request_payment', { payee_id: 'x', amount: 4.5, order_reference: 'r' }, ['amount']],
    ['request_payment', { payee_id: 'x', amount: '1e3', order_reference: 'r', to: 'GABC' }, ['amount', '']],
    ['get_payment', { request_id: '' }, ['request_id']],
    ['wait_for_payment', { request_id: 'pr_1', timeout_seconds: 'long' }, ['timeout_seconds']],
    ['list_payments', { status: 'paid', limit: 0 }, ['status', 'limit']],
    ['connect_wallet', { scopes: ['everything'] }, ['scopes.0']],
  ])('answers bad arguments of %s %j with what to fix', async (name, args, fields) => {
    const { failure } = await use(await converse(), name, args);
    expect(failure).toMatchObject({ code: 'validation_failed', safe_to_repeat: false });
    expect(failure?.['issues'].map((issue: { field: string }) => issue.field)).toEqual(fields);
  });

  it('answers unknown tools, payees and payments with errors a model can act on', async () => {
    const client = await converse();
    expect((await use(client, 'send_money', {})).failure).toMatchObject({ code: 'unknown_tool' });
    expect((await ask(client, 'r-1', { payee_id: 'rcp_made_up' })).failure).toMatchObject({ code: 'payee_not_found' });
    expect((await use(client, 'get_payment', { request_id: 'pr_none' })).failure).toMatchObject({
      code: 'resource_not_found',
      what_to_do: expect.any(String),
    });
    expect(
      (await use(client, 'pay_within_policy', { payee_id: recipientId, amount: '1', order_reference: 'p' })).failure,
    ).toMatchObject({
      code: 'api_key_missing',
    });
  });

  it('pays within a policy that the person opted in to, but not beyond it', async () => {
    const { secret } = await createApiKey(service, merchant);
    const client = await converse({ SVC_API_KEY: secret });
    const pay = (order_reference: string, amount: string, description = 'one') =>
      use(client, 'pay_within_policy', { payee_id: recipientId, amount, order_reference, description });
    expect((await pay('auto-0', '1')).failure).toMatchObject({
      code: 'HC_NC_5_HITL_REQUIRED',
      what_to_do: expect.stringMatching(/request_payment/),
    });
    const connection_id = (await use(client, 'connection_status')).structured['connection_id'] as string;
    const scene = { merchant, device, recipient: { recipientId }, connection: { connectionId: connection_id } };
    const policy = await proposePolicy(service, scene as never);
    await optIn(service, scene, policy.body.data.id as string);
    const made = await pay('auto-1', '1');
    expect(made.structured).toMatchObject({ status: 'intent_created', repeated: false });
    expect((await pay('auto-1', '1', 'in other words')).structured).toMatchObject({
      payment_id: made.structured['payment_id'],
    });
  });

  it('serves the timeline of a payment and the error catalogue', async () => {
    const client = await converse();
    const { resources } = await client.listResources();
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resources.map(({ uri }) => uri)).toEqual(['svc://errors']);
    expect(resourceTemplates.map(({ name }) => name)).toEqual(['timeline']);
    const read = async (uri: string) =>
      JSON.parse(((await client.readResource({ uri })).contents[0] as { text: string }).text);
    expect((await read('svc://errors')).errors.length).toBeGreaterThan(20);
    const id = (await ask(client, 'timeline-1', { amount: '2' })).structured['request_id'] as string;
    expect((await read(`svc://payment-requests/${id}/timeline`)).timeline.length).toBeGreaterThan(0);
  });

  it('reports that the person paused or ended the connection', async () => {
    const client = await converse();
    const id = (await use(client, 'connection_status')).structured['connection_id'] as string;
    const patch = (status: string) =>
      call(`${service.url}/v1/connections/${id}`, { method: 'PATCH', headers: device.headers, body: { status } });
    await patch('paused');
    expect((await use(client, 'connection_status')).structured).toMatchObject({
      status: 'paused',
      reason: 'connection_paused',
    });
    expect((await ask(client, 'while-paused')).failure).toMatchObject({ code: 'connection_paused' });
    await patch('active');
    await call(`${service.url}/v1/connections/${id}`, { method: 'DELETE', headers: device.headers });
    expect((await use(client, 'connection_status')).structured).toMatchObject({
      status: 'ended',
      reason: 'connection_revoked',
    });
  });

  it('says that retrying is safe when the service does not answer', async () => {
    const client = await converse({ SVC_URL: 'http://127.0.0.1:9', SVC_CONNECTION_TOKEN: 'svc_ct_x' });
    expect((await ask(client, 'lost-1')).failure).toMatchObject({ code: 'service_unreachable', safe_to_repeat: true });
  });

  it('refuses a credentials file that others can read, without naming a secret', () => {
    const open = join(directory, 'open.json');
    writeFileSync(open, readFileSync(file));
    chmodSync(open, 0o644);
    const reading = () => new CredentialStore({ SVC_CREDENTIALS: open }).read();
    expect(reading).toThrow(/chmod 600/);
  });
});
