import { readFileSync } from 'node:fs';
import { type Browser, type Page } from 'playwright-core';
import { type AgentClient, SCOPES } from '../../sdk/src/index.ts';
import { describeOnEachPair, type Start } from '../support/pairs';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';
import { describeInBrowser, findingsOn, fitsWidth, leave, NARROW, visit, WIDE } from './support/browser';
import { FilmedPaper } from './support/camera';
import { type Horizon, startHorizon } from './support/horizon';
import { Person, stretchQuickly } from './support/person';
import { agentOf, type KeyFile, linkByPage, type PortalScene, startPortalScene } from './support/portal';

const ADDRESS = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';

/** Follows a page's link, waits for its heading, and checks it with axe. */
async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { name, level: 1, exact: true }).waitFor();
}

const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();

async function fill(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(fields))
    await page.getByRole('textbox', { name, exact: true }).fill(value);
}

/** The agent shows a code; the person scans it with their phone's camera and decides. */
async function pairByCamera(agent: AgentClient, person: Person, paper: FilmedPaper): Promise<void> {
  const started = await agent.startPairing(SCOPES);
  paper.show(started.uri);
  await person.goTo('Connections');
  await person.button('Scan').click();
  await person.page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await person.field('Pairing code or link').inputValue()).toBe(started.uri);
  await person.button('Continue').click();
  await person.button('Approve connection').click();
  await person.page.getByRole('list', { name: 'Connections' }).getByRole('link', { name: 'Barista' }).waitFor();
  expect(await agent.readPairing(started)).toMatchObject({ connection: { status: 'active' } });
}

const paper = new FilmedPaper();

const story = (browser: () => Browser): void => {
  describeOnEachPair('from the mailed link to a confirmed payment', (start: Start) => {
    let scene: PortalScene;
    let receiver: WebhookReceiver;
    let horizon: Horizon;
    beforeAll(async () => {
      [receiver, horizon] = await Promise.all([startWebhookReceiver(), startHorizon()]);
      scene = await startPortalScene(start, { WALLET_HORIZON: horizon.url });
    });
    afterAll(async () => {
      await receiver.close();
      await scene.stop();
      await horizon.close();
    });

    it('needs only the pages: the operator’s window, the person’s window, and an agent between them', async () => {
      const { service, dns } = scene;
      const { page, complaints } = await visit(browser(), [service.url]);

      await page.goto(`${service.url}/portal/`);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      const link = await linkByPage(page, service, 'ann@shop.example');
      await page.goto(link);
      await page.getByRole('heading', { name: 'Choose your organization' }).waitFor();
      expect(page.url()).toBe(`${service.url}/portal/#/verify`);
      await fill(page, { Name: 'Ann’s shop' });
      await press(page, 'Create organization');
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      await page.getByText('Set up: 0 of 6 done').waitFor();
      expect(await page.title()).toBe('Home – Merchant portal');

      await page.getByRole('link', { name: 'Prove a domain' }).click();
      await press(page, 'Add domain');
      await fill(page, { Domain: 'shop.example' });
      await page.getByRole('radio', { name: 'DNS record' }).check();
      await press(page, 'Add domain');
      await press(page, 'Check now');
      await page.getByText('Not found yet').waitFor();
      await page.getByText('No such record', { exact: true }).waitFor();
      const value =
        (await page
          .getByText(/^svc-domain-verification=/)
          .first()
          .textContent()) ?? '';
      dns.set('_svc-challenge.shop.example', { TXT: [value] });
      await press(page, 'Check now');
      await page.getByText('Verified', { exact: true }).first().waitFor();

      await goTo(page, 'Payees');
      await press(page, 'Add payee');
      await fill(page, { Name: 'Till', Address: `${ADDRESS.slice(0, -1)}A` });
      await page.getByRole('combobox', { name: 'Network' }).selectOption('Stellar testnet');
      // The address is reported as invalid while it is being typed.
      await page.getByText(/checksum/i).waitFor();
      await fill(page, { Address: ADDRESS, Memo: 'invoice 7' });
      await press(page, 'Add payee');
      await page.getByRole('heading', { name: 'Till', level: 1 }).waitFor();
      await press(page, 'Prove by domain');
      await press(page, 'Activate');
      await page.getByText('Active', { exact: true }).waitFor();

      const idOf = async (kind: RegExp): Promise<string> => (await page.getByText(kind).textContent()) ?? '';
      const payee = { recipient_id: await idOf(/^rcp_/), recipient_version_id: await idOf(/^rcv_/) };

      await goTo(page, 'Agents');
      await press(page, 'Create agent');
      await fill(page, { Name: 'Barista', Runtime: 'node' });
      expect(await page.getByRole('checkbox', { name: 'payment.requests.create' }).isChecked()).toBe(true);
      await press(page, 'Create agent');
      await page.getByRole('heading', { name: 'Barista', level: 1 }).waitFor();
      const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Make a key here')]);
      const file = JSON.parse(readFileSync(await download.path(), 'utf8')) as KeyFile;
      expect(Object.keys(file)).toEqual(['url', 'agent_id', 'key_id', 'private_key']);
      await press(page, 'Activate agent');
      await page.getByText('Active', { exact: true }).first().waitFor();
      const kept = await page.evaluate<string>(
        'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.body.innerHTML])',
      );
      expect(kept).not.toContain(file.private_key);

      await goTo(page, 'Webhooks');
      await press(page, 'Add endpoint');
      await fill(page, { URL: receiver.url });
      await press(page, 'Add endpoint');
      const secret = page.getByRole('dialog').getByText(/^whsec_/);
      await secret.waitFor();
      await press(page, 'I have kept it');
      await press(page, 'Verify');
      await page.getByText('Active', { exact: true }).waitFor();
      expect(await page.getByText(/whsec_/).count()).toBe(0);

      await goTo(page, 'Payments');
      await page.getByText('No payment yet').waitFor();
      const phone = await visit(browser(), [service.url, horizon.url], { viewport: NARROW, permissions: ['camera'] });
      await stretchQuickly(phone.page.context());
      const person = new Person(phone.page, service.url);
      await person.setUp();
      horizon.fund(await person.address());
      const agent = agentOf(file);
      await pairByCamera(agent, person, paper);
      const told = { title: 'Two flat whites', items: [{ label: 'Table', value: '4' }] };
      const { transaction_id } = await agent.describeTransaction(told);
      const { payment_request } = await agent.createPaymentRequest({
        ...payee,
        payment: { amount: '12.50' },
        transaction_id,
      });
      const { request_id: id } = payment_request;
      // The payment and its status changes appear without a reload.
      const row = page.getByRole('table', { name: 'Payments' }).getByRole('row').filter({ hasText: id });
      await row.getByText('Pending').waitFor();
      for (const shown of ['12.50 XLM on Stellar testnet', 'Till', 'Barista'])
        await row.getByRole('cell', { name: shown, exact: true }).waitFor();
      expect(await page.getByRole('columnheader', { name: 'Settlement' }).count()).toBe(0);
      await person.review('12.50');
      const network = await heldBack(phone.page, `${horizon.url}/transactions`);
      await person.button('Approve and sign').click();
      await row.getByText('Signed').waitFor();
      await row.getByRole('link', { name: id }).click();
      await page.getByRole('heading', { name: id, level: 1 }).waitFor();
      network.goOn();
      await page.getByText('Confirmed', { exact: true }).first().waitFor();
      const confirmedOn = new Date().toDateString();
      await phone.page.getByText('Till has the money.').waitFor();
      await receiver.until(() => receiver.received.some(({ type }) => type === 'payment_request.confirmed'));
      expect(horizon.received.map(({ transaction }) => transaction.operations)).toMatchObject([
        [{ destination: ADDRESS, amount: '12.5000000' }],
      ]);

      const facts = page.getByRole('region', { name: 'Facts' });
      const [paid] = horizon.received;
      for (const shown of [ADDRESS, 'invoice 7', 'Stellar testnet', paid?.hash ?? '', 'Till (shop.example)'])
        await facts.getByText(shown, { exact: true }).waitFor();

      // No witness is configured, so no check is offered.
      const settlement = page.getByRole('region', { name: 'Settlement' });
      await settlement.getByText('This service does not look for itself').waitFor();
      expect(await page.getByRole('button', { name: 'Look again' }).count()).toBe(0);
      for (const heading of ['Facts', 'Timeline', 'Webhooks'])
        await page.getByRole('heading', { name: heading, level: 2 }).waitFor();
      const words = page.getByRole('region', { name: 'Context, in the agent’s words' });
      await words.getByText('Two flat whites').waitFor();
      await words.getByText('Written by Barista; nobody has checked it.').waitFor();
      await page.getByRole('cell', { name: 'payment_request.confirmed' }).waitFor();
      await page.getByRole('slider', { name: 'Moment' }).fill('0');
      await page.getByRole('region', { name: 'Facts' }).getByText('Pending', { exact: true }).waitFor();
      const expires = page.getByRole('region', { name: 'Facts' }).getByText(/^Expire[sd]$/);
      await expires.waitFor();
      // The whole page shows that moment, and says so.
      await page.getByText(/^As it was on /).waitFor();
      expect(await page.getByText('Confirmed', { exact: true }).count()).toBe(0);
      await words.getByText('Two flat whites').waitFor();
      expect(await findingsOn(page)).toEqual([]);
      await press(page, 'Back to now');
      await page.getByText('Confirmed', { exact: true }).first().waitFor();
      expect(await page.getByText(/^As it was on /).count()).toBe(0);
      await page.getByRole('slider', { name: 'Moment' }).fill('1');
      await page.getByText(/^As it was on /).waitFor();
      await page.getByRole('slider', { name: 'Moment' }).press('End');
      await page.getByRole('region', { name: 'Facts' }).getByText('Confirmed', { exact: true }).waitFor();
      // A confirmed payment does not expire.
      expect(await expires.count()).toBe(0);
      await press(page, 'Check proof');
      await page.getByText('Holds', { exact: true }).waitFor();
      expect(await findingsOn(page)).toEqual([]);
      await page.setViewportSize(NARROW);
      expect(await fitsWidth(page)).toBe(true);
      await page.setViewportSize(WIDE);

      const [proof] = await Promise.all([page.waitForEvent('download'), press(page, 'Download proof')]);
      const path = await proof.path();
      await goTo(page, 'Audit');
      await page.getByRole('heading', { name: 'Newest checkpoint' }).waitFor();
      await page.getByLabel('Proof file').setInputFiles(path);
      await page.getByText('Holds', { exact: true }).waitFor();
      const forged = readFileSync(path, 'utf8').replaceAll('12.50', '99.50');
      await page
        .getByLabel('Proof file')
        .setInputFiles({ name: 'forged.json', mimeType: 'application/json', buffer: Buffer.from(forged) });
      await page.getByText('Does not hold', { exact: true }).waitFor();

      await goTo(page, 'Home');
      // At midnight it becomes a payment of yesterday.
      const today = new Date().toDateString() === confirmedOn ? 1 : 0;
      await page.getByRole('link', { name: `${today} Confirmed today`, exact: true }).waitFor();
      expect([...complaints(), ...phone.complaints()]).toEqual([]);
      await leave(phone.page);
      await leave(page);
      // Bounds a hang: two windows on a busy machine take long.
    }, 180_000);
  });
  afterAll(() => paper.remove());
};

describeInBrowser('a merchant’s whole way through the portal', story, { args: paper.args });

/** Holds back every call to this URL until it is released. */
async function heldBack(page: Page, url: string): Promise<{ goOn: () => void }> {
  let goOn = (): void => undefined;
  const gone = new Promise<void>((done) => (goOn = done));
  await page.route(url, async (route) => {
    await gone;
    await route.continue();
  });
  return { goOn };
}
