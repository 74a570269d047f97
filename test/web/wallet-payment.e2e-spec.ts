import { type AgentClient } from '../../sdk/src/index.ts';
import { describeInBrowser, NARROW, visit, type Visit } from './support/browser';
import { Person } from './support/person';
import { ask, startWalletScene, type WalletScene } from './support/wallet-scene';

describeInBrowser('a payment in the wallet', (browser) => {
  let scene: WalletScene;
  let visitor: Visit;
  let person: Person;
  let agent: AgentClient;
  let address: string;

  beforeAll(async () => {
    scene = await startWalletScene();
    visitor = await visit(browser(), [scene.url, scene.horizon.url], { viewport: NARROW });
    person = new Person(visitor.page, scene.url);
    agent = await scene.newAgent();
    await person.setUp();
    address = await person.address();
    scene.horizon.fund(address);
    await person.connect(agent);
  }, 120_000);
  afterAll(async () => {
    expect(visitor.complaints()).toEqual([]);
    await visitor.page.context().close();
    await scene.stop();
  });

  it('arrives by itself, is approved, signed here and followed into a ledger', async () => {
    await person.goTo('Requests');
    const { transaction_id } = await agent.describeTransaction({ title: 'Two flat whites', summary: 'Table 4' });
    const request = await ask(agent, scene.payee, '12.50', { transaction_id });
    await visitor.page.getByRole('list', { name: 'Requests' }).getByRole('link', { name: 'Corner Coffee' }).click();
    await visitor.page.getByText('Two flat whites').waitFor();
    await person.button('Approve and sign').click();
    const final = await agent.waitForPaymentRequest(request.request_id);
    expect(final).toMatchObject({ status: 'confirmed', ledger: 1001 });
    expect([...scene.horizon.applied.keys()]).toEqual([final.transaction_hash]);
    await visitor.page.getByText('Corner Coffee has the money.').waitFor();
  });
});
