import { call } from '../support/http';
import {
  grantFor,
  linkTokenFor,
  signIn,
  signUpMerchant,
  signUpPendingMerchant,
  type SignedUpMerchant,
} from '../support/merchant';
import { describeInBrowser, leave, visit, watched } from './support/browser';
import { flaws } from './support/looks';
import { linkByPage, openPage, type PortalScene, startPortalScene, visitAs } from './support/portal';

const ADDRESS = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';

describeInBrowser('signing in to the portal', (browser) => {
  let scene: PortalScene;
  let us: SignedUpMerchant;
  let them: SignedUpMerchant;
  beforeAll(async () => {
    scene = await startPortalScene();
    us = await signUpMerchant(scene.service, { dns: scene.dns, email: 'us@example.test', name: 'Our shop' });
    them = await signUpMerchant(scene.service, { dns: scene.dns, name: 'Their shop' });
  });
  afterAll(() => scene.stop());

  const verifyUrl = (token: string): string => `${scene.service.url}/portal/#/verify?token=${token}`;

  it('looks the same for unknown and used links, and shows no token', async () => {
    const { service } = scene;
    const used = await linkTokenFor(service, 'used@example.test');
    await call(`${service.url}/v1/merchant-accounts/email-verifications`, { body: { token: used } });
    const { page, complaints } = await visit(browser(), [service.url]);
    const seen: string[] = [];
    for (const token of ['svc_el_unknown', used, '']) {
      await page.goto('about:blank');
      await page.goto(verifyUrl(token));
      await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
      await page.getByRole('button', { name: 'Send me a link' }).waitFor();
      expect(page.url()).toBe(`${service.url}/portal/#/verify`);
      seen.push((await page.getByRole('main').textContent()) ?? '');
    }
    expect(new Set(seen).size).toBe(1);
    await page.goBack();
    expect(page.url()).not.toContain('token');
    expect(complaints()).toEqual([]);
    await leave(page);
  });

  it('loses nothing of what was typed if the session ends meanwhile', async () => {
    const { service } = scene;
    const { page, complaints } = await visitAs(browser(), service, us);
    await openPage(page, service, '/domains', 'Domains');
    await page.getByRole('button', { name: 'Add domain' }).click();
    await page.getByRole('textbox', { name: 'Domain' }).fill('half-typed.example');
    await call(`${service.url}/v1/merchant-sessions/current`, { method: 'DELETE', headers: us.headers });
    await page.getByRole('button', { name: 'Add domain' }).click();
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor();

    const link = await linkByPage(page, service, us.email);
    await page.getByText('Leave this page open.').waitFor();
    const other = await watched(await page.context().newPage(), [service.url]);
    await other.page.goto(link);
    await other.page.getByRole('button', { name: 'Our shop' }).click();
    await other.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();

    // The first tab continues without a reload, with what was typed.
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('textbox', { name: 'Domain' }).inputValue()).toBe('half-typed.example');
    await page.getByRole('button', { name: 'Add domain' }).click();
    await page.getByRole('heading', { name: 'half-typed.example' }).waitFor();

    // One tab shows what the other changes, and signing out ends both.
    await other.page.getByRole('link', { name: 'Domains', exact: true }).click();
    await other.page.getByRole('heading', { name: 'half-typed.example' }).waitFor();
    await other.page.getByRole('button', { name: 'Add domain' }).click();
    await other.page.getByRole('textbox', { name: 'Domain' }).fill('second.example');
    await other.page.getByRole('button', { name: 'Add domain' }).click();
    await page.getByRole('heading', { name: 'second.example' }).waitFor();
    await other.page.getByRole('button', { name: 'Sign out' }).click();
    await other.page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
    expect([...complaints(), ...other.complaints()]).toEqual([]);
    await leave(page);
  });

  it('lists the operator’s own sessions, and ends another one', async () => {
    const { service } = scene;
    const here = await signUpMerchant(service, { dns: scene.dns, name: 'Two desks' });
    const { grant, merchants } = await grantFor(service, here.email);
    const there = await signIn(service, here.email, { grant, choice: merchants[0]?.choice });
    const [desk, left] = [await visitAs(browser(), service, here), await visitAs(browser(), service, there)];
    await openPage(left.page, service, '/domains', 'Domains');
    await openPage(desk.page, service, '/organization', 'Organization');
    const sessions = desk.page.getByRole('table', { name: 'Sessions' });
    await sessions.getByText('This one', { exact: true }).waitFor();
    expect(await sessions.getByRole('row').count()).toBe(3);
    expect(await flaws(desk.page)).toEqual([]);
    await sessions.getByRole('button', { name: 'End session' }).click();
    await desk.page.getByRole('alertdialog').getByRole('button', { name: 'End session' }).click();
    await desk.page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await sessions.getByRole('button', { name: 'End session' }).waitFor({ state: 'detached' });
    await left.page.getByRole('heading', { name: 'Sign in again' }).waitFor();
    await desk.page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await desk.page.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await desk.page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    expect([...desk.complaints(), ...left.complaints()]).toEqual([]);
    await Promise.all([desk, left].map(({ page }) => leave(page)));
  });

  it('does not reveal whether another organization’s records exist', async () => {
    const { service } = scene;
    const agent = await call(`${service.url}/v1/agents`, {
      headers: them.headers,
      body: { name: 'Theirs', runtime: 'node', environment: 'testnet', allowed_scopes: ['payment.requests.read'] },
    });
    const payee = await call(`${service.url}/v1/recipients`, {
      headers: them.headers,
      body: { name: 'Theirs', network: 'stellar_testnet', asset: 'XLM', address: ADDRESS },
    });
    const endpoint = await call(`${service.url}/v1/webhook-endpoints`, {
      headers: them.headers,
      body: { url: 'https://theirs.example/hook' },
    });
    const agentId = agent.body.agent.agent_id as string;
    const places: readonly (readonly [string, string])[] = [
      [`/agents/${agentId}`, '/agents/agt_01HZZZZZZZZZZZZZZZZZZZZZZZ'],
      [`/payees/${payee.body.recipient.recipient_id as string}`, '/payees/rcp_01HZZZZZZZZZZZZZZZZZZZZZZZ'],
      [
        `/webhooks/${endpoint.body.webhook_endpoint.webhook_endpoint_id as string}`,
        '/webhooks/whe_01HZZZZZZZZZZZZZZZZZZZZZZZ',
      ],
    ];
    const ours = await signUpMerchant(service, { dns: scene.dns });
    const { page, complaints } = await visitAs(browser(), service, ours);
    for (const pair of places) {
      const seen: string[] = [];
      for (const place of pair) {
        await openPage(page, service, place, 'Not found');
        seen.push((await page.getByRole('main').textContent()) ?? '');
      }
      expect(seen[0]).toBe(seen[1]);
    }
    for (const place of ['/payments/pr_x', '/agent-payments/ap_x', '/nothing/at/all']) {
      await openPage(page, service, place, 'Not found');
    }
    expect(complaints()).toEqual([]);
    await leave(page);
  });

  it('looks the same to an organization without a verified domain, and says each thing once', async () => {
    const { service } = scene;
    const early = await signUpPendingMerchant(service);
    const { page, complaints } = await visitAs(browser(), service, early);
    for (const place of ['/agents/agt_x', '/payees/rcp_x', '/payments/pr_x', '/webhooks/whe_x', '/agent-payments/ap_x'])
      await openPage(page, service, place, 'Not found');

    await openPage(page, service, '/agents', 'Agents');
    await page.getByText('First prove that a domain is yours').waitFor();
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Too early');
    await page.getByRole('textbox', { name: 'Runtime' }).fill('node');
    await page.getByRole('button', { name: 'Create agent' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText(/^Verify a domain with/).waitFor();
    expect(await alert.getByText('Verify a domain with').count()).toBe(1);
    expect(complaints()).toEqual([]);
    await leave(page);
  });
});
