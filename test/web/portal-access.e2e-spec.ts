import { call } from '../support/http';
import { linkTokenFor, signUpMerchant, signUpPendingMerchant, type SignedUpMerchant } from '../support/merchant';
import { describeInBrowser, visit, watched } from './support/browser';
import { linkByPage, openPage, type PortalScene, startPortalScene, visitAs } from './support/portal';

describeInBrowser('getting into the portal', (browser) => {
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

  it('reads the same for unknown and used links, and shows no token', async () => {
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
    await page.context().close();
  });

  it('loses nothing of what was typed when the session ends meanwhile', async () => {
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

    // The first tab goes on by itself, with what was typed.
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('textbox', { name: 'Domain' }).inputValue()).toBe('half-typed.example');
    await page.getByRole('button', { name: 'Add domain' }).click();
    await page.getByRole('heading', { name: 'half-typed.example' }).waitFor();

    // What one tab changes the other shows, and signing out ends both.
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
    await page.context().close();
  });

  it('tells nobody whether another organization’s things exist', async () => {
    const { service } = scene;
    const agent = await call(`${service.url}/v1/agents`, {
      headers: them.headers,
      body: { name: 'Theirs', runtime: 'node', environment: 'testnet', allowed_scopes: ['payment.requests.read'] },
    });
    const theirs = agent.body.agent.agent_id as string;
    const ours = await signUpMerchant(service, { dns: scene.dns });
    const { page, complaints } = await visitAs(browser(), service, ours);
    const seen: string[] = [];
    for (const id of [theirs, 'agt_01HZZZZZZZZZZZZZZZZZZZZZZZ']) {
      await openPage(page, service, `/agents/${id}`, 'Not found');
      seen.push((await page.getByRole('main').textContent()) ?? '');
    }
    expect(seen[0]).toBe(seen[1]);
    for (const place of ['/payees/rcp_x', '/payments/pr_x', '/webhooks/whe_x', '/nothing/at/all']) {
      await openPage(page, service, place, 'Not found');
    }
    expect(complaints()).toEqual([]);
    await page.context().close();
  });

  it('reads the same to an organization that has proven no domain yet, and says each thing once', async () => {
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
    await page.context().close();
  });
});
