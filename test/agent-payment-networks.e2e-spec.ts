import { issuesOf, policyInput, setAgentPaymentScene } from './support/agent-payments';
import { type Answer, call } from './support/http';
import { signUpPendingMerchant } from './support/merchant';
import { refusal } from './support/payments';
import { useScene } from './support/use-service';

const MAINNET = [409, 'phase_0_mainnet_disabled'];
const BY_HEADER = { 'x-svc-network': 'base_mainnet' };
const BY_QUERY = '?network=base_mainnet';

/** A main network is reported before any other problem of a call, but after a missing or invalid credential. */
describe('a network named on the agent-payment surface', () => {
  const { service, scene } = useScene({ set: setAgentPaymentScene });

  const at = (path: string): string => `${service.url}/v1/${path}`;

  const bodies: [string, string, string | Uint8Array][] = [
    ['that is not JSON', 'application/json', '{bad'],
    ['that is not UTF-8', 'application/json', new Uint8Array([0x7b, 0xff, 0x7d])],
    ['of another type', 'text/plain', 'hello'],
    ['with a forbidden key', 'application/json', '{"__proto__":1}'],
    ['that is too large', 'application/json', `"${'x'.repeat(70_000)}"`],
  ];
  it.each(bodies)('is reported before a body %s', async (_, type, raw) => {
    const typed = { 'content-type': type };
    const ask = (path: string, headers: object): Promise<Answer> =>
      call(at(path), { headers: { ...typed, ...headers }, raw });
    const { headers } = scene;
    expect(refusal(await ask(`agent-payments${BY_QUERY}`, headers))).toEqual(MAINNET);
    expect(refusal(await ask('agent-payments', { ...headers, ...BY_HEADER }))).toEqual(MAINNET);
    expect(refusal(await ask(`automation-policies${BY_QUERY}`, scene.merchant.headers))).toEqual(MAINNET);
    expect(refusal(await ask(`agent-payments${BY_QUERY}`, {}))).toEqual([401, 'unauthenticated']);
    expect(refusal(await ask(`agent-payments${BY_QUERY}`, { 'x-svc-api-key': 'x' }))).toEqual([401, 'invalid_token']);
    // With a test network the body is still refused.
    const status = (await ask('agent-payments?network=stellar_testnet', headers)).status;
    expect([400, 413, 415]).toContain(status);
  });

  it('is reported before a claimed identity', async () => {
    const headers = { ...scene.headers, 'x-merchant-id': 'm' };
    expect(refusal(await call(at(`agent-payments${BY_QUERY}`), { headers }))).toEqual(MAINNET);
    expect(refusal(await call(at('agent-payments'), { headers }))).toEqual([400, 'validation_failed']);
  });

  it('is ignored outside this surface', async () => {
    const elsewhere = await call(at(`wallet-devices${BY_QUERY}`), { raw: '{bad', headers: BY_HEADER });
    expect(refusal(elsewhere)).toEqual([400, 'invalid_json']);
  });

  it('is reported before a merchant that is not active yet', async () => {
    const { headers } = await signUpPendingMerchant(service);
    const body = { network: 'base_mainnet' };
    const asked = [
      call(at('automation-policies'), { headers, body }),
      call(at('automation-policies/pol_x'), { method: 'PATCH', headers, body }),
      call(at('automation-policies/pol_x'), { method: 'DELETE', headers: { ...headers, ...BY_HEADER } }),
      call(at(`automation-policies${BY_QUERY}`), { headers }),
      call(at(`agent-payments/ap_x${BY_QUERY}`), { headers }),
    ];
    for (const answer of await Promise.all(asked)) expect(refusal(answer)).toEqual(MAINNET);
    const pending = [403, 'merchant_not_active'];
    expect(refusal(await call(at('automation-policies'), { headers, body: policyInput(scene) }))).toEqual(pending);
    expect(refusal(await call(at('automation-policies'), { headers }))).toEqual(pending);
    const unproven = { cookie: headers.cookie };
    expect(refusal(await call(at('automation-policies'), { headers: unproven, body }))).toEqual([403, 'csrf_failed']);
  });

  it('is found anywhere in the query', async () => {
    const { headers } = scene;
    expect(refusal(await call(at('agent-payments?x=?&network=base_mainnet'), { headers }))).toEqual(MAINNET);
  });

  it('is refused with its field name if it is unknown, in query and header alike', async () => {
    const { headers } = scene;
    const asked: [string[], Promise<Answer>][] = [
      [['network'], call(at('automation-policies?network=nope'), { headers })],
      [['network'], call(at('agent-payments?network='), { headers })],
      [['network'], call(at('agent-payments/ap_x?network=stellar_testnet&network=nope'), { headers })],
      [['x-svc-network'], call(at('automation-policies'), { headers: { ...headers, 'x-svc-network': 'nope' } })],
    ];
    for (const [fields, answer] of asked) {
      expect(refusal(await answer)).toEqual([400, 'validation_failed']);
      expect(issuesOf(await answer)).toEqual(fields.map((field) => ['not_allowed', field]));
    }
    const both = { ...headers, 'x-svc-network': 'nope' };
    expect(issuesOf(await call(at('automation-policies?network=nope&network=no'), { headers: both }))).toEqual([
      ['repeated', 'network'],
      ['not_allowed', 'x-svc-network'],
      ['not_allowed', 'network'],
    ]);
    expect((await call(at('automation-policies?network=stellar_testnet'), { headers })).status).toBe(200);
  });

  it('is listed together with the other problems if it is unknown, wherever those are', async () => {
    const { headers } = scene;
    const named = { ...headers, 'x-svc-network': 'nope' };
    const opening = { ...scene.merchant.headers, 'x-svc-network': 'nope' };
    const body = policyInput(scene, { single_tx_limit: '-1', valid_from: undefined });
    const payment = { network: 'stellar_testnet', amount: '0' };
    const asked: [string[], Promise<Answer>][] = [
      // Read by the route.
      [['x-svc-network', 'amount', 'recipient_id'], call(at('agent-payments'), { headers: named, body: payment })],
      [['network', 'amount', 'recipient_id'], call(at('agent-payments?network=nope'), { headers, body: payment })],
      [['x-svc-network', 'single_tx_limit', 'valid_from'], call(at('automation-policies'), { headers: opening, body })],
      // Read by the pipe.
      [
        ['x-svc-network', 'status'],
        call(at('agent-payments/ap_x/status'), {
          headers: { ...scene.device.headers, 'x-svc-network': 'nope' },
          body: { status: 'paid' },
        }),
      ],
      [['x-svc-network', 'limit'], call(at('automation-policies?limit=x'), { headers: named })],
      [['network', 'limit', 'status'], call(at('agent-payments?network=nope&limit=x&status=paid'), { headers })],
      // Read by nobody.
      [['network', 'merchant_id'], call(at('agent-payments/ap_x?network=nope&merchant_id=m'), { headers })],
    ];
    for (const [fields, answer] of asked) {
      expect(refusal(await answer)).toEqual([400, 'validation_failed']);
      expect(issuesOf(await answer).map(([, field]) => field)).toEqual(expect.arrayContaining(fields));
    }
  });
});
