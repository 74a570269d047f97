import { readFileSync } from 'node:fs';
import { SCOPES } from '../../sdk/src/index.ts';
import { mailNumber } from '../support/outbox';
import { describeInBrowser, leave, visit } from './support/browser';
import { type Horizon, startHorizon } from './support/horizon';
import { Keyboard } from './support/keyboard';
import { PASSPHRASE, stretchQuickly } from './support/person';
import { agentOf, type KeyFile, type PortalScene, startPortalScene } from './support/portal';

const ADDRESS = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';

describeInBrowser('without a mouse', (browser) => {
  let scene: PortalScene;
  let horizon: Horizon;
  beforeAll(async () => {
    horizon = await startHorizon();
    scene = await startPortalScene(undefined, { WALLET_HORIZON: horizon.url });
  });
  afterAll(async () => {
    await scene.stop();
    await horizon.close();
  });

  it('leads from the sign-in to a confirmed payment, in the portal and in the wallet', async () => {
    const { service, dns } = scene;
    const desk = await visit(browser(), [service.url]);
    const { page } = desk;
    const keys = new Keyboard(page);
    const heading = (name: string): Promise<void> => page.getByRole('heading', { name, level: 1 }).waitFor();
    const opened = async (name: string): Promise<void> => {
      await page.getByRole('dialog', { name }).waitFor();
      expect(await keys.isTrapped()).toBe(true);
    };

    await page.goto(`${service.url}/portal/`);
    await heading('Sign in');
    await keys.type('E-mail', 'no-mouse@shop.example');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Look into your mail' }).waitFor();
    await page.goto((await mailNumber(service, 'no-mouse@shop.example', 1)).link);
    await heading('Choose your organization');
    await keys.type('Name', 'No mouse');
    await page.keyboard.press('Enter');
    await heading('Home');

    // The first stop is the link that skips the navigation.
    await page.reload();
    await heading('Home');
    await page.keyboard.press('Tab');
    expect((await keys.focused()).name).toBe('Skip to the page');
    await page.keyboard.press('Enter');
    await keys.press('Prove a domain');
    await heading('Domains');
    await keys.press('Add domain');
    await opened('Add domain');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // The closed dialog returns the focus to the button that opened it.
    await keys.rests('Add domain');
    await page.keyboard.press('Enter');
    await opened('Add domain');
    await keys.type('Domain', 'no-mouse.example');
    await page.keyboard.press('Tab');
    // Switches between the two proof methods and back.
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await keys.press('Add domain');
    const record = page.getByText(/^svc-domain-verification=/).first();
    dns.set('_svc-challenge.no-mouse.example', { TXT: [(await record.textContent()) ?? ''] });
    await keys.press('Check now');
    await page.getByText('Verified', { exact: true }).first().waitFor();

    await keys.press('Payees');
    await heading('Payees');
    await keys.press('Add payee');
    await opened('Add payee');
    await keys.type('Name', 'Till');
    await keys.type('Network', 'Stellar t');
    await keys.type('Address', ADDRESS);
    await keys.press('Add payee');
    await heading('Till');
    await keys.press('Prove by domain');
    await keys.press(/^Activate/);
    await page.getByText('Active', { exact: true }).waitFor();
    const idOf = async (kind: RegExp): Promise<string> => (await page.getByText(kind).textContent()) ?? '';
    const payee = { recipient_id: await idOf(/^rcp_/), recipient_version_id: await idOf(/^rcv_/) };

    await keys.press('Agents');
    await heading('Agents');
    await keys.press('Create agent');
    await opened('Create agent');
    await keys.type('Name', 'Barista');
    await keys.type('Runtime', 'node');
    await keys.press('Create agent');
    await heading('Barista');
    const [download] = await Promise.all([page.waitForEvent('download'), keys.press('Make a key here')]);
    const agent = agentOf(JSON.parse(readFileSync(await download.path(), 'utf8')) as KeyFile);
    await keys.press('Activate agent');
    await page.getByText('Active', { exact: true }).first().waitFor();

    const home = await visit(browser(), [service.url, horizon.url], { serviceWorkers: 'block' });
    await stretchQuickly(home.page.context());
    const hands = new Keyboard(home.page);
    const shown = (name: string): Promise<void> => home.page.getByRole('heading', { name, level: 1 }).waitFor();
    await home.page.goto(`${service.url}/wallet/`);
    await shown('Set up this device');
    await hands.press('Make a new key');
    // The focus is on the missing field.
    await hands.rests('Device name');
    await hands.type('Device name', 'Desk');
    await hands.type('Passphrase', PASSPHRASE);
    await hands.type('Repeat passphrase', PASSPHRASE);
    await home.page.keyboard.press('Enter');
    await shown('Keep these words');
    await hands.press('I have kept it');
    await shown('Requests');
    await home.page.keyboard.press('Tab');
    expect((await hands.focused()).name).toBe('Skip to the page');
    await hands.press('Keys');
    await shown('Keys');
    const account = home.page.getByText(/^G[A-Z2-7]{55}$/).first();
    horizon.fund((await account.textContent()) ?? '');
    await hands.press('Connections');
    await shown('Connections');
    const started = await agent.startPairing(SCOPES);
    await hands.type('Pairing code or link', started.uri);
    await home.page.keyboard.press('Enter');
    await home.page.getByRole('dialog', { name: 'Barista wants to connect' }).waitFor();
    expect(await hands.isTrapped()).toBe(true);
    await hands.press('Approve connection');
    await home.page.getByRole('list', { name: 'Connections' }).getByRole('link', { name: 'Barista' }).waitFor();
    await agent.readPairing(started);

    const { payment_request } = await agent.createPaymentRequest({ ...payee, payment: { amount: '2.50' } });
    await hands.press(/^Requests/);
    await shown('Requests');
    await hands.press(/2\.50 XLM/);
    await home.page.getByRole('region', { name: 'Notices' }).waitFor();
    await hands.press('Approve and sign');
    await home.page.getByText('Till has the money.').waitFor();

    await keys.press('Payments');
    await heading('Payments');
    await keys.press(payment_request.request_id);
    await heading(payment_request.request_id);
    await page.getByText('Confirmed', { exact: true }).first().waitFor();
    await keys.to('Moment');
    await page.keyboard.press('Home');
    await page.getByText(/^As it was on /).waitFor();
    await keys.press('Back to now');
    await page.getByText(/^As it was on /).waitFor({ state: 'detached' });
    await keys.press('Check proof');
    await page.getByText('Holds', { exact: true }).waitFor();
    await keys.press('Sign out');
    await heading('Sign in');

    expect([...keys.lost, ...hands.lost]).toEqual([]);
    expect([...desk.complaints(), ...home.complaints()]).toEqual([]);
    await Promise.all([desk, home].map((one) => leave(one.page)));
  }, 180_000);
});
