import { type Page } from 'playwright-core';
import { type AgentClient, AgentPaymentsClient, newAgentKey, SCOPES } from '../../sdk/src/index.ts';
import { describeInBrowser } from './support/browser';
import { expectResponse } from './support/expect-response';
import { Person } from './support/person';
import { type PersonScene, startPersonScene } from './support/person-scene';
import { ask } from './support/wallet-scene';

const REFUSAL = { status: 400, json: { ok: false, error: { code: 'bad_luck', message: 'It did not work.' } } };
const ANY_ORIGIN = { 'access-control-allow-origin': '*' };
const DAY_MS = 24 * 3_600_000;

describeInBrowser('the wallet when something fails or changes meanwhile', (browser) => {
  let scene: PersonScene;
  let person: Person;
  let page: Page;
  let barista: AgentClient;

  beforeAll(async () => {
    scene = await startPersonScene(browser());
    ({ person } = scene);
    ({ page } = person);
    barista = await scene.newAgent('Barista agent');
    await person.setUp();
    scene.horizon.fund(await person.address());
    await person.connect(barista);
  }, 120_000);
  beforeEach(async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    // Nothing that an earlier test left on the page may be taken for what this one waits for.
    const leftovers = page.locator('[role="dialog"], [role="alertdialog"], [role="alert"]');
    if ((await leftovers.or(page.getByText('It did not work.')).count()) === 0) return;
    await page.reload();
    await person.unlock();
  });
  afterAll(() => scene.stop());

  /** Refuses calls to this URL, but only after the person has tried to close the waiting dialog. */
  async function refusing(place: string): Promise<() => Promise<void>> {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const asked = page.waitForRequest(place);
    await page.route(place, async (route) => {
      await held;
      await route.fulfill(REFUSAL);
    });
    return async () => {
      await asked;
      await page.keyboard.press('Escape');
      release();
      await page.getByText('It did not work.').waitFor();
      await page.unroute(place);
    };
  }

  const propose = async (): Promise<string> => {
    const { connection_id } = await ask(barista, scene.payee, '1');
    const { id } = await scene.merchant.policies.create({
      connection_id,
      network: 'stellar_testnet',
      asset: 'XLM',
      single_tx_limit: '5',
      cumulative_limit: '50',
      valid_from: new Date(Date.now() - DAY_MS).toISOString(),
      valid_until: new Date(Date.now() + DAY_MS).toISOString(),
      allowlist: [scene.payee.recipient_id],
    });
    return id;
  };

  it('shows a failed rejection even if the person tried to close the dialog meanwhile', async () => {
    await ask(barista, scene.payee, '1.25');
    await person.review('1.25');
    await person.button('Reject').click();
    const tryToClose = await refusing('**/v1/payment-requests/*/status');
    const dialog = page.getByRole('dialog', { name: 'Reject' });
    await dialog.getByRole('button', { name: 'Reject' }).click();
    await tryToClose();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('says why the service does not accept what was signed', async () => {
    const request = await ask(barista, scene.payee, '1.75');
    await person.review('1.75');
    await page.route('**/v1/payment-requests/*/status', (route) => route.fulfill(REFUSAL));
    await person.button('Approve and sign').click();
    await page.getByText('It did not work.').waitFor();
    await page.unroute('**/v1/payment-requests/*/status');
    // Once it can continue, the warning disappears.
    await page.reload();
    await person.unlock();
    expect((await barista.waitForPaymentRequest(request.request_id)).status).toBe('confirmed');
    await page.getByText('Corner Coffee has the money.').waitFor();
    expect(await page.getByText('It did not work.').count()).toBe(0);
  });

  it('signs nothing on notices that are out of date, and shows what is new', async () => {
    const request = await ask(barista, scene.payee, '1.85');
    await person.review('1.85');
    // No event of the device's feed, so the page does not hear of it.
    const { agents } = await scene.merchant.agents.list();
    const { agent_id = '' } = agents.find(({ name }) => name === 'Barista agent') ?? {};
    await scene.merchant.agents.addKey(agent_id, newAgentKey(), { kid: 'key-2' });
    await person.button('Approve and sign').click();
    const alert = page.getByRole('alert');
    await alert.getByText('The agent has had a new key for less than a day.').waitFor();
    await alert.getByText('Nothing was signed.').waitFor();
    expect((await barista.readPaymentRequest(request.request_id)).status).toBe('pending');
    await page.locator('[data-notice="agent_key_rotated"]').waitFor();
    await person.button('Approve and sign').click();
    expect((await barista.waitForPaymentRequest(request.request_id)).status).toBe('confirmed');
  });

  it('signs nothing while the service is out of reach', async () => {
    const request = await ask(barista, scene.payee, '1.95');
    await person.review('1.95');
    await page.context().setOffline(true);
    await person.button('Approve and sign').click();
    await page.getByRole('alert').getByText('Nothing was signed.').waitFor();
    await page.context().setOffline(false);
    expect((await barista.readPaymentRequest(request.request_id)).status).toBe('pending');
    await person.button('Approve and sign').click();
    expect((await barista.waitForPaymentRequest(request.request_id)).status).toBe('confirmed');
  });

  it('asks about a hash that the network does not have before it is reported for good', async () => {
    const request = await ask(barista, scene.payee, '2.15');
    const [right, mistyped] = ['ab'.repeat(32), 'ba'.repeat(32)];
    let isThere = false;
    await page.route(`${scene.horizon.url}/transactions/${right}`, (route) =>
      isThere
        ? route.fulfill({ json: { hash: right, ledger: 7, successful: true }, headers: ANY_ORIGIN })
        : route.fulfill({ status: 404, headers: ANY_ORIGIN }),
    );
    await person.review('2.15');
    await person.button('I have paid').click();
    for (const hash of [mistyped, right]) {
      await person.field('Transaction hash').fill(hash);
      await person.button('I have paid').click();
      await page.getByText('The network has no transaction with this hash yet.').waitFor();
      expect(await person.field('Transaction hash').inputValue()).toBe(hash);
      expect((await barista.readPaymentRequest(request.request_id)).status).toBe('pending');
      await person.field('Transaction hash').fill('');
    }
    // Perhaps it takes a while to get there: the person compared it, and insists.
    await person.field('Transaction hash').fill(right);
    await person.button('I have paid').click();
    await page.getByText('If the hash is wrong, tell Corner Coffee the right one').waitFor();
    isThere = true;
    const final = await barista.waitForPaymentRequest(request.request_id);
    expect(final).toMatchObject({ status: 'confirmed', transaction_hash: right });
  });

  it('keeps showing the agent that is being decided on while another one asks', async () => {
    const [till, stock] = [await scene.newAgent('Till agent'), await scene.newAgent('Stock agent')];
    await person.goTo('Connections');
    const keyFor = async (): Promise<string> => {
      await person.button('Show Connect Key').click();
      const key = (await page.getByText(/^svc_ck_/).textContent()) ?? '';
      await person.button('Hide').click();
      return key;
    };
    const [first, second] = [await keyFor(), await keyFor()];
    await till.claimConnectKey(first, SCOPES);
    const decision = page.getByRole('dialog', { name: 'Till agent wants to connect' });
    await decision.waitFor();
    const received = await expectResponse(page, /\/v1\/connect-invitations(\?|$)/, 'Stock agent');
    await stock.claimConnectKey(second, SCOPES);
    await received();
    expect(await page.getByRole('dialog').getByRole('heading', { level: 2 }).allTextContents()).toEqual([
      'Till agent wants to connect',
    ]);
    await page.getByRole('dialog').getByRole('button', { name: 'Reject', exact: true }).click();
    const tryToClose = await refusing('**/v1/connect-invitations/*/approve');
    const next = page.getByRole('dialog', { name: 'Stock agent wants to connect' });
    await next.getByRole('button', { name: 'Approve connection' }).click();
    await tryToClose();
    await next.getByRole('button', { name: 'Approve connection' }).click();
    await next.waitFor({ state: 'detached' });
  });

  it('creates a policy for the agent that was shown, even if another one has connected meanwhile', async () => {
    await person.goTo('Policies');
    await person.button('Make policy').click();
    const chosen = page.getByRole('dialog').getByLabel('Connection', { exact: true });
    const before = await chosen.inputValue();
    const received = await expectResponse(page, /\/v1\/connections(\?|$)/, 'Later agent');
    const window = new Person(await page.context().newPage(), scene.url);
    await window.open();
    await window.unlock();
    await window.connect(await scene.newAgent('Later agent'));
    await window.page.close();
    await received();
    expect(await chosen.inputValue()).toBe(before);
  });

  it('keeps showing an agent’s new token if the connection cannot be read afterwards', async () => {
    await person.goTo('Connections');
    await page.getByRole('list', { name: 'Connections' }).getByRole('link', { name: 'Barista agent' }).click();
    await person.button('Rotate token').click();
    const place = /\/v1\/connections\/con_[^/]*$/;
    await page.route(place, (route) => route.fulfill(REFUSAL));
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate token' }).click();
    await page.getByText('It did not work.').waitFor({ state: 'attached' });
    const token = await page.getByText(/^svc_ct_/).textContent();
    barista.useConnection(token ?? '');
    await page.unroute(place);
    await person.button('I have kept it').click();
  });

  it('shows a failed stop even if the person tried to close the dialog meanwhile', async () => {
    await propose();
    await person.goTo('Policies');
    await person.button('Allow').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Allow' }).click();
    await person.button('Stop').click();
    const tryToClose = await refusing('**/opt-out');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Stop', exact: true }).click();
    await tryToClose();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('Stopped', { exact: true }).waitFor();
  });

  it('reaches every pending request, every connection and every policy', async () => {
    const amounts = ['31', '32', '33'];
    await propose();
    await propose();
    const { connection_id } = await ask(barista, scene.payee, '30');
    for (const amount of amounts) await ask(barista, scene.payee, amount);
    const { secret } = await scene.merchant.apiKeys.create({ name: 'Checkout' });
    const payments = new AgentPaymentsClient({ baseUrl: scene.url, apiKey: secret });
    for (const amount of ['41', '42']) {
      const { recipient_id } = scene.payee;
      const asked = { network: 'stellar_testnet', recipient_id, amount, initiator: 'human', connection_id } as const;
      await payments.create({ ...asked, idempotency_key: amount });
    }
    await page.route(/[?&]limit=200\b/, (route) =>
      route.continue({ url: route.request().url().replace('limit=200', 'limit=1') }),
    );
    await page.reload();
    await person.unlock();
    await person.goTo('Requests');
    const requests = page.getByRole('list', { name: 'Requests' });
    for (const amount of [...amounts, '41', '42'])
      await requests.getByRole('link', { name: `${amount} XLM` }).waitFor();
    await person.goTo('Connections');
    const connections = page.getByRole('list', { name: 'Connections' });
    for (const name of ['Barista agent', 'Later agent']) await connections.getByRole('link', { name }).waitFor();
    await person.goTo('Policies');
    await page.getByRole('list', { name: 'Policies' }).getByText('Waits for you').nth(1).waitFor();
  });

  it('links to an agent payment with the same intent although the list of payments does not have it', async () => {
    const { connection_id } = await ask(barista, scene.payee, '51');
    const { secret } = await scene.merchant.apiKeys.create({ name: 'Till' });
    const payments = new AgentPaymentsClient({ baseUrl: scene.url, apiKey: secret });
    const { recipient_id } = scene.payee;
    const { id } = await payments.create({
      network: 'stellar_testnet',
      recipient_id,
      amount: '51',
      initiator: 'human',
      connection_id,
      idempotency_key: '51',
    });
    await person.review('51');
    if (!page.url().includes('/requests/')) await page.getByRole('link', { name: /^pr_/ }).click();
    await page.waitForURL((url) => url.hash.includes('/requests/'));
    await page.route(/\/v1\/agent-payments(\?|$)/, (route) => route.fulfill(REFUSAL));
    await page.reload();
    await person.unlock();
    await page.locator('[data-notice="same_intent_open"]').getByRole('link', { name: id }).click();
    await page.waitForURL((url) => url.hash.includes(id));
    await page.getByText('No policy of yours covers this payment').waitFor();
    expect(await person.heading('Not found').count()).toBe(0);
  });

  it('does not agree to a payee with another address than the one on the screen', async () => {
    const id = await propose();
    await person.goTo('Policies');
    await person.button('Allow').first().click();
    const dialog = page.getByRole('dialog', { name: 'Allow' });
    await dialog.waitFor();
    await scene.movePayee();
    await dialog.getByRole('button', { name: 'Allow' }).click();
    await dialog.getByText('A payee has changed since you looked.').waitFor();
    expect((await scene.merchant.policies.read(id)).status).toBe('awaiting_opt_in');
  });
});
