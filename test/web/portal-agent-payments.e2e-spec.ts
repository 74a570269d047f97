import { AgentPaymentsClient, type NewAgentPayment } from '../../sdk/src/index.ts';
import { signUpMerchant, type SignedUpMerchant } from '../support/merchant';
import { connectedPayee } from './support/connected-payee';
import { describeInBrowser, findingsOn, fitsWidth, leave, NARROW, WIDE } from './support/browser';
import { openPage, type PortalScene, startPortalScene, visitAs } from './support/portal';

const TABLE_FITS = `[...document.querySelectorAll('table')].every((one) => one.scrollWidth <= one.parentElement.clientWidth)`;

describeInBrowser('agent payments in the portal', (browser) => {
  let scene: PortalScene;
  let us: SignedUpMerchant;
  beforeAll(async () => {
    scene = await startPortalScene();
    us = await signUpMerchant(scene.service, { dns: scene.dns });
  });
  afterAll(() => scene.stop());

  it('are listed as they come, and each shows its details and its outcome', async () => {
    const { service } = scene;
    const { wallet, merchant, recipient } = await connectedPayee(scene, us);
    const [connection] = (await merchant.connections.list()).connections;
    const { secret } = await merchant.apiKeys.create({ name: 'Billing' });
    const server = new AgentPaymentsClient({ baseUrl: service.url, apiKey: secret });
    const { recipient_id } = recipient;
    const intent: NewAgentPayment = {
      network: 'stellar_testnet',
      recipient_id,
      amount: '8.25',
      initiator: 'human',
      connection_id: connection?.connection_id ?? '',
      idempotency_key: 'bill-7',
    };

    const { page, complaints } = await visitAs(browser(), service, us);
    await openPage(page, service, '/payments', 'Payments');
    await page.getByRole('link', { name: 'Asked with an API key' }).click();
    await page.getByText('No agent payment yet').waitFor();
    const { id } = await server.create(intent);
    // The payment and its status changes appear without a reload.
    const row = page.getByRole('table', { name: 'Agent payments' }).getByRole('row').filter({ hasText: id });
    await row.getByText('Barista').waitFor();
    await row.getByText('Person', { exact: true }).waitFor();
    await row.getByRole('link', { name: id }).click();
    await page.getByRole('heading', { name: id, level: 1 }).waitFor();
    const facts = page.getByRole('region', { name: 'Facts' });
    await facts.getByText('bill-7').waitFor();
    await facts.getByText('Expires', { exact: true }).waitFor();
    await wallet.reportAgentPayment(id, { status: 'rejected', reason: 'Not mine' });
    await facts.getByText('Rejected', { exact: true }).waitFor();
    await facts.getByText('Not mine').waitFor();
    expect(await facts.getByText(/^Expire[sd]$/).count()).toBe(0);
    await page.getByRole('heading', { name: 'Webhooks', level: 2 }).waitFor();

    const found: string[] = [];
    for (const [viewport, colorScheme] of [
      [NARROW, 'dark'],
      [WIDE, 'light'],
    ] as const) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      for (const place of [`/agent-payments/${id}`, '/agent-payments?status=rejected']) {
        await openPage(page, service, place, place.includes('?') ? 'Agent payments' : id);
        await page.getByText(id).first().waitFor();
        found.push(...(await findingsOn(page)));
        expect(await fitsWidth(page)).toBe(true);
      }
    }
    expect(found).toEqual([]);
    // The last column is visible even if the navigation takes part of a medium-sized screen.
    for (const width of [800, 1000, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate<boolean>(TABLE_FITS)).toBe(true);
    }
    await page.getByRole('combobox', { name: 'Status' }).selectOption('Confirmed');
    await page.getByText('Nothing matches').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await row.waitFor();
    await openPage(page, service, '/agent-payments/ap_nothing', 'Not found');
    expect(complaints()).toEqual([]);
    await leave(page);
  });
});
