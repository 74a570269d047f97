import { signUpMerchant, type SignedUpMerchant } from '../support/merchant';
import { connectedPayee } from './support/connected-payee';
import { describeInBrowser, leave } from './support/browser';
import { expectResponse } from './support/expect-response';
import { openPage, type PortalScene, startPortalScene, visitAs } from './support/portal';

describeInBrowser('what the portal must not lose', (browser) => {
  let scene: PortalScene;
  let us: SignedUpMerchant;
  beforeAll(async () => {
    scene = await startPortalScene();
    us = await signUpMerchant(scene.service, { dns: scene.dns });
  });
  afterAll(() => scene.stop());

  it('shows a secret until it is saved, wherever the person navigates meanwhile', async () => {
    const { service } = scene;
    const { page, complaints } = await visitAs(browser(), service, us);
    await openPage(page, service, '/domains', 'Domains');
    await page.getByRole('link', { name: 'API keys', exact: true }).click();
    await page.getByRole('button', { name: 'Create API key' }).click();
    const form = page.getByRole('dialog', { name: 'Create API key' });
    await form.getByRole('textbox', { name: 'Name' }).fill('Till server');
    await form.getByRole('button', { name: 'Create API key' }).click();
    const dialog = page.getByRole('dialog', { name: 'The API key' });
    const secret = await dialog.getByText(/^svc_sk_/).textContent();
    await page.goBack();
    await page.getByText('Add the one your customers know you by').or(page.getByText('Proven by')).first().waitFor();
    expect(await dialog.getByText(/^svc_sk_/).textContent()).toBe(secret);

    const asked = page.waitForEvent('dialog');
    await page.evaluate('setTimeout(() => location.reload())');
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.dismiss();
    expect(await dialog.getByText(/^svc_sk_/).textContent()).toBe(secret);

    await dialog.getByRole('button', { name: 'I have kept it' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(secret);
    await page.reload();
    await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor();
    expect(complaints()).toEqual([]);
    await leave(page);
  });

  it('keeps the chosen connection of a policy proposal when the list is read again', async () => {
    const { service } = scene;
    await connectedPayee(scene, us);
    const { wallet, merchant } = await connectedPayee(scene, us);
    const { connections } = await merchant.connections.list();
    const { page, complaints } = await visitAs(browser(), service, us);
    await openPage(page, service, '/policies', 'Policies');
    await page.getByRole('status', { name: 'Connection' }).getByText('Live').waitFor();
    await page.getByRole('button', { name: 'Propose policy' }).click();
    const choice = page.getByRole('dialog').getByRole('combobox', { name: 'Connection' });
    const [own = { connection_id: '' }] = (await wallet.listConnections()).connections;
    expect(connections.map(({ connection_id }) => connection_id)).toContain(own.connection_id);
    await choice.selectOption(own.connection_id);
    // Two queries are refreshed: the agents' names and the choices.
    const received = await expectResponse(page, /\/v1\/connections\?/, '"status":"paused"', 2);
    await wallet.changeConnection(own.connection_id, 'paused');
    await received();
    expect(await choice.inputValue()).toBe(own.connection_id);
    expect(complaints()).toEqual([]);
    await leave(page);
  });

  it('announces that copying is not possible if the browser does not allow it', async () => {
    const { service } = scene;
    const { page, complaints } = await visitAs(browser(), service, us);
    await page.addInitScript(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
    await openPage(page, service, '/audit', 'Audit');
    await page.getByRole('button', { name: 'Copy checkpoint' }).click();
    await page.getByRole('status').getByText('Not copied. Select it and copy it.').waitFor();
    expect(complaints()).toEqual([]);
    await leave(page);
  });
});
