import { type Answer } from './support/http';
import { call } from './support/http';
import { SCOPES } from '../src/kernel/scopes';
import { recipientsOf } from './support/recipients';
import { type Column, columnsOf, ownColumn } from './walls/credentials';
import { rows, send } from './walls/matrix';
import { type Parts, type Row } from './walls/row';
import { buildWorld, type World } from './walls/world';

type Schema = Readonly<{ type?: string | readonly string[]; properties?: Record<string, Schema> }>;

/** Credentials in the body are checked before the rest of it. */
const CREDENTIALS = ['device_id', 'token'];

/** Every problem of an input is reported in one response, on every route that takes one. */
describe('every issue in one pass', () => {
  let world: World;
  let columns: readonly Column[];
  let bodies: ReadonlyMap<string, Readonly<Record<string, Schema>>>;

  beforeAll(async () => {
    world = await buildWorld();
    columns = await columnsOf(world);
    const { body } = await call(`${world.service.url}/openapi.json`);
    const all = Object.entries(body.paths as Record<string, Record<string, any>>).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) => {
        const schema = operation.requestBody?.content?.['application/json']?.schema as Schema | undefined;
        // A DELETE is identified by its path alone.
        return schema && method !== 'delete'
          ? [[`${method.toUpperCase()} ${path}`, schema.properties ?? {}] as const]
          : [];
      }),
    );
    bodies = new Map(all);
  });
  afterAll(() => world.stop());

  const ownOf = (row: Row): Column =>
    ownColumn(columns, row) ?? (columns.find(({ transport }) => transport === 'none') as Column);
  const fieldsIn = ({ body }: Answer): string[] =>
    ((body.error?.issues ?? body.error?.details?.issues ?? []) as { field: string }[]).map(({ field }) => field);
  const ask = async (route: string, body: Record<string, unknown>, parts?: Parts): Promise<Answer> => {
    const row = rows[route] as Row;
    const made = parts ?? (await row.parts?.(world)) ?? {};
    return send(world, route, { ...ownOf(row), parts: { ...made, body } });
  };

  it('is reported on every route that takes a body, whatever is wrong with each field', async () => {
    const untold: unknown[] = [];
    for (const [route, properties] of bodies) {
      const names = Object.keys(properties).filter((name) => !CREDENTIALS.includes(name));
      // A nested list is valid for no field.
      const wrong = Object.fromEntries(names.map((name) => [name, [[]]]));
      const answer = await ask(route, { ...wrong, merchant_id: 'mer_x', private_key: 'x' });
      const told = new Set(fieldsIn(answer).map((field) => field.split('.')[0]));
      const missing = [...names, 'merchant_id', 'private_key'].filter((name) => !told.has(name));
      if (answer.status !== 400 || missing.length > 0) untold.push([route, answer.status, missing]);
    }
    expect(bodies.size).toBeGreaterThan(30);
    expect(untold).toEqual([]);
  });

  it('is reported together with those that need the log or the network to find', async () => {
    const { us, them } = world;
    const payee = await recipientsOf(world.service, us.merchant).created();
    const used = await call(`${world.service.url}/v1/agents/${us.agent.agentId}`, { headers: us.merchant.headers });
    const kid = used.body.agent.credentials[0].kid as string;
    const cases: [string, Record<string, unknown>, Parts | undefined, string[]][] = [
      [
        'POST /v1/webhook-endpoints',
        { url: 'ftp://shop.example/', events: ['no.such'] },
        undefined,
        ['events.0', 'url'],
      ],
      [
        'PATCH /v1/webhook-endpoints/{id}',
        { url: 'ftp://shop.example/', version: 'x' },
        { path: { id: us.endpointId } },
        ['version', 'url'],
      ],
      [
        'POST /v1/agents/{id}/credentials',
        { kid, alg: 'RS256', public_key: 'x', not_before: '2030-01-01T00:00:00Z', expires_at: '2001-01-01T00:00:00Z' },
        { path: { id: us.agent.agentId } },
        ['alg', 'public_key', 'kid', 'expires_at', 'expires_at'],
      ],
      [
        'POST /v1/recipients/{id}/verify',
        {
          recipient_version_id: them.recipient.recipientVersionId,
          type: 'x',
          source_id: them.merchant.domainId,
          version: 0,
        },
        { path: { id: payee.id } },
        ['type', 'version', 'recipient_version_id', 'source_id'],
      ],
      [
        'POST /v1/recipients/{id}/versions/{versionId}/activate',
        { evidence_id: 'evd_unknown', evidence_digest: 5, version: 'x' },
        { path: { id: payee.id, versionId: payee.versionId } },
        ['evidence_digest', 'version', 'evidence_id'],
      ],
      [
        'POST /v1/recipients/{id}/versions/{versionId}/activate',
        { evidence_id: 'evd_unknown', evidence_digest: 'sha256:0', version: 99 },
        { path: { id: payee.id, versionId: payee.versionId } },
        ['version', 'evidence_id'],
      ],
      [
        'POST /v1/recipients/{id}/versions/{versionId}/activate',
        { evidence_id: 'evd_unknown', evidence_digest: 'sha256:0', version: 99 },
        { path: { id: us.recipient.recipientId, versionId: us.recipient.recipientVersionId } },
        ['version', 'evidence_id', 'evidence_digest'],
      ],
      [
        'POST /v1/recipients/{id}/verify',
        { recipient_version_id: 'rcv_none', type: 'domain_proof', source_id: them.merchant.domainId, version: 99 },
        { path: { id: payee.id } },
        ['version', 'recipient_version_id', 'source_id'],
      ],
      [
        'POST /v1/connect-invitations/claim',
        { connect_key: 5, requested_scopes: [SCOPES[0], 'no.such', 'Bad'] },
        undefined,
        ['connect_key', 'requested_scopes.2', 'requested_scopes.1'],
      ],
      [
        'POST /v1/connect-invitations/claim',
        { connect_key: 'svc_ck_unknown', requested_scopes: [SCOPES[0], 'no.such'] },
        undefined,
        ['requested_scopes.1', 'connect_key'],
      ],
      [
        'POST /v1/connect-invitations/claim',
        { connect_key: 'svc_ck_unknown', requested_scopes: [] },
        undefined,
        ['requested_scopes', 'connect_key'],
      ],
      [
        'POST /v1/automation-policies',
        {
          connection_id: them.connection.connectionId,
          network: 'stellar_testnet',
          asset: 'XLM',
          single_tx_limit: '-1',
          cumulative_limit: '0.00000001',
          valid_from: '2030-01-01T00:00:00Z',
          valid_until: '2029-01-01T00:00:00Z',
          allowlist: [us.recipient.recipientId, them.recipient.recipientId],
        },
        undefined,
        ['single_tx_limit', 'connection_id', 'valid_until', 'valid_until', 'cumulative_limit', 'allowlist.1'],
      ],
      [
        'PATCH /v1/automation-policies/{id}',
        { version: 0, allowlist: [them.recipient.recipientId], single_tx_limit: '0.00000001' },
        { path: { id: us.policyId } },
        ['version', 'single_tx_limit', 'allowlist.0'],
      ],
      [
        'POST /v1/automation-policies/{id}/opt-in',
        { version: 0, allowlist: [them.recipient.recipientId], single_tx_limit: '1000000' },
        { path: { id: us.policyId } },
        ['version', 'single_tx_limit', 'allowlist.0'],
      ],
    ];
    for (const [route, body, parts, fields] of cases) {
      expect([route, fieldsIn(await ask(route, body, parts))]).toEqual([route, fields]);
    }
  });
});
