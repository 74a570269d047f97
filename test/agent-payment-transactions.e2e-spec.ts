import {
  type AgentPaymentScene,
  createIntent,
  issuesOf,
  reportIntent,
  setAgentPaymentScene,
} from './support/agent-payments';
import { connectAgent, mustBe } from './support/connections';
import { registerDevice } from './support/devices';
import { call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { useScene } from './support/use-service';

type Headers = Readonly<Record<string, string>>;
type Listed = Readonly<{ agent_payments: readonly Readonly<{ id: string }>[]; next_cursor: string | null }>;

const HASH = 'aB'.repeat(32);

describeOnEachPair('agent payments of one transaction', (start) => {
  let now = Date.parse('2030-01-01T00:00:00.000Z');
  const { service, dns, scene } = useScene({ start, clock: { now: () => new Date(now) }, set: setAgentPaymentScene });

  let another: AgentPaymentScene;
  let stranger: AgentPaymentScene;
  /** Newest first; the last but one belongs to another wallet. */
  let reported: string[];
  let theirs: string;

  const pay = async (by: AgentPaymentScene, transaction_hash: string, last = 'broadcasted'): Promise<string> => {
    now += 1_000;
    const id = mustBe(201, await createIntent(service, by)).body.data.id as string;
    mustBe(200, await reportIntent(service, by, id, { status: 'signed' }));
    mustBe(200, await reportIntent(service, by, id, { status: 'broadcasted', transaction_hash }));
    if (last === 'confirmed') mustBe(200, await reportIntent(service, by, id, { status: last, transaction_hash }));
    return id;
  };

  beforeAll(async () => {
    const device = await registerDevice(service);
    another = { ...scene, device, connection: await connectAgent(service, scene.agent, device) };
    stranger = await setAgentPaymentScene(service, dns, { clock: { now: () => new Date(now) } });
    reported = [await pay(scene, HASH)];
    await pay(scene, `${HASH}0`);
    await createIntent(service, scene);
    theirs = await pay(stranger, HASH);
    reported.unshift(await pay(another, HASH));
    reported.unshift(await pay(scene, HASH, 'confirmed'));
  });

  const ask = (query: Readonly<Record<string, string>>, headers: Headers) =>
    call(`${service.url}/v1/agent-payments?${new URLSearchParams(query).toString()}`, { headers });

  /** Every id, page by page. */
  const found = async (
    query: Readonly<Record<string, string>>,
    { headers }: Readonly<{ headers: Headers }> = scene,
  ): Promise<string[]> => {
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const answer = mustBe(200, await ask({ limit: '1', ...query, ...(cursor && { cursor }) }, headers));
      const { agent_payments, next_cursor } = answer.body.data as Listed;
      expect(agent_payments.length).toBeLessThanOrEqual(Number(query['limit'] ?? 1));
      ids.push(...agent_payments.map(({ id }) => id));
      cursor = next_cursor;
    }
    return ids;
  };

  it('are found by its hash, newest first, in pages', async () => {
    for (const limit of ['1', '2', '50']) expect(await found({ transaction_hash: HASH, limit })).toEqual(reported);
    expect(await found({ transaction_hash: HASH }, scene.merchant)).toEqual(reported);
  });

  it('are found by exactly this hash only', async () => {
    for (const transaction_hash of [HASH.slice(1), HASH.toLowerCase(), `${HASH}00`, 'null'])
      expect(await found({ transaction_hash })).toEqual([]);
  });

  it('can be narrowed by status and by connection', async () => {
    const [confirmed = '', ofAnother = '', oldest = ''] = reported;
    const { connectionId: connection_id } = scene.connection;
    expect(await found({ transaction_hash: HASH, status: 'confirmed' })).toEqual([confirmed]);
    expect(await found({ transaction_hash: HASH, status: 'broadcasted' })).toEqual([ofAnother, oldest]);
    expect(await found({ transaction_hash: HASH, connection_id })).toEqual([confirmed, oldest]);
    expect(await found({ transaction_hash: HASH, connection_id, status: 'broadcasted' })).toEqual([oldest]);
  });

  it('are shown only to their own merchant and their own wallet', async () => {
    const [confirmed = '', ofAnother = '', oldest = ''] = reported;
    expect(await found({ transaction_hash: HASH }, scene.device)).toEqual([confirmed, oldest]);
    expect(await found({ transaction_hash: HASH }, another.device)).toEqual([ofAnother]);
    for (const caller of [stranger, stranger.merchant, stranger.device])
      expect(await found({ transaction_hash: HASH }, caller)).toEqual([theirs]);
    // Another merchant's connection id does not find them either, nor returns a cursor that would reveal them.
    const { connectionId: connection_id } = scene.connection;
    const foreign = await ask({ transaction_hash: HASH, connection_id }, stranger.headers);
    expect(foreign.body.data).toEqual({ agent_payments: [], next_cursor: null });
    expect((await ask({ transaction_hash: HASH }, {})).status).toBe(401);
  });

  it('cannot be searched by something that no wallet can report', async () => {
    for (const [transaction_hash, code] of [
      ['a b', 'malformed'],
      ['é', 'malformed'],
      ['', 'too_short'],
      ['x'.repeat(201), 'too_long'],
    ] as const) {
      const refused = await ask({ transaction_hash }, scene.headers);
      expect([refused.status, issuesOf(refused)]).toEqual([400, [[code, 'transaction_hash']]]);
    }
    const twice = await call(`${service.url}/v1/agent-payments?transaction_hash=a&transaction_hash=b`, scene);
    expect(twice.status).toBe(400);
  });
});
