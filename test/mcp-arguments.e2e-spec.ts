import { readFileSync } from 'node:fs';
import { type Client } from '@modelcontextprotocol/sdk/client/index.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { createApiKey } from './support/agent-payments';
import { bearing } from './support/connections';
import { call } from './support/http';
import { type McpScene, setMcpScene, useTool } from './support/mcp';
import { startTestService } from './support/service';

type Schema = Readonly<{
  description?: string;
  properties?: Readonly<Record<string, Schema>>;
  items?: Schema;
  anyOf?: readonly Schema[];
}>;

describe('the arguments of the MCP server’s tools', () => {
  let scene: McpScene;
  let client: Client;

  beforeAll(async () => {
    scene = await setMcpScene(startTestService);
    await scene.connect();
    const { secret } = await createApiKey(scene.service, scene.merchant);
    client = await scene.converse({ SVC_API_KEY: secret });
  });
  afterAll(() => scene.end());

  /** Sends the call like a client that validates nothing. */
  async function send(params: Record<string, unknown>): Promise<Record<string, any>> {
    const answer = await client.request({ method: 'tools/call', params }, CallToolResultSchema);
    expect(answer.isError).toBe(true);
    return JSON.parse((answer.content[0] as { text: string }).text) as Record<string, any>;
  }

  /** Every argument with its path, including nested ones. */
  const within = (schema: Schema, at: string): [string, Schema][] => [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]): [string, Schema][] => [
      [`${at}.${name}`, inner],
      ...within(inner, `${at}.${name}`),
    ]),
    ...(schema.items ? within(schema.items, `${at}[]`) : []),
  ];

  it('are all described', async () => {
    const { tools } = await client.listTools();
    const all = tools.flatMap(({ name, inputSchema }) => within(inputSchema as Schema, name));
    expect(all.length).toBeGreaterThan(20);
    expect(all.map(([at]) => at)).toContain('describe_transaction.items[].label');
    const silent = all.filter(([, { description = '' }]) => description.length < 15).map(([at]) => at);
    expect(silent).toEqual([]);
  });

  const references = [
    ['a\u0000b', /control characters/],
    ['half \ud800', /half characters/],
    ['\udc00 half', /half characters/],
    ['a\nb', /on one line/],
    ['a\tb', /on one line/],
    ['a\u2028b', /on one line/],
    ['turned \u202e around', /direction overrides/],
    [' ahead', /begin or end with a space/],
    ['behind ', /begin or end with a space/],
    ['..', /must not be \. or \.\./],
    ['', /./],
    ['x'.repeat(257), /256/],
  ] as const;

  it.each(references)('are refused with the problem of the order reference %j', async (order_reference, what) => {
    const order = { payee_id: scene.recipientId, amount: '1', order_reference };
    const calls = [
      ['request_payment', order],
      ['pay_within_policy', order],
      ['find_payment', { order_reference }],
    ] as const;
    for (const [name, args] of calls) {
      const { failure } = await useTool(client, name, args);
      expect(failure).toMatchObject({ code: 'validation_failed', safe_to_repeat: false });
      expect(failure?.['issues']).toEqual([
        { code: expect.any(String), field: 'order_reference', message: expect.stringMatching(what) },
      ]);
      expect(failure?.['message']).toMatch(/order_reference: /);
    }
  });

  it.each(['events', 'by-key', '.', '..', 'a/b', 'pr_\u0000', 'pr_1?x', 'half \ud800'])(
    'are refused if %j is not a payment’s id',
    async (request_id) => {
      for (const name of ['get_payment', 'wait_for_payment']) {
        expect((await useTool(client, name, { request_id })).failure).toMatchObject({
          code: 'validation_failed',
          issues: [{ field: 'request_id', message: expect.stringMatching(/list_payments/) }],
        });
      }
    },
  );

  it('may be a request id that the agent chose, even one that looks like an agent payment’s', async () => {
    const request_id = 'ap_invoice_77';
    const { connection_token } = JSON.parse(readFileSync(scene.file, 'utf8')) as { connection_token: string };
    const { service, recipientId } = scene;
    const headers = bearing(connection_token);
    const { body: known } = await call(`${service.url}/v1/payees`, { headers });
    const { recipient_version_id } = known.payees.find((one: any) => one.recipient_id === recipientId);
    const input = { recipient_id: recipientId, recipient_version_id, payment: { amount: '7' }, request_id };
    const body = { ...input, policy: { requires_user_approval: true } };
    expect((await call(`${service.url}/v1/payment-requests`, { headers, body })).status).toBe(201);

    for (const each of [client, await scene.converse()]) {
      const { payments } = (await useTool(each, 'list_payments')).structured;
      expect(payments.map((one: any) => one.request_id)).toContain(request_id);
      const read = await useTool(each, 'get_payment', { request_id });
      expect(read.structured).toMatchObject({ request_id, status: 'pending', amount: '7' });
      const waited = await useTool(each, 'wait_for_payment', { request_id, timeout_seconds: 0 });
      expect(waited.structured).toMatchObject({ request_id, outcome: 'still_waiting' });
      const { contents } = await each.readResource({ uri: `svc://payment-requests/${request_id}/timeline` });
      expect(contents[0]).toMatchObject({ text: expect.stringContaining('payment_request.created') });
    }
    const unseen = await useTool(await scene.converse(), 'get_payment', { request_id: 'ap_invoice_78' });
    expect(unseen.failure).toMatchObject({ code: 'api_key_missing' });
  });

  it('say that an agent payment is unknown like any other payment', async () => {
    for (const request_id of ['ap_00000000000000000000000000', 'ap_', 'pr_none'])
      expect((await useTool(client, 'get_payment', { request_id })).failure).toMatchObject({
        code: 'resource_not_found',
      });
  });

  it.each([[[]], ['x'], [5], [true], [[{ amount: '1' }]]])(
    'are reported if they are not an object: %j',
    async (args) => {
      for (const name of ['request_payment', 'connection_status']) {
        expect(await send({ name, arguments: args })).toMatchObject({
          code: 'validation_failed',
          message: expect.stringMatching(/\(arguments\): .*object/),
          what_to_do: expect.any(String),
        });
      }
    },
  );

  it('default to none if they are null', async () => {
    const { issues } = await send({ name: 'request_payment', arguments: null });
    expect(issues.map(({ field }: { field: string }) => field)).toEqual(['payee_id', 'amount', 'order_reference']);
    const params = { name: 'connection_status', arguments: null };
    const answer = await client.request({ method: 'tools/call', params }, CallToolResultSchema);
    expect(answer.structuredContent).toMatchObject({ status: 'connected' });
  });

  it.each([[undefined], [null], [7], [{}], ['']])('are reported if the tool is called %j', async (name) => {
    expect(await send({ name })).toMatchObject({
      code: 'unknown_tool',
      what_to_do: expect.stringMatching(/list_payees/),
    });
  });

  it.each([
    ['request_payment', { amount: '1.123456789' }, 'amount'],
    ['pay_within_policy', { amount: '1.123456789' }, 'amount'],
    ['request_payment', { description: 'a\u0007b' }, 'description'],
    // What looks like a wallet's secret key is refused by the service, which names the field.
    ['request_payment', { description: `S${'A'.repeat(55)}` }, 'description'],
  ])('are named in errors as the model knows them: %s %j', async (name, changes, field) => {
    const order = { payee_id: scene.recipientId, amount: '1', order_reference: `named-${field}`, ...changes };
    const { failure } = await useTool(client, name, order);
    expect(failure).toMatchObject({ code: expect.stringMatching(/validation_failed/) });
    expect(failure?.['issues'].map((issue: { field: string }) => issue.field)).toContain(field);
    expect(JSON.stringify(failure)).not.toMatch(/display\.|metadata\.|payment\.amount|idempotency/);
  });
});
