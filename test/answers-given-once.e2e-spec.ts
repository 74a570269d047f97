import { connections } from '../projections/connections.projection';
import { merchants } from '../projections/merchants.projection';
import { pairingSessions } from '../projections/pairing-sessions.projection';
import { StoreUnavailable } from '../src/platform/event-store/event-store.port';
import { pause } from '../src/kernel/pause';
import { READ_MODEL_STORE, type ReadModelStore } from '../src/platform/read-model/read-model.port';
import { SCOPES } from './support/agents';
import { bearing, claimInvitation, decide, issueConnectKey, mustBe, startPairing } from './support/connections';
import { type Answer, call } from './support/http';
import { linkTokenFor } from './support/merchant';
import { useScene } from './support/use-service';

/** Longer than a caller waits until reads show what it wrote. */
const AWAY_MS = 6_000;

/** Their tokens cannot be fetched again: an answer that is lost costs the person a new approval or a new mail. */
describe('answers that are given once', () => {
  const { service, scene } = useScene({ env: { LOG_LEVEL: 'silent' } });
  afterEach(() => jest.restoreAllMocks());

  const at = (path: string): string => `${service.url}/v1/${path}`;
  const asAgent = async () => bearing(await scene.agent.token());

  /** Ways to ask for something that is handed out once, each prepared up to that question. */
  const ways = {
    'an exchange': async () => {
      const { invitationId, claimToken } = await claimInvitation(service, scene.agent, scene.device);
      mustBe(200, await decide(service, scene.device, invitationId, 'approve'));
      const headers = bearing(claimToken);
      return () => call(at(`connect-invitations/${invitationId}/exchange`), { headers, body: {} });
    },
    'a pairing': async () => {
      const { sessionId, code } = await startPairing(service, scene.agent);
      const { headers: wallet } = scene.device;
      mustBe(200, await call(at(`pairing/sessions/${sessionId}/approve`), { headers: wallet, body: { code } }));
      const headers = await asAgent();
      return () => call(at(`pairing/sessions/${sessionId}?code=${code}`), { headers });
    },
    'a claim': async () => {
      const body = { connect_key: await issueConnectKey(service, scene.device), requested_scopes: SCOPES };
      const headers = await asAgent();
      return () => call(at('connect-invitations/claim'), { headers, body });
    },
    'an e-mail link': async () => {
      const body = { token: await linkTokenFor(service, 'someone@shop.example') };
      return () => call(at('merchant-accounts/email-verifications'), { body });
    },
  };
  const tokenIn = ({ body }: Answer): unknown =>
    body['connection_token'] ?? body['claim_token'] ?? body['session_grant'];

  it('survive reads that lag for longer than callers wait', async () => {
    const asking = await Promise.all(Object.values(ways).map((prepared) => prepared()));
    const store = service.app.get<ReadModelStore>(READ_MODEL_STORE);
    const apply = store.apply.bind(store);
    let away = true;
    jest
      .spyOn(store, 'apply')
      .mockImplementation((...batch) => (away ? Promise.reject(new StoreUnavailable('unknown')) : apply(...batch)));
    const first = Promise.all(asking.map((ask) => ask()));
    await pause(AWAY_MS);
    away = false;
    const given: unknown[] = [];
    for (const [index, answer] of (await first).entries()) {
      // One that was refused for now is asked for again.
      const last = answer.status === 503 ? await asking[index]?.() : answer;
      given.push([Object.keys(ways)[index], last && typeof tokenIn(last)]);
    }
    expect(given).toEqual(Object.keys(ways).map((name) => [name, 'string']));
  });

  it.each([
    ['an exchange', 'get', connections],
    ['a pairing', 'get', pairingSessions],
    ['an e-mail link', 'find', merchants],
  ] as const)('survive a read that fails: %s', async (name, method, collection) => {
    const ask = await ways[name]();
    const model = service.app.get<ReadModelStore>(READ_MODEL_STORE);
    const real = (model[method] as (...args: unknown[]) => Promise<unknown>).bind(model);
    let failed = false;
    jest.spyOn(model, method).mockImplementation(((...args: unknown[]) => {
      if (failed || args[0] !== collection) return real(...args);
      failed = true;
      return Promise.reject(new StoreUnavailable('unknown'));
    }) as never);
    const [first, second] = [await ask(), await ask()];
    expect([failed, first.status, second.status, typeof tokenIn(second)]).toEqual([true, 503, 200, 'string']);
  });
});
