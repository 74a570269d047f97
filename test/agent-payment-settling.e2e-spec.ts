import { checkProof } from '../src/audit/proofs';
import {
  type AgentPaymentScene,
  createIntent,
  readIntent,
  reportIntent,
  setAgentPaymentScene,
} from './support/agent-payments';
import { eventually } from './support/eventually';
import { paymentTo, startHorizon } from './support/horizon';
import { type Answer, call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { startPaymentDns } from './support/payments';

const PAYEE = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';

describeOnEachPair('settling questions of an agent payment', (start) => {
  it('has a timeline, a proof and settlement checks, for its merchant only', async () => {
    const { dns, env } = await startPaymentDns();
    const horizon = await startHorizon();
    const witness = { ALLOW_PRIVATE_NETWORKS: 'true', SETTLEMENT_WITNESS: `stellar_testnet=${horizon.url}` };
    const service = await start({ env: { ...env, ...witness } });
    const [ours, theirs] = [await setAgentPaymentScene(service, dns), await setAgentPaymentScene(service, dns)];
    const { id, amount } = (await createIntent(service, ours)).body.data as { id: string; amount: string };
    const read = (name: string, { headers }: AgentPaymentScene = ours): Promise<Answer> =>
      call(`${service.url}/v1/agent-payments/${id}/${name}`, { headers });
    const check = ({ headers }: AgentPaymentScene = ours): Promise<Answer> =>
      call(`${service.url}/v1/agent-payments/${id}/settlement-checks`, { method: 'POST', headers });
    const refused = ({ status, body }: Answer) => [status, body.error?.code];

    expect(refused(await check())).toEqual([409, 'transaction_not_reported']);
    const hash = 'd'.repeat(64);
    await reportIntent(service, ours, id, { status: 'signed', transaction_hash: hash });
    await reportIntent(service, ours, id, { status: 'broadcasted', transaction_hash: hash });
    horizon.close(hash, { operations: [paymentTo(PAYEE, amount)] });
    const checked = await check();
    expect([checked.status, checked.body.data]).toEqual([202, { settlement: null }]);
    await eventually(
      async () => (await readIntent(service, ours, id)).body.data.settlement,
      (seen) => seen?.verdict === 'matches',
      'the verdict',
    );
    for (let more = 1; more < 5; more += 1) expect((await check()).status).toBe(202);
    expect(refused(await check())).toEqual([429, 'rate_limited']);

    const { timeline } = (await read('timeline')).body.data as { timeline: Record<string, any>[] };
    expect(timeline.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['agent_payment.created', 'agent_payment.settlement_observed']),
    );
    expect(timeline.map(({ status }) => status).filter(Boolean)).toEqual(['intent_created', 'signed', 'broadcasted']);
    const seen = timeline.find(({ type }) => type === 'agent_payment.settlement_observed')?.['data'];
    expect(seen).toMatchObject({ settlement: { verdict: 'matches', announced: true }, contested: false });
    expect(JSON.stringify(timeline)).not.toContain('envelope');

    const { proof } = (await read('proof')).body.data as { proof: Parameters<typeof checkProof>[0] };
    expect(checkProof(proof)).toMatchObject({ ok: true, problems: [] });
    const forged = structuredClone(proof) as any;
    forged.events = forged.events.filter(({ event }: any) => event.type !== 'AgentPaymentSigned');
    expect(checkProof(forged).ok).toBe(false);
    for (const name of ['timeline', 'proof']) {
      expect(refused(await read(name, theirs))).toEqual([404, 'resource_not_found']);
    }
    expect(refused(await check(theirs))).toEqual([404, 'resource_not_found']);
    await service.stopAndForget();
    await horizon.stop();
    await dns.close();
  }, 60_000);
});
