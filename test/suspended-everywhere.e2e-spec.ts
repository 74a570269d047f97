import { changeAgent } from './support/agents';
import { type DnsResponder } from './support/dns-responder';
import { sizeFrom } from './support/figures';
import { type Instance, Instances } from './support/instances';
import { describeWithMongo } from './support/mongodb';
import { createPayment, type PaymentScene, refusal, setPaymentScene, startPaymentDns } from './support/payments';

const ROUNDS = sizeFrom('SUSPENDED_ROUNDS', 15);
const BESIDE = 4;

describeWithMongo('an agent that is suspended on one instance', (mongoUrl) => {
  let dns: DnsResponder;
  let instances: Instances;
  let here: Instance;
  let elsewhere: Instance;
  let scene: PaymentScene;

  beforeAll(async () => {
    const { dns: responder, env } = await startPaymentDns();
    dns = responder;
    instances = await Instances.open(mongoUrl, env);
    here = await instances.add();
    elsewhere = await instances.add();
    scene = await setPaymentScene(here, dns);
  }, 60_000);
  afterAll(async () => {
    await instances.close();
    await dns.close();
  });

  const change = (status: string) => changeAgent(here, scene.merchant, scene.agent.agentId, { status });
  const createElsewhere = () => Promise.all(Array.from({ length: BESIDE }, () => createPayment(elsewhere, scene)));

  it('is refused on the other one at once, whatever that one had cached', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      expect((await createElsewhere()).map(({ status }) => status)).toEqual(Array(BESIDE).fill(201));
      await change('suspended');
      const refused = (await createElsewhere()).map(refusal);
      expect(refused).toEqual(Array(BESIDE).fill([403, 'agent_not_active']));
      await change('active');
    }
  }, 120_000);
});
