import { join } from 'node:path';
import ts from 'typescript';
import {
  AgentClient,
  AgentPaymentsClient,
  MerchantAccess,
  MerchantClient,
  ServiceClient,
  WalletClient,
} from '../sdk/src/index.ts';
import { scriptedFetch } from '../sdk/src/scripted-fetch.fixtures.ts';
import { startTestService, type TestService } from './support/service';

type Schema = Readonly<{
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  enum?: unknown[];
}>;
type Operation = Readonly<{ responses: Record<string, { content?: Record<string, { schema: Schema }> }> }>;

/** Only for the audit command, which verifies responses in other ways than a client. */
const NOT_FOR_CLIENTS = /^\/v1\/audit\/(consistency|events)$/;

let service: TestService;
let paths: Record<string, Record<string, Operation>>;
let schemas: Record<string, Schema>;

beforeAll(async () => {
  service = await startTestService();
  const document = await (await fetch(`${service.url}/openapi.json`)).json();
  ({
    paths,
    components: { schemas },
  } = document as { paths: typeof paths; components: { schemas: typeof schemas } });
});
afterAll(() => service.stopAndForget());

/** Including inherited methods. */
const methodsOf = (prototype: object): string[] =>
  prototype === Object.prototype
    ? []
    : [...Object.getOwnPropertyNames(prototype), ...methodsOf(Object.getPrototypeOf(prototype) as object)];

/** Calls every method of every client once, with ids that show where they go. */
async function everyCall() {
  const { fetch, sent } = scriptedFetch(({ path }) => ({
    body: path.endsWith('/credentials')
      ? { credential: { credential_id: 'ID' }, proof_challenge: 'c' }
      : {
          data: {},
          payment_request: {},
          recipient: {},
          recipient_version: {},
          connect_invitation: {},
          agent_token: 't',
          expires_in: 600,
          connection_token: 'x',
          device: {},
        },
  }));
  const options = { baseUrl: 'https://svc.example', fetch };
  const secretKey = new Uint8Array(64);
  const any: any = { connect_invitation: { connect_invitation_id: 'ID' }, pairing_session_id: 'ID', claim_token: 'x' };
  const clients: any[] = [
    new AgentClient({ ...options, credential: { kid: 'k', agentId: 'ID', secretKey }, connectionToken: 'x' }),
    new AgentPaymentsClient({ ...options, apiKey: 'x' }),
    new WalletClient({ ...options, deviceId: 'ID', deviceToken: 'x' }),
    new MerchantAccess(options),
    new ServiceClient(options),
  ];
  const merchant: any = new MerchantClient({ ...options, sessionToken: 'x' });
  const parts = [
    'domains',
    'recipients',
    'agents',
    'apiKeys',
    'connections',
    'networks',
    'payments',
    'policies',
    'webhooks',
  ].map((name) => merchant[name]);
  const several = new Set([
    'events',
    'waitForPaymentRequest',
    'waitForApproval',
    'waitForPairing',
    'connect',
    'connected',
    'anybody',
    'useConnection',
    'addKey',
    'createActive',
    'openEvents',
    'openDeviceEvents',
  ]);
  const takesObject = new Set(['readInvitation', 'exchangeInvitation', 'readPairing']);
  for (const client of [...clients, merchant, ...parts]) {
    for (const name of methodsOf(Object.getPrototypeOf(client) as object)) {
      if (name === 'constructor' || several.has(name)) continue;
      const object = client instanceof AgentClient && takesObject.has(name);
      await client[name](object ? any : 'ID', 'ID', {});
    }
  }
  await WalletClient.register(options, { name: 'n' });
  return new Set(sent.map(({ method, path }) => `${method} ${path.replaceAll(/ID(?=\/|$)/g, '{}')}`));
}

it('reaches every route of the API, and no other', async () => {
  const called = await everyCall();
  const offered = Object.entries(paths)
    .filter(([path]) => path.startsWith('/v1/') && !NOT_FOR_CLIENTS.test(path))
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '{}')}`),
    );
  expect([...called].sort()).toEqual(offered.sort());
});

describe('types', () => {
  const file = join(__dirname, '../sdk/src/index.ts');
  const program = ts.createProgram([file], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    strict: true,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const entry = source && checker.getSymbolAtLocation(source);
  const exported = new Map(entry ? checker.getExportsOfModule(entry).map((symbol) => [symbol.name, symbol]) : []);

  /** `name`, or `name?` if it may be absent. */
  const written = (name: string): string[] => {
    const symbol = exported.get(name);
    if (symbol === undefined) throw new Error(`no type ${name}`);
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return checker
      .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(target))
      .map((property) => property.name + (property.flags & ts.SymbolFlags.Optional ? '?' : ''))
      .sort();
  };

  /** The schema itself, or the one it refers to. */
  const meant = (schema: Schema | undefined): Schema | undefined =>
    schema?.$ref === undefined ? schema : schemas[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)];

  const served = (operation: string, ...steps: readonly string[]): string[] => {
    const [method = '', path = ''] = operation.split(' ');
    const { responses } = paths[path]?.[method] ?? { responses: {} };
    const status = Object.keys(responses).find((code) => code < '300') ?? '';
    let schema = Object.values(responses[status]?.content ?? {})[0]?.schema;
    for (const step of steps) {
      schema = meant(schema)?.properties?.[step];
      const [first] = (meant(schema)?.oneOf ?? meant(schema)?.anyOf ?? []).filter(
        (one) => meant(one)?.type === 'object',
      );
      schema = schema?.items ?? first ?? schema;
    }
    const { properties = {}, required = [] } = meant(schema) ?? {};
    return Object.keys(properties)
      .map((name) => name + (required.includes(name) ? '' : '?'))
      .sort();
  };

  it.each([
    ['PaymentRequest', 'get /v1/payment-requests/{id}', 'payment_request'],
    ['PaymentFacts', 'get /v1/payment-requests/{id}', 'payment_request', 'payment'],
    ['PaymentRequestEvent', 'get /v1/payment-requests/events', 'events'],
    ['TransactionContext', 'post /v1/transaction-contexts', 'transaction_context'],
    ['WalletDevice', 'get /v1/wallet-devices/{id}', 'device'],
    ['ConnectInvitation', 'get /v1/connect-invitations/{id}', 'connect_invitation'],
    ['StartedPairingSession', 'post /v1/pairing/sessions', 'pairing_session'],
    ['Connection', 'get /v1/connections/{id}', 'connection'],
    ['PayableRecipient', 'get /v1/payees', 'payees'],

    ['Network', 'get /v1/networks', 'networks'],
    ['MemoRule', 'get /v1/networks', 'networks', 'memo'],
    ['Merchant', 'get /v1/merchants/current', 'merchant'],
    ['MerchantChoice', 'post /v1/merchant-accounts/email-verifications', 'merchants'],
    ['MerchantDomain', 'post /v1/merchant-domains', 'domain'],
    ['Recipient', 'get /v1/recipients/{id}', 'recipient'],
    ['RecipientVersion', 'get /v1/recipients/{id}', 'recipient', 'versions'],
    ['Evidence', 'post /v1/recipients/{id}/verify', 'evidence'],
    ['Agent', 'get /v1/agents/{id}', 'agent'],
    ['RegisteredCredential', 'get /v1/agents/{id}', 'agent', 'credentials'],
    ['ApiKey', 'post /v1/api-keys', 'api_key'],
    ['AgentPayment', 'get /v1/agent-payments/{id}', 'data'],
    ['AutomationPolicyWithPayees', 'get /v1/automation-policies/{id}', 'data'],
    ['PolicyPayee', 'get /v1/automation-policies/{id}', 'data', 'payees'],
    ['AutomationPolicy', 'get /v1/automation-policies', 'data', 'automation_policies'],
    ['WebhookEndpoint', 'get /v1/webhook-endpoints/{id}', 'webhook_endpoint'],
    ['WebhookDelivery', 'get /v1/webhook-deliveries', 'webhook_deliveries'],
    ['WebhookRewind', 'get /v1/webhook-endpoints/{id}/rewinds/{rewindId}', 'rewind'],
    ['WebhookTest', 'post /v1/webhook-endpoints/{id}/test', 'test'],
    ['WebhookAttempt', 'get /v1/webhook-deliveries', 'webhook_deliveries', 'attempts'],
  ])('%s has the fields the service answers with', (name, operation, ...steps) => {
    const fields = written(name);
    expect(fields.length).toBeGreaterThan(3);
    expect(fields).toEqual(served(operation, ...steps));
  });
});
