import { type Page } from 'playwright-core';
import { call } from '../support/http';
import { signUpMerchant, type SignedUpMerchant } from '../support/merchant';
import { describeInBrowser, findingsOn, fitsWidth, leave, loaded, NARROW, WIDE, ZOOMED } from './support/browser';
import { connectedPayee } from './support/connected-payee';
import { openPage, type PortalScene, startPortalScene, visitAs } from './support/portal';

const ADDRESS = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';

const PAGES: readonly (readonly [string, string])[] = [
  ['/', 'Home'],
  ['/domains', 'Domains'],
  ['/payees', 'Payees'],
  ['/agents', 'Agents'],
  ['/payments', 'Payments'],
  ['/webhooks', 'Webhooks'],
  ['/policies', 'Policies'],
  ['/connections', 'Connections'],
  ['/api-keys', 'API keys'],
  ['/audit', 'Audit'],
  ['/organization', 'Organization'],
];

describeInBrowser('the portal on every screen, with every input device', (browser) => {
  let scene: PortalScene;
  let us: SignedUpMerchant;
  const places: [string, string][] = PAGES.map(([place, heading]) => [place, heading]);
  beforeAll(async () => {
    scene = await startPortalScene();
    us = await signUpMerchant(scene.service, { dns: scene.dns, name: 'A shop with rather a long name & Söhne' });
    const post = (path: string, body: object) => call(`${scene.service.url}/v1/${path}`, { headers: us.headers, body });
    await post('merchant-domains', { domain: 'waiting.example', method: 'https' });
    await post('api-keys', { name: 'Billing' });
    const payee = await post('recipients', {
      name: 'Till',
      network: 'stellar_testnet',
      asset: 'XLM',
      address: ADDRESS,
    });
    const agent = await post('agents', {
      name: 'Barista',
      runtime: 'node',
      environment: 'testnet',
      allowed_scopes: ['payment.requests.create'],
    });
    const endpoint = await post('webhook-endpoints', {
      url: 'https://receiver.example/a/rather/long/path/for/a/narrow/screen',
    });
    places.push(
      [`/payees/${payee.body.recipient.recipient_id}`, 'Till'],
      [`/agents/${agent.body.agent.agent_id}`, 'Barista'],
      [`/webhooks/${endpoint.body.webhook_endpoint.webhook_endpoint_id}`, 'https://receiver.example'],
    );
  });
  afterAll(() => scene.stop());

  it.each([
    ['narrow and light', { viewport: NARROW, colorScheme: 'light' as const }],
    ['wide and dark', { viewport: WIDE, colorScheme: 'dark' as const }],
  ])('is accessible and fits the screen: %s', async (_, options) => {
    const { page, complaints } = await visitAs(browser(), scene.service, us, options);
    const found: string[] = [];
    for (const [place, heading] of places) {
      await openPage(page, scene.service, place, heading);
      await loaded(page);
      found.push(...(await findingsOn(page)).map((finding) => `${place}: ${finding}`));
      if (!(await fitsWidth(page))) found.push(`${place} is wider than the screen`);
    }
    expect(found).toEqual([]);
    expect(complaints()).toEqual([]);
    await leave(page);
  });

  it('fits a magnified screen, and cuts no amount off', async () => {
    const { page } = await visitAs(browser(), scene.service, us, { viewport: ZOOMED });
    const { ask } = await connectedPayee(scene, us);
    const amount = '922337203685.4775807';
    const id = await ask(amount);
    const found: string[] = [];
    for (const [place, heading] of [...places, [`/payments/${id}`, id] as const]) {
      await openPage(page, scene.service, place, heading);
      await loaded(page);
      if (!(await fitsWidth(page))) found.push(`${place} is wider than the screen`);
    }
    expect(found).toEqual([]);
    await openPage(page, scene.service, '/payments', 'Payments');
    const shown = page.getByRole('table', { name: 'Payments' }).getByText(amount);
    const { x = 0, width = 0 } = (await shown.boundingBox()) ?? {};
    expect(x + width).toBeLessThan(ZOOMED.width);
    await leave(page);
  });

  describe('forms, narrow and dark', () => {
    let page: Page;
    beforeAll(async () => {
      ({ page } = await visitAs(browser(), scene.service, us, { viewport: NARROW, colorScheme: 'dark' }));
    });
    afterAll(() => leave(page));

    it.each([
      ['/domains', 'Domains', 'Add domain'],
      ['/payees', 'Payees', 'Add payee'],
      ['/agents', 'Agents', 'Create agent'],
      ['/webhooks', 'Webhooks', 'Add endpoint'],
      ['/policies', 'Policies', 'Propose policy'],
      ['/api-keys', 'API keys', 'Create API key'],
    ])('are accessible and fit the screen on %s', async (place, heading, button) => {
      await openPage(page, scene.service, place, heading);
      await page.getByRole('button', { name: button }).click();
      const dialog = page.getByRole('dialog', { name: button });
      await dialog.waitFor();
      await loaded(page);
      expect(await findingsOn(page)).toEqual([]);
      expect(await fitsWidth(page)).toBe(true);
      await dialog.getByRole('button', { name: 'Close' }).click();
      await dialog.waitFor({ state: 'detached' });
    });
  });
});
