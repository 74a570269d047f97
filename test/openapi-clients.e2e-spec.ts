import { execFile } from 'node:child_process';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { call } from './support/http';
import { temporaryDirectories } from './support/temp-directory';
import { columnsOf, ownColumn } from './walls/credentials';
import { outcomeOf, rows, send } from './walls/matrix';
import { type Row } from './walls/row';
import { buildWorld, type World } from './walls/world';

type Schema = Readonly<{
  $ref?: string;
  type?: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
  example?: unknown;
}>;
type Content = Readonly<Record<string, Readonly<{ schema: Schema; example?: Record<string, unknown> }>>>;
type Operation = Readonly<{ requestBody?: { content: Content }; responses: Record<string, { content?: Content }> }>;
type Document = Readonly<{
  servers: readonly Readonly<{ url: string }>[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}>;

/** The issues that report an id that does not exist. */
const ABOUT_IDS = ['resource_not_found', 'unknown_version', 'not_a_verified_domain'];

const root = join(__dirname, '..');

/** A program written with nothing but the document. */
const PROGRAM = `
import { type components, type paths } from './svc';

type PaymentRequest = components['schemas']['PaymentRequest'];
type Created = paths['/v1/payment-requests']['post']['responses']['201']['content']['application/json'];
type Body = NonNullable<paths['/v1/payment-requests']['post']['requestBody']>['content']['application/json'];

export const body: Body = {
  recipient_id: 'rcp_1',
  recipient_version_id: 'rcv_1',
  payment: { amount: '12.50' },
  policy: { requires_user_approval: true },
};
export const statusOf = ({ payment_request }: Created): PaymentRequest['status'] => payment_request.status;
export const isPaid = (request: PaymentRequest): boolean => request.status === 'confirmed';
export const nameOf = ({ name }: components['schemas']['Recipient']): string => name;
// @ts-expect-error: there is no such status
export const never = (request: PaymentRequest): boolean => request.status === 'paid';
`;

describe('the OpenAPI document as a source for generated clients', () => {
  const directory = temporaryDirectories();
  let world: World;
  let document: Document;

  beforeAll(async () => {
    world = await buildWorld();
    document = (await call(`${world.service.url}/openapi.json`)).body as unknown as Document;
  });
  afterAll(() => world.stop());

  it('names a server by its path first, so that it works under any host name', () => {
    const [first, second] = document.servers.map(({ url }) => url);
    expect(new URL(`${first}`, 'http://any-name.example:1234').href).toBe('http://any-name.example:1234/');
    expect(second).toBe('http://svc.test');
  });

  it('names everything that a response contains', () => {
    const unnamed: string[] = [];
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { responses }] of Object.entries(methods)) {
        for (const [status, { content }] of Object.entries(responses)) {
          if (!status.startsWith('2')) continue;
          for (const [name, schema] of Object.entries(content?.['application/json']?.schema.properties ?? {})) {
            if (schema.properties ?? schema.items?.properties) unnamed.push(`${method} ${path} ${status} ${name}`);
          }
        }
      }
    }
    expect(unnamed).toEqual([]);
    for (const name of ['PaymentRequest', 'Recipient', 'RecipientVersion', 'Agent', 'Connection', 'WebhookEndpoint']) {
      expect(Object.keys(document.components.schemas)).toContain(name);
    }
  });

  it('refers to nothing that does not exist', () => {
    const text = JSON.stringify(document);
    const named = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name ?? '');
    expect(named.length).toBeGreaterThan(100);
    expect([...new Set(named)].filter((name) => document.components.schemas[name] === undefined)).toEqual([]);
  });

  it('yields types that a program compiles with', async () => {
    const place = directory();
    const source = join(place, 'openapi.json');
    writeFileSync(source, JSON.stringify(document));
    // In another process: this thread runs the service, and its connections would time out.
    const node = (program: string, ...words: readonly string[]) =>
      promisify(execFile)(process.execPath, [join(root, 'node_modules', program), ...words], { cwd: place });
    await node('openapi-typescript/bin/cli.js', source, '--output', join(place, 'svc.d.ts'));
    writeFileSync(join(place, 'program.ts'), PROGRAM);
    cpSync(join(root, 'test/support/strict.tsconfig.json'), join(place, 'tsconfig.json'));
    symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'));
    const { stdout } = await node('typescript-native/bin/tsc', '--project', place);
    expect(stdout).toBe('');
  }, 600_000);

  /** Routes that need what an example cannot contain: a secret, an id, or an earlier step. */
  const NEEDS_MORE: Readonly<Record<string, string>> = {
    'POST /v1/merchant-accounts/email-verifications': 'invalid_grant',
    'POST /v1/merchants': 'invalid_grant',
    'POST /v1/merchant-sessions': 'invalid_grant',
    'POST /v1/agent-auth/token': 'invalid_assertion',
    'POST /v1/connect-invitations/claim': 'invalid_grant',
    'POST /v1/agents/{id}/credentials/{credentialId}/activate': 'signature_invalid',
    'POST /v1/pairing/sessions/{id}/approve': 'resource_not_found',
    'POST /v1/pairing/sessions/{id}/reject': 'resource_not_found',
  };

  it('shows example bodies that can be sent as they are', async () => {
    const columns = await columnsOf(world);
    const wrong: unknown[] = [];
    const taken: string[] = [];
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { requestBody }] of Object.entries(methods)) {
        const route = `${method.toUpperCase()} ${path}`;
        const body = requestBody?.content['application/json']?.example;
        const row = rows[route] as Row;
        // Calls that end their own credential would break the rest of this test.
        if (requestBody === undefined || row.holder !== undefined) continue;
        const parts = (await row.parts?.(world)) ?? {};
        const answer = await send(world, route, {
          headers: ownColumn(columns, row)?.headers ?? {},
          parts: { ...parts, body: body ?? {} },
        });
        const outcome = outcomeOf(answer);
        if (answer.status < 300) taken.push(route);
        // An example with ids that do not exist is refused for those ids, and for nothing else.
        const isAboutIds =
          JSON.stringify(body).includes('_01JZ5Y0W3X') &&
          (answer.body?.error?.issues ?? []).every(({ code }: { code: string }) => ABOUT_IDS.includes(code));
        const isFine = answer.status < 300 || outcome === NEEDS_MORE[route] || answer.status === 409 || isAboutIds;
        if (!isFine) wrong.push([route, body, outcome, answer.body?.error]);
      }
    }
    expect(wrong).toEqual([]);
    expect(taken).toEqual(
      expect.arrayContaining([
        'POST /v1/wallet-devices',
        'POST /v1/merchant-accounts/registrations',
        'POST /v1/recipients',
        'POST /v1/agents',
        'POST /v1/agents/{id}/credentials',
        'POST /v1/connect-keys',
        'POST /v1/pairing/sessions',
        'POST /v1/payment-requests/{id}/status',
        'POST /v1/networks/{network}/check-address',
        'POST /v1/transaction-contexts',
        'POST /v1/api-keys',
      ]),
    );
  });
});
