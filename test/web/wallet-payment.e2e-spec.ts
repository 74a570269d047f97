import { type Page } from 'playwright-core';
import { type AgentClient, type PaymentRequest } from '../../sdk/src/index.ts';
import { describeInBrowser, watched } from './support/browser';
import { type Mishap } from './support/horizon';
import { flaws } from './support/looks';
import { Person } from './support/person';
import { type ConnectedScene, startConnectedScene } from './support/person-scene';
import { ask } from './support/wallet-scene';

describeInBrowser('a payment in the wallet', (browser) => {
  let scene: ConnectedScene;
  let person: Person;
  let page: Page;
  let agent: AgentClient;

  beforeAll(async () => {
    scene = await startConnectedScene(browser());
    ({ person, agent } = scene);
    ({ page } = person);
  }, 120_000);
  afterAll(() => scene.stop());

  const statuses = async ({ request_id }: PaymentRequest): Promise<readonly string[]> =>
    (await agent.pollEvents({ since: 0 })).events
      .filter((event) => event.request_id === request_id)
      .map(({ status }) => status);
  /** What the page says about one thing. */
  const fact = async (name: string): Promise<string | null> => page.locator(`dt:text-is("${name}") + dd`).textContent();
  const copied = async (button: string): Promise<string> => {
    await page.evaluate('navigator.clipboard.writeText = async (text) => void (globalThis.copied = text)');
    await person.button(button).click();
    return page.evaluate<string>('globalThis.copied');
  };
  const hashes = (): ReadonlySet<string> => new Set(scene.horizon.received.map(({ hash }) => hash));

  it('appears without a reload, is approved, signed here and followed into a ledger', async () => {
    await person.goTo('Requests');
    const context = { title: 'Two flat whites', summary: 'Table 4', items: [{ label: 'Flat white', value: '2' }] };
    const { transaction_id } = await agent.describeTransaction(context);
    const request = await ask(agent, scene.payee, '12.50', { transaction_id });
    const listed = page.getByRole('list', { name: 'Requests' }).getByRole('link', { name: '12.50 XLM' });
    await listed.getByText('corner-coffee.example · Barista agent').waitFor();
    await listed.getByText(/^1[45]:\d\d$/).waitFor();
    await person.review('12.50');
    await page.getByRole('region', { name: 'In the agent’s words' }).getByText('Two flat whites').waitFor();
    expect(await page.getByText(scene.payee.address, { exact: true }).count()).toBe(1);
    for (const shown of ['corner-coffee.example', 'Stellar testnet', 'Order 17']) {
      await page.getByText(shown, { exact: false }).first().waitFor();
    }
    await page.getByRole('region', { name: 'Notices' }).waitFor();
    expect(await fact('Asked for by')).toBe('Barista agent for Corner Coffee');
    expect(await fact('You have paid it')).toBe('never');
    expect(await copied('Copy address')).toBe(scene.payee.address);
    expect(await page.title()).toBe('Pay 12.50 XLM – Wallet');
    expect(await flaws(page)).toEqual([]);

    await person.button('Approve and sign').click();
    const final = await agent.waitForPaymentRequest(request.request_id);
    expect(final).toMatchObject({ status: 'confirmed', ledger: 1001 });
    expect(await statuses(request)).toEqual(['pending', 'signed', 'broadcasted', 'confirmed']);
    const [{ hash, transaction } = { hash: '', transaction: undefined }] = scene.horizon.received;
    expect([hash, scene.horizon.applied.size]).toEqual([final.transaction_hash, 1]);
    expect(transaction?.operations).toMatchObject([
      { type: 'payment', destination: scene.payee.address, amount: '12.5000000', asset: { code: 'XLM' } },
    ]);
    expect(transaction?.memo.value?.toString()).toBe('Order 17');
    await page.getByText('Corner Coffee has the money.').waitFor();
    expect([await fact('Transaction hash'), await fact('Ledger')]).toEqual([`${hash}Copy`, '1001']);
    expect(await flaws(page)).toEqual([]);
  });

  it.each<[Mishap, string, string | undefined, string]>([
    ['lost_answer', 'confirmed', undefined, 'once, last'],
    ['tx_insufficient_fee', 'confirmed', undefined, '2 times, last'],
    ['op_underfunded', 'failed', 'tx_failed: op_underfunded', '3 times, last'],
  ])('meets %s at the network and ends %s', async (mishap, status, reason, before) => {
    const sent = hashes().size;
    scene.horizon.next(mishap);
    // Each its own: the same amount paid again within a day needs a second step.
    const amount = `1.${mishap.length}`;
    const request = await ask(agent, scene.payee, amount);
    await person.review(amount, request.request_id);
    await page.getByText(before).waitFor();
    await person.button('Approve and sign').click();
    const final = await agent.waitForPaymentRequest(request.request_id);
    expect([final.status, final.reason]).toEqual([status, reason]);
    expect(hashes().size).toBe(sent + 1);
    if (reason === undefined) return;
    await page.getByText(`The account does not hold enough (${reason})`).waitFor();
    await page.getByText('No money has moved').waitFor();
  });

  it('that was requested twice links to the other request', async () => {
    const [one, other] = [await ask(agent, scene.payee, '7'), await ask(agent, scene.payee, '7')];
    await person.review('7');
    const [here, there] = page.url().includes(one.request_id) ? [one, other] : [other, one];
    await page.locator('[data-notice="same_intent_open"]').getByRole('link', { name: there.request_id }).click();
    await page.waitForURL((url) => url.hash.includes(there.request_id));
    await page.locator('[data-notice="same_intent_open"]').getByRole('link', { name: here.request_id }).waitFor();
    expect(await flaws(page)).toEqual([]);
  });

  it('shows the whole address of the account that pays, and is paid by that account', async () => {
    await person.goTo('Keys');
    await person.button('Add account').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add account' }).click();
    const addresses = page.getByRole('list', { name: 'Accounts' }).getByText(/^G[A-Z2-7]{55}$/);
    await addresses.nth(1).waitFor();
    const [first = '', second = ''] = await addresses.allTextContents();
    await person.review('7');
    await page.getByText(first, { exact: true }).waitFor();
    const payFrom = page.getByRole('combobox', { name: 'Pay from' });
    await payFrom.selectOption('Account 2');
    await page.getByText(second, { exact: true }).waitFor();
    expect(await page.getByText(first, { exact: true }).count()).toBe(0);
    await page.getByText('The account is not funded').waitFor();
    expect(await flaws(page)).toEqual([]);
    scene.horizon.fund(second);
    const before = hashes().size;
    await person.button('Approve and sign').click();
    await page.getByText('Corner Coffee has the money.').waitFor();
    expect([hashes().size, scene.horizon.received.at(-1)?.transaction.source]).toEqual([before + 1, second]);
    // The one that pays unless another is chosen.
    await person.goTo('Keys');
    await person.button('Pay from this account').click();
    await page.getByRole('listitem').filter({ hasText: 'Account 2' }).getByText('Pays', { exact: true }).waitFor();
    await person.review('7');
    expect(await payFrom.locator('option:checked').textContent()).toBe('Account 2');
    await page.getByText(second, { exact: true }).waitFor();
  });

  it('that the account cannot cover is warned about before it is signed', async () => {
    await ask(agent, scene.payee, '10000.0000001');
    await person.review('10000.0000001');
    await page.getByText('Not enough in the account').waitFor();
    await page.getByText('The account holds 10000.0000000 XLM.').waitFor();
    expect(await flaws(page)).toEqual([]);
  });

  it('is refused with a reason', async () => {
    const request = await ask(agent, scene.payee, '2');
    await person.review('2');
    await person.button('Reject').click();
    await person.field('Reason').fill('I did not order this');
    await page.getByRole('dialog').getByRole('button', { name: 'Reject', exact: true }).click();
    const final = await agent.waitForPaymentRequest(request.request_id);
    expect(final).toMatchObject({ status: 'rejected', reason: 'I did not order this' });
    await page.getByText('You said no. Nothing is paid.').waitFor();
  });

  it('continues with the same transaction after the tab was closed between signing and reporting', async () => {
    const request = await ask(agent, scene.payee, '3');
    await person.review('3');
    const told = page.waitForRequest((one) => one.url().endsWith('/status'));
    // The report never arrives, because the tab is closed first.
    await page.route('**/status', () => undefined);
    await person.button('Approve and sign').click();
    await told;
    const before = hashes().size;
    expect(await statuses(request)).toEqual(['pending']);
    await page.close();

    page = await scene.visitor.page.context().newPage();
    await watched(page, [scene.url, scene.horizon.url]);
    person = new Person(page, scene.url);
    await person.open();
    expect(await page.getByRole('navigation').count()).toBe(0);
    await person.unlock();
    const final = await agent.waitForPaymentRequest(request.request_id);
    expect(final.status).toBe('confirmed');
    expect(hashes().size).toBe(before + 1);
  });

  it('is one transaction even if it was approved in two windows at once', async () => {
    const request = await ask(agent, scene.payee, '4');
    const other = new Person(await page.context().newPage(), scene.url);
    await other.open();
    await other.unlock();
    await Promise.all([person.review('4'), other.review('4')]);
    const before = hashes().size;
    // Dispatched as events: before a real click arrives, one window may already know about the other's.
    const approve = (one: Person): Promise<void> => one.button('Approve and sign').dispatchEvent('click');
    await Promise.all([approve(person), approve(other)]);
    expect((await agent.waitForPaymentRequest(request.request_id)).status).toBe('confirmed');
    await Promise.all([person, other].map((one) => one.page.getByText('has the money').waitFor()));
    expect(hashes().size).toBe(before + 1);
    await other.page.close();
  });

  it('is not signed while the network is unreachable; it says so, and continues when it is back', async () => {
    const request = await ask(agent, scene.payee, '5');
    await person.review('5');
    scene.horizon.down(true);
    await person.button('Approve and sign').click();
    // Without the account’s sequence number nothing can be signed: the wallet says so, and nothing has happened.
    const alert = page.getByRole('alert');
    await alert.getByText('The network’s server did not answer. Nothing was signed or sent.').waitFor();
    await alert.getByText('then try again').waitFor();
    expect(await statuses(request)).toEqual(['pending']);
    scene.horizon.down(false);
    await person.button('Approve and sign').click();
    expect((await agent.waitForPaymentRequest(request.request_id)).status).toBe('confirmed');
  });

  it('to a payee whose address changed since last time needs a second, deliberate step', async () => {
    const moved = await scene.movePayee();
    const request = await ask(agent, moved, '6');
    await person.review('6');
    const notices = page.getByRole('region', { name: 'Notices' });
    await notices.locator('[data-notice="payee_changed_since_last_payment"][data-severity="danger"]').waitFor();
    expect(await notices.locator('[data-severity]').first().getAttribute('data-severity')).toBe('danger');
    expect(await flaws(page)).toEqual([]);
    const danger = (await notices.locator('[data-severity="danger"] div div').first().textContent()) ?? '';
    await person.button('Approve and sign').click();
    const anyway = page.getByRole('dialog').getByRole('button', { name: 'Sign anyway' });
    expect(await anyway.isDisabled()).toBe(true);
    // The danger again, alone and in full, and the address to compare.
    const dialog = page.getByRole('dialog');
    expect(danger).toMatch(/^\w/);
    expect(await dialog.textContent()).toContain(danger.replace(/ \(.*/, ''));
    expect(await dialog.getByText('Danger', { exact: true }).count()).toBe(1);
    await dialog.getByText(moved.address, { exact: true }).waitFor();
    expect(await flaws(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await anyway.waitFor({ state: 'detached' });
    expect(await statuses(request)).toEqual(['pending']);
    await person.button('Approve and sign').click();
    await page.getByRole('checkbox', { name: 'I have checked the address with the payee' }).check();
    await anyway.click();
    expect((await agent.waitForPaymentRequest(request.request_id)).status).toBe('confirmed');
    expect(scene.horizon.received.at(-1)?.transaction.operations).toMatchObject([{ destination: moved.address }]);
  });

  it('says “Not found” for unknown ids', async () => {
    for (const place of ['requests/pr_nothing', 'agent-payments/ap_nothing', 'connections/con_nothing', 'nowhere']) {
      await page.evaluate(`location.hash = '#/${place}'`);
      await person.heading('Not found').waitFor();
      expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
      await page.getByRole('link', { name: 'Back to Requests' }).click();
      await person.heading('Requests').waitFor();
    }
  });

  it('broke no content policy, threw nothing, and called no other server', () => {
    expect(scene.visitor.complaints()).toEqual([]);
  });
});
