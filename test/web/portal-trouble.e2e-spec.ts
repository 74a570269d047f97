import { type Page, type Route } from 'playwright-core';
import { call } from '../support/http';
import { grantFor, signIn, signUpMerchant, signUpPendingMerchant, type SignedUpMerchant } from '../support/merchant';
import { describeInBrowser, leave } from './support/browser';
import { openPage, type PortalScene, startPortalScene, visitAs } from './support/portal';

/** Holds back calls to this URL from the moment the browser sends them. */
async function holding(page: Page, place: string, goOn: (route: Route) => Promise<void>) {
  let resolveAsked = (): void => undefined;
  let release = (): void => undefined;
  const asked = new Promise<void>((resolve) => (resolveAsked = resolve));
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(place, async (route) => {
    resolveAsked();
    await held;
    await goOn(route);
  });
  return { asked, release };
}

describeInBrowser('the portal when something goes wrong', (browser) => {
  let scene: PortalScene;
  let us: SignedUpMerchant;
  beforeAll(async () => {
    scene = await startPortalScene();
    us = await signUpMerchant(scene.service, { dns: scene.dns, name: 'Our shop' });
  });
  afterAll(() => scene.stop());

  it('does nothing in another organization that the browser signed in to meanwhile', async () => {
    const { service } = scene;
    const [ours, theirs] = [
      await signUpPendingMerchant(service, { name: 'First shop' }),
      await signUpPendingMerchant(service, { name: 'Second shop' }),
    ];
    const { page, complaints } = await visitAs(browser(), service, ours);
    await openPage(page, service, '/domains', 'Domains');
    await page.getByRole('button', { name: 'Add domain' }).click();
    await page.getByRole('textbox', { name: 'Domain' }).fill('first-shop.example');
    const [name = '', value = ''] = theirs.cookie.split('=');
    await page.context().addCookies([{ name, value, url: service.url }]);
    await page.getByRole('button', { name: 'Add domain' }).click();
    await page.getByText('Second shop').waitFor();
    const { body } = await call(`${service.url}/v1/merchant-domains`, { headers: theirs.headers });
    expect(body.domains).toEqual([]);
    expect(complaints()).toEqual([]);
    await leave(page);
  });

  it('says that signing out failed', async () => {
    const { service } = scene;
    const { page, complaints } = await visitAs(browser(), service, await signUpPendingMerchant(service));
    await openPage(page, service, '/domains', 'Domains');
    await page.route('**/v1/merchant-sessions/current', (route) =>
      route.request().method() === 'DELETE' ? route.abort() : route.continue(),
    );
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('alert').getByText('The service did not answer.').waitFor();
    await page.unroute('**/v1/merchant-sessions/current');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    expect(complaints()).toEqual([]);
    await leave(page);
  });

  it('keeps its frame when one of its pages cannot be loaded, and offers to load it again', async () => {
    const { service } = scene;
    const { page } = await visitAs(browser(), service, us);
    await openPage(page, service, '/domains', 'Domains');
    await page.route('**/Webhooks-*.js', (route) => route.abort());
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await page.getByRole('alert').getByText('This page could not be shown.').waitFor();
    await page.getByRole('link', { name: 'Domains', exact: true }).click();
    await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await page.unroute('**/Webhooks-*.js');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    await leave(page);
  });

  it('says of a page that is not loaded yet that there is no connection', async () => {
    const { page } = await visitAs(browser(), scene.service, us);
    await openPage(page, scene.service, '/', 'Home');
    await page.context().setOffline(true);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('alert').getByText('There is no connection. Try again once it is back.').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Audit', level: 1 }).waitFor();
    await leave(page);
  });

  it('tolerates a year with an extra digit, and leaves its refusal to the service', async () => {
    const { service } = scene;
    const { page, complaints } = await visitAs(browser(), service, us);
    await openPage(page, service, '/policies', 'Policies');
    await page.getByRole('button', { name: 'Propose policy' }).click();
    const dialog = page.getByRole('dialog', { name: 'Propose policy' });
    const until = dialog.getByLabel('Valid until');
    await until.waitFor();
    await page.evaluate(`(() => {
      const field = document.querySelector('[name="valid_until"]');
      field.value = '20261-01-01T00:00';
      field.dispatchEvent(new Event('input', { bubbles: true }));
    })()`);
    expect(await until.inputValue()).toBe('20261-01-01T00:00');
    await dialog.getByRole('button', { name: 'Propose policy' }).click();
    await dialog.locator('[name="valid_until"][aria-invalid="true"]').waitFor();
    await dialog.getByRole('group', { name: 'Last month with these limits' }).waitFor();
    expect(complaints()).toEqual([]);
    await leave(page);
  });

  it('continues after a version conflict without a reload', async () => {
    const { service } = scene;
    const agents = `${service.url}/v1/agents`;
    const scopes = ['payment.requests.read'];
    const made = await call(agents, {
      headers: us.headers,
      body: { name: 'Barista', runtime: 'node', environment: 'testnet', allowed_scopes: scopes },
    });
    const { agent_id, version } = made.body.agent as { agent_id: string; version: number };
    const { page, complaints } = await visitAs(browser(), service, us);
    await openPage(page, service, `/agents/${agent_id}`, 'Barista');
    const body = { version, allowed_scopes: ['payment.requests.create'] };
    await call(`${agents}/${agent_id}`, { method: 'PATCH', headers: us.headers, body });
    await page.getByRole('button', { name: 'Revoke' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('textbox').fill('Barista');
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await dialog.getByText('version_conflict').waitFor();
    await page.getByText('Ask for payments', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Revoked for good.').waitFor();
    expect(complaints()).toEqual([]);
    await leave(page);
  });

  it('keeps the new name after a version conflict, and reports the conflict', async () => {
    const { service } = scene;
    const { headers, cookie } = await signUpMerchant(service, { dns: scene.dns, name: 'Old name' });
    const { page, complaints } = await visitAs(browser(), service, { cookie });
    await openPage(page, service, '/organization', 'Organization');
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('Our name');
    const current = `${service.url}/v1/merchants/current`;
    const { version } = (await call(current, { headers })).body.merchant as { version: number };
    await call(current, { method: 'PATCH', headers, body: { version, name: 'Their name' } });
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('alert').getByText('version_conflict').waitFor();
    await page.getByRole('banner').getByText('Their name').waitFor();
    expect(await name.inputValue()).toBe('Our name');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('banner').getByText('Our name').waitFor();
    expect(complaints()).toEqual([]);
    await leave(page);
  });

  it('shows what was created when only the response was lost, and creates it once', async () => {
    const { service } = scene;
    const { page, complaints } = await visitAs(browser(), service, us);
    await openPage(page, service, '/api-keys', 'API keys');
    await page.getByText('No API key yet').waitFor();
    await page.getByRole('button', { name: 'Create API key' }).click();
    const { asked, release } = await holding(page, '**/v1/api-keys', async (route) => {
      if (route.request().method() === 'POST') await route.fetch();
      await (route.request().method() === 'POST' ? route.abort() : route.continue());
    });
    const dialog = page.getByRole('dialog', { name: 'Create API key' });
    const name = dialog.getByRole('textbox', { name: 'Name' });
    await name.fill('Till server');
    await name.press('Enter');
    await asked;
    // It is sent once, however often it is submitted, and by whatever means: a browser extension presses no button.
    await name.press('Enter');
    await page.evaluate(`document.querySelector('[role="dialog"] form').requestSubmit()`);
    release();
    await dialog.getByRole('alert').getByText('The service did not answer.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('cell', { name: 'Till server', exact: true }).waitFor();
    expect(complaints()).toEqual([]);
    await leave(page);
  });

  it('clears the search box when the search is cleared', async () => {
    const { service } = scene;
    const { page, complaints } = await visitAs(browser(), service, us);
    await openPage(page, service, '/payments?q=order-17', 'Payments');
    const box = page.getByRole('searchbox', { name: 'Find a payment' });
    expect(await box.inputValue()).toBe('order-17');
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByText('No payment yet').waitFor();
    expect(await box.inputValue()).toBe('');
    await box.fill('order-18');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing matches').waitFor();
    expect(await box.inputValue()).toBe('order-18');
    await page.locator('input[type="search"]:focus').waitFor();
    expect(complaints()).toEqual([]);
    await leave(page);
  });

  it('shows a failure even if the dialog was closed meanwhile', async () => {
    const { service } = scene;
    const made = await call(`${service.url}/v1/api-keys`, { headers: us.headers, body: { name: 'Leaked' } });
    expect(made.status).toBe(201);
    const { page, complaints } = await visitAs(browser(), service, us);
    await openPage(page, service, '/api-keys', 'API keys');
    const { asked, release } = await holding(page, '**/v1/api-keys/*', (route) => route.abort());
    await page.getByRole('button', { name: 'Revoke Leaked' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('textbox').fill('Leaked');
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await asked;
    await page.keyboard.press('Escape');
    release();
    await page.getByRole('alert').getByText('The service did not answer.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(complaints()).toEqual([]);
    await leave(page);
  });

  it('reads again what it was refused while signed out', async () => {
    const { service } = scene;
    const ours = await signUpPendingMerchant(service);
    const { grant, merchants } = await grantFor(service, ours.email);
    const again = await signIn(service, ours.email, { grant, choice: merchants[0]?.choice });
    const { page, complaints } = await visitAs(browser(), service, ours);
    await openPage(page, service, '/audit', 'Audit');
    await call(`${service.url}/v1/merchant-sessions/current`, { method: 'DELETE', headers: ours.headers });
    await page.goto(`${service.url}/portal/#/domains`);
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
    const [name = '', value = ''] = again.cookie.split('=');
    await page.context().addCookies([{ name, value, url: service.url }]);
    await page.evaluate(`new BroadcastChannel('svc-portal').postMessage({ kind: 'opened' })`);
    await page.getByText('No domain yet').waitFor();
    expect(complaints()).toEqual([]);
    await leave(page);
  });

  it('marks rows that do not belong to the new filter yet, and keeps the other filters', async () => {
    const { service } = scene;
    const { page, complaints } = await visitAs(browser(), service, us);
    await openPage(page, service, '/payments', 'Payments');
    await page.getByText('No payment yet').waitFor();
    const place = '**/v1/payment-requests?*status=confirmed*';
    const { asked, release } = await holding(page, place, (route) => route.continue());
    await page.getByRole('combobox', { name: 'Status' }).selectOption('confirmed');
    await asked;
    const waiting = page.locator('main [aria-busy="true"]');
    await waiting.waitFor({ state: 'attached' });
    release();
    await waiting.waitFor({ state: 'detached' });

    // Each filter keeps the others.
    await page.getByLabel('From', { exact: true }).fill('2020-01-02');
    const all = page.waitForRequest(/payment-requests\?.*created_to=/);
    await page.getByLabel('To', { exact: true }).fill('2020-01-02');
    const sent = new URL((await all).url()).searchParams;
    const [from = 0, to = 0] = ['created_from', 'created_to'].map((one) => Date.parse(sent.get(one) ?? ''));
    expect([sent.get('status'), to - from]).toEqual(['confirmed', 86_399_999]);
    await page.getByRole('searchbox', { name: 'Find a payment' }).fill('order-17');
    await page.keyboard.press('Enter');
    expect(page.url()).toMatch(/\?status=confirmed&from=2020-01-02&to=2020-01-02&q=order-17$/);
    await page.getByRole('combobox', { name: 'Status' }).selectOption('All');
    expect(page.url()).toMatch(/\?from=2020-01-02&to=2020-01-02&q=order-17$/);
    expect(complaints()).toEqual([]);
    await leave(page);
  });
});
