import { mustBe } from './support/connections';
import { type DnsResponder } from './support/dns-responder';
import { Instances, leads } from './support/instances';
import { describeWithMongo } from './support/mongodb';
import { createPayment, type PaymentScene, setPaymentScene, startPaymentDns } from './support/payments';

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
    expect([await leads(first), await leads(second)]).toEqual([true, false]);
    mustBe(201, await createPayment(second, scene));
    expect(await instances.twoLead()).toBe(false);
  });
});
