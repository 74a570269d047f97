import { changeAgent } from './support/agents';
import { mustBe } from './support/connections';
import { type DnsResponder } from './support/dns-responder';
import { sizeFrom } from './support/figures';
import { type Instance, Instances, leads } from './support/instances';
import { describeWithMongo } from './support/mongodb';
import { createPayment, type PaymentScene, refusal, setPaymentScene, startPaymentDns } from './support/payments';

const ROUNDS = sizeFrom('SUSPENDED_ROUNDS', 5);
const BESIDE = 4;

describeWithMongo('the only instance on EventStoreDB and MongoDB', (mongoUrl) => {
  let dns: DnsResponder;
  let instances: Instances;
  let scene: PaymentScene;
  beforeAll(async () => {
    const { dns: responder, env } = await startPaymentDns();
    dns = responder;
    instances = await Instances.open(mongoUrl, env);
    scene = await setPaymentScene(await instances.add(), dns);
  }, 60_000);
  afterAll(async () => {
    await instances.close();
    await dns.close();
  });

  it('leads again as soon as it is ready after kill -9, so that a create succeeds at once', async () => {
    const before = await instances.leader();
    await instances.stop(before, 'SIGKILL');
    const after = await instances.add();
    expect(await leads(after)).toBe(true);
    mustBe(201, await createPayment(after, scene));
  });

  it('is not displaced by a second one on the same folder', async () => {
    const first = await instances.leader();
    const second = await instances.add();
    // One that stood still for a moment leads again with its next renewal.
    expect((await instances.leader()).url).toBe(first.url);
    expect(await leads(second)).toBe(false);
    mustBe(201, await createPayment(second, scene));
    expect(await instances.twoLead()).toBe(false);
  });

  it('has an agent that it suspends refused on a second one at once, whatever that one had cached', async () => {
    const [here, elsewhere] = instances.awake as readonly [Instance, Instance];
    const change = (status: string) => changeAgent(here, scene.merchant, scene.agent.agentId, { status });
    const createElsewhere = () => Promise.all(Array.from({ length: BESIDE }, () => createPayment(elsewhere, scene)));
    for (let round = 0; round < ROUNDS; round += 1) {
      expect((await createElsewhere()).map(({ status }) => status)).toEqual(Array(BESIDE).fill(201));
      await change('suspended');
      const refused = (await createElsewhere()).map(refusal);
      expect(refused).toEqual(Array(BESIDE).fill([403, 'agent_not_active']));
      await change('active');
    }
  }, 120_000);
});
