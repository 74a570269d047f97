import { subjectOf } from '../src/platform/secrets/bound-tokens';
import { figure } from './support/figures';
import { call } from './support/http';
import { type Column, columnsOf, ownColumn } from './walls/credentials';
import { effectsOf, likeNothing, outcomeOf, bytesOf, rows, send, tryRow } from './walls/matrix';
import { seededRandom } from './support/seeded';
import { type Parts, type Row, walls } from './walls/row';
import { compareTimes } from './walls/timing';
import { buildWorld, type World } from './walls/world';

type Operation = Readonly<{
  security?: readonly Record<string, unknown>[];
  parameters?: readonly Readonly<{ in: string; name: string }>[];
  requestBody?: any;
}>;

/** Fields that identify the caller, not a record. */
const CREDENTIALS = ['device_id'];

describe('the walls between tenants', () => {
  let world: World;
  let columns: readonly Column[];
  let operations: ReadonlyMap<string, Operation>;

  beforeAll(async () => {
    world = await buildWorld();
    columns = await columnsOf(world);
    const { body } = await call(`${world.service.url}/openapi.json`);
    operations = new Map(
      Object.entries(body.paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
      ),
    );
  });
  afterAll(() => world.stop());

  const rowOf = (route: string): Row => rows[route] as Row;
  const partsOf = async (row: Row): Promise<Parts> => (await row.parts?.(world)) ?? {};

  const ownOf = (row: Row): Column => ownColumn(columns, row) as Column;

  it('have a row for every route of the document, and for no other', () => {
    expect(Object.keys(rows).sort()).toEqual([...operations.keys()].sort());
  });

  it('accept the credentials that the document names', () => {
    const drawn = [...operations].map(([route, { security = [] }]) => [route, security.flatMap((s) => Object.keys(s))]);
    const built = [...operations.keys()].map((route) => [route, [...walls[rowOf(route).wall].schemes]]);
    expect(drawn).toEqual(built);
  });

  it('answer every kind of credential on every route with exactly its code, and refusals change nothing', async () => {
    const problems: string[] = [];
    const refused = new Map<string, string>();
    let cells = 0;
    for (const route of operations.keys()) {
      const report = await tryRow(world, route, rowOf(route), columns);
      problems.push(...report.problems);
      report.refused.forEach((cell, requestId) => refused.set(requestId, cell));
      cells += report.cells;
    }
    problems.push(...(await effectsOf(world, refused)));
    figure({ promise: 'cells of the matrix', tried: cells, lost: problems.length, doubled: 0 });
    expect(problems).toEqual([]);
    expect(cells).toBe(operations.size * columns.length);
    // Bounds only a hang: a busy machine takes minutes.
  }, 1_800_000);

  it('answer every wrong credential in a body with exactly its code', async () => {
    const found: unknown[] = [];
    const expected: unknown[] = [];
    for (const route of operations.keys()) {
      const row = rowOf(route);
      for (const { name, body, outcome } of (await row.wrongBodies?.(world)) ?? []) {
        const headers = row.wall === 'open' ? {} : ownOf(row).headers;
        found.push([route, name, outcomeOf(await send(world, route, { headers, parts: { body } }))]);
        expected.push([route, name, outcome]);
      }
    }
    expect(found).toEqual(expected);
  });

  it('answer alike for another tenant’s id and an unknown one, for each id in a path', async () => {
    for (const route of operations.keys()) {
      const row = rowOf(route);
      const parts = await partsOf(row);
      for (const name of Object.keys(parts.path ?? {})) {
        const about = (id: string) =>
          send(world, route, { ...ownOf(row), parts: { ...parts, path: { ...parts.path, [name]: id } } });
        const theirs = theirPathId(route, name);
        const [one, other] = [await about(theirs), await about(likeNothing(theirs))];
        expect([route, name, outcomeOf(one)]).toEqual([route, name, 'resource_not_found']);
        expect([route, name, bytesOf(one)]).toEqual([route, name, bytesOf(other)]);
      }
    }
  });

  it('answer alike for another tenant’s id and an unknown one, for each id in a body or query', async () => {
    const wrong: unknown[] = [];
    for (const [route, operation] of operations) {
      const row = rowOf(route);
      const ids = idsIn(operation);
      expect([route, Object.keys(row.references ?? {}).sort()]).toEqual([route, namesOf(ids)]);
      for (const [place, name] of ids) {
        const reference = row.references?.[name];
        if (reference === undefined || reference === 'free') continue;
        const about = async (id: string) => {
          const parts = await partsOf(row);
          const value = reference.list ? [id] : id;
          return send(world, route, {
            ...ownOf(row),
            parts: { ...parts, [place]: { ...parts[place], ...reference.along, [name]: value } },
          });
        };
        const theirs = reference.theirs(world.them);
        const [one, other] = [await about(theirs), await about(likeNothing(theirs))];
        if (outcomeOf(one) !== reference.outcome) wrong.push([route, place, name, outcomeOf(one)]);
        if (bytesOf(one) !== bytesOf(other)) wrong.push([route, place, name, bytesOf(one), bytesOf(other)]);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('keep a stranger from telling another tenant’s id from an unknown one, and a known address from an unknown one', async () => {
    const comparisons = await compareTimes(world, seededRandom(), 2);
    expect(comparisons.length).toBeGreaterThan(30);
    expect(comparisons.filter(({ sameBytes }) => !sameBytes)).toEqual([]);
  });

  /** The other tenant's id of the kind that the path takes. */
  function theirPathId(route: string, name: string): string {
    const { them } = world;
    if (name === 'versionId') return them.recipient.recipientVersionId;
    if (name === 'credentialId') return them.agent.credentialId;
    if (name === 'transactionId') return them.transactionId;
    const kinds: Readonly<Record<string, string>> = {
      'wallet-devices': them.device.deviceId,
      'merchant-domains': them.merchant.domainId,
      'merchant-sessions': subjectOf('session', 'ses', them.sessionToken) ?? '',
      recipients: them.recipient.recipientId,
      agents: them.agent.agentId,
      'api-keys': them.apiKeyId,
      'webhook-endpoints': them.endpointId,
      'webhook-deliveries': them.deliveryId,
      'connect-invitations': them.claimed.invitationId,
      pairing: them.pairing.sessionId,
      connections: them.connection.connectionId,
      'payment-requests': them.requestId,
      'automation-policies': them.policyId,
      'agent-payments': them.agentPaymentId,
      networks: 'req_none',
    };
    return kinds[route.split('/')[2] ?? ''] ?? '';
  }
});

type Place = 'body' | 'query';

/** Fields that hold ids, recognized by their names. One that is in both body and query is listed twice. */
function idsIn({ parameters = [], requestBody }: Operation): (readonly [Place, string])[] {
  const inBody = Object.keys(requestBody?.content?.['application/json']?.schema?.properties ?? {});
  const inQuery = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  return [...inBody.map((name) => ['body', name] as const), ...inQuery.map((name) => ['query', name] as const)].filter(
    ([, name]) => /(_id|_ids|^allowlist)$/.test(name) && !CREDENTIALS.includes(name),
  );
}

const namesOf = (ids: readonly (readonly [Place, string])[]): string[] =>
  [...new Set(ids.map(([, name]) => name))].sort();
