import { type Page } from 'playwright-core';
import { type AgentClient } from '../../sdk/src/index.ts';
import { type Horizon, paymentTo, startHorizon } from '../support/horizon';
import { describeInBrowser, leave, NARROW, type Visit } from './support/browser';
import { flaws } from './support/looks';
import { type Person } from './support/person';
import { type PersonScene, startPersonScene } from './support/person-scene';
import { openPage, visitAs } from './support/portal';
import { ask } from './support/wallet-scene';

const ELSEWHERE = 'GBZXN7PIRZGNMHGA7MUUUF4GWPY5AYPV6LY4UV2GL6VJGIQRXFDNMADI';
type Report = Readonly<{ status: string; transaction_hash: string; ledger: number }>;
const MEMO = { memo_type: 'text', memo: 'Order 17' };

describeInBrowser('what the network says, next to what the wallet says', (browser) => {
  let witness: Horizon;
  let scene: PersonScene;
  let person: Person;
  let agent: AgentClient;
  let operator: Visit;
  let portal: Page;

  beforeAll(async () => {
    witness = await startHorizon();
    const env = { ALLOW_PRIVATE_NETWORKS: 'true', SETTLEMENT_WITNESS: `stellar_testnet=${witness.url}` };
    scene = await startPersonScene(browser(), { env });
    ({ person } = scene);
    agent = await scene.newAgent();
    await person.setUp();
    scene.horizon.fund(await person.address());
    await person.connect(agent);
    operator = await visitAs(browser(), scene.service, scene);
    portal = operator.page;
  }, 120_000);
  afterAll(async () => {
    await leave(portal);
    await scene.stop();
    await witness.stop();
  });

  /**
   * Approves in the wallet's window; the witness knows the hash before anybody looks it up. A lying wallet
   * reports another transaction.
   */
  async function pay(
    amount: string,
    hear: (hash: string, ledger: number) => void,
    another: Partial<Report> = {},
  ): Promise<string> {
    const { request_id: id } = await ask(agent, scene.payee, amount);
    await person.review(amount, id);
    const told = new Promise<void>((done) => {
      void person.page.route('**/status', async (route) => {
        const report = route.request().postDataJSON() as Report;
        if (report.status === 'confirmed') hear(report.transaction_hash, report.ledger);
        await route.continue({ postData: report.status === 'signed' ? report : { ...report, ...another } });
        if (report.status === 'confirmed') done();
      });
    });
    await person.button('Approve and sign').click();
    if (another.transaction_hash !== undefined) {
      // The same payee and amount once more.
      const dialog = person.page.getByRole('dialog');
      await dialog.getByText('I have checked the address with the payee').click();
      await dialog.getByRole('button', { name: 'Sign anyway' }).click();
    }
    await told;
    await person.page.unroute('**/status');
    return id;
  }

  const seal = (id: string, word: string): Promise<void> =>
    portal
      .getByRole('table', { name: 'Payments' })
      .getByRole('row')
      .filter({ hasText: id })
      .getByText(word, { exact: true })
      .waitFor();
  const compared = (page: Page, fact: string) =>
    page.getByRole('table', { name: 'What was compared' }).getByRole('row').filter({ hasText: fact });

  it('matches: a seal in the lists, and every compared fact', async () => {
    await openPage(portal, scene.service, '/payments', 'Payments');
    const id = await pay('12.5', (hash, ledger) =>
      witness.close(hash, { ledger, memo: MEMO, operations: [paymentTo(scene.payee.address, '12.5000000')] }),
    );
    await seal(id, 'Matches');
    await portal.getByRole('link', { name: id }).click();
    await portal.getByRole('heading', { name: 'Settlement', level: 2 }).waitFor();
    await portal.getByText('You can ship.').waitFor();
    for (const fact of ['Success', 'Ledger', 'Destination', 'Asset', 'Amount', 'Memo'])
      await compared(portal, fact).getByText('The same').waitFor();
    expect(await flaws(portal)).toEqual([]);
    await person.page.getByRole('region', { name: 'Settlement' }).getByText('Matches', { exact: true }).waitFor();
    await person.page.getByText('Corner Coffee has the money.').waitFor();
    expect(await compared(person.page, 'Amount').getByText('The same').count()).toBe(1);
    expect(await flaws(person.page)).toEqual([]);
  });

  it('differs: a clear warning, with what was found next to what was requested', async () => {
    const id = await pay('3', (hash, ledger) =>
      witness.close(hash, { ledger, memo: MEMO, operations: [paymentTo(ELSEWHERE, '2.5000000')] }),
    );
    await openPage(portal, scene.service, `/payments/${id}`, id);
    await portal.getByText('Do not ship.').waitFor();
    await compared(portal, 'Destination').getByRole('img', { name: ELSEWHERE }).waitFor();
    await compared(portal, 'Amount').getByText('2.5', { exact: true }).waitFor();
    await compared(portal, 'Memo').getByText('The same').waitFor();
    // The page as it was before the lookup.
    await portal.getByRole('slider', { name: 'Moment' }).fill('0');
    await portal.getByRole('region', { name: 'Facts' }).getByText('Pending', { exact: true }).waitFor();
    await portal.getByRole('heading', { name: 'Settlement', level: 2 }).waitFor({ state: 'detached' });
    const timeline = portal.getByRole('list', { name: 'Timeline' }).getByRole('listitem').locator('strong');
    expect(await timeline.allTextContents()).toEqual(['Created']);
    await portal.getByRole('slider', { name: 'Moment' }).press('End');
    await portal.getByText('Do not ship.').waitFor();
    expect(await flaws(portal)).toEqual([]);
    await person.page.getByText('Paid, but not what was asked for').waitFor();
    expect(await person.page.getByText('has the money').count()).toBe(0);
    expect(await flaws(person.page)).toEqual([]);
    await openPage(portal, scene.service, '/payments', 'Payments');
    await seal(id, 'Differs');
  });

  it('is not found yet, and becomes whatever a second lookup finds', async () => {
    let hash = '';
    const id = await pay('4', (told) => (hash = told));
    await openPage(portal, scene.service, `/payments/${id}`, id);
    await portal.getByRole('region', { name: 'Settlement' }).getByText('Not found yet').waitFor();
    await portal.getByText('Do not ship yet.').waitFor();
    expect(await portal.getByRole('table', { name: 'What was compared' }).count()).toBe(0);
    await person.page.getByRole('region', { name: 'Settlement' }).getByText('Not found yet').waitFor();
    await person.page.getByText('The service has looked, and not found it yet.').waitFor();
    expect(await person.page.getByText('has the money').count()).toBe(0);
    witness.close(hash, { memo: MEMO, operations: [paymentTo(scene.payee.address, '4.0000000')], ledger: 9 });
    await portal.getByRole('button', { name: 'Look again' }).click();
    // Not the ledger that the wallet reported.
    await compared(portal, 'Ledger').getByText('9', { exact: true }).waitFor();
  });

  it('is not shaken by a wallet that names the same transaction again, which settles nothing there', async () => {
    let paid: Partial<Report> = {};
    const first = await pay('6', (hash, ledger) => {
      paid = { transaction_hash: hash, ledger };
      witness.close(hash, { ledger, memo: MEMO, operations: [paymentTo(scene.payee.address, '6.0000000')] });
    });
    await openPage(portal, scene.service, `/payments/${first}`, first);
    await portal.getByText('You can ship.').waitFor();
    const second = await pay('6', () => undefined, paid);
    await portal.getByText('A wallet reported this transaction for other payments too:').waitFor();
    await portal.getByText('You can ship.').waitFor();
    expect(await flaws(portal)).toEqual([]);
    await portal.getByRole('region', { name: 'Settlement' }).getByRole('link', { name: second }).click();
    await portal.getByRole('heading', { name: second, level: 1 }).waitFor();
    await portal.getByText('Do not ship.').waitFor();
    await portal.getByText('Settles already').waitFor();
    await portal.getByRole('region', { name: 'Settlement' }).getByRole('link', { name: first }).first().waitFor();
  });

  it('is pending while the witness is unreachable, which affects nothing else', async () => {
    const id = await pay('5', (hash) => witness.misbehave(hash, (request) => void request.socket.destroy()));
    await openPage(portal, scene.service, '/payments', 'Payments');
    await seal(id, 'Witness away');
    await portal.setViewportSize(NARROW);
    expect(await flaws(portal)).toEqual([]);
    await person.goTo('Requests');
    const list = person.page.getByRole('list', { name: 'Requests' });
    for (const word of ['Matches', 'Differs', 'Witness away'])
      await list.getByText(word, { exact: true }).first().waitFor();
    expect(await flaws(person.page)).toEqual([]);
    expect([...operator.complaints(), ...scene.visitor.complaints()]).toEqual([]);
  });
});
