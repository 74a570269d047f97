import { type Page } from 'playwright-core';
import { type AgentClient, SCOPES } from '../../sdk/src/index.ts';
import { describeInBrowser } from './support/browser';
import { Person } from './support/person';
import { type PersonScene, startPersonScene } from './support/person-scene';
import { ask } from './support/wallet-scene';

describeInBrowser('a wallet when things go wrong or change meanwhile', (browser) => {
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
    await page.reload();
    await person.unlock();
  });
  afterAll(() => scene.stop());

  /** Holds the calls to this place back until they are let go, and then refuses them. */
  async function heldBack(place: string): Promise<() => Promise<void>> {
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await page.route(place, async (route) => {
      await held;
      await route.fulfill({
        status: 400,
        json: { ok: false, error: { code: 'bad_luck', message: 'It did not work.' } },
      });
    });
    return async () => {
      letGo();
      await page.getByText('It did not work.').waitFor();
      await page.unroute(place);
    };
  }

  const painted = (): Promise<unknown> =>
    page.evaluate('new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))');

  it('shows the failure of a rejection also to somebody who wanted to close the dialog meanwhile', async () => {
    await ask(barista, scene.payee, '1.25');
    await person.review('1.25');
    await person.button('Reject').click();
    const refuse = await heldBack('**/v1/payment-requests/*/status');
    const dialog = page.getByRole('dialog', { name: 'Reject' });
    await dialog.getByRole('button', { name: 'Reject' }).click();
    await page.keyboard.press('Escape');
    await refuse();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('says why the service does not take what was signed', async () => {
    const request = await ask(barista, scene.payee, '1.75');
    await person.review('1.75');
    await page.route('**/v1/payment-requests/*/status', (route) =>
      route.fulfill({ status: 400, json: { ok: false, error: { code: 'bad_luck', message: 'It did not work.' } } }),
    );
    await person.button('Approve and sign').click();
    await page.getByText('It did not work.').waitFor();
    await page.unroute('**/v1/payment-requests/*/status');
    // Once it can go on, there is no trouble any more.
    await page.reload();
    await person.unlock();
    expect((await barista.waitForPaymentRequest(request.request_id)).status).toBe('confirmed');
    await page.getByText('Corner Coffee has the money.').waitFor();
    expect(await page.getByText('It did not work.').count()).toBe(0);
  });

  it('goes on showing the agent that is being decided on while another one asks', async () => {
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
    const heard = page.waitForResponse(
      async (answer) =>
        answer.url().includes('/v1/connect-invitations') && (await answer.text()).includes('Stock agent'),
    );
    await stock.claimConnectKey(second, SCOPES);
    await heard;
    await painted();
    expect(await page.getByRole('dialog').getByRole('heading', { level: 2 }).allTextContents()).toEqual([
      'Till agent wants to connect',
    ]);
    await page.getByRole('dialog').getByRole('button', { name: 'Reject', exact: true }).click();
    const refuse = await heldBack('**/v1/connect-invitations/*/approve');
    const next = page.getByRole('dialog', { name: 'Stock agent wants to connect' });
    await next.getByRole('button', { name: 'Approve connection' }).click();
    await page.keyboard.press('Escape');
    await refuse();
    await next.getByRole('button', { name: 'Approve connection' }).click();
    await next.waitFor({ state: 'detached' });
  });

  it('makes a policy for the agent that was shown, though another one has connected meanwhile', async () => {
    await person.goTo('Policies');
    await person.button('Make policy').click();
    const chosen = page.getByRole('dialog').getByLabel('Connection', { exact: true });
    const before = await chosen.inputValue();
    const heard = page.waitForResponse(
      async (answer) => answer.url().includes('/v1/connections') && (await answer.text()).includes('Later agent'),
    );
    const window = new Person(await page.context().newPage(), scene.url);
    await window.open();
    await window.unlock();
    await window.connect(await scene.newAgent('Later agent'));
    await window.page.close();
    await heard;
    await painted();
    expect(await chosen.inputValue()).toBe(before);
  });

  it('keeps the new token of an agent on the screen when the connection cannot be read after it', async () => {
    await person.goTo('Connections');
    await page.getByRole('list', { name: 'Connections' }).getByRole('link', { name: 'Barista agent' }).click();
    await person.button('Rotate token').click();
    const place = /\/v1\/connections\/con_[^/]*$/;
    await page.route(place, (route) =>
      route.fulfill({ status: 400, json: { ok: false, error: { code: 'bad_luck', message: 'It did not work.' } } }),
    );
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate token' }).click();
    await page.getByText('It did not work.').waitFor({ state: 'attached' });
    const token = await page.getByText(/^svc_ct_/).textContent();
    barista.useConnection(token ?? '');
    await page.unroute(place);
    await person.button('I have kept it').click();
  });
});
