import { type Page } from 'playwright-core';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { signUpMerchant, type SignedUpMerchant } from '../support/merchant';
import { startTestService } from '../support/service';
import { activeEndpoint, answering, startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';
import { connectedPayee } from './support/connected-payee';
import { describeInBrowser, leave } from './support/browser';
import { openPage, type PortalScene, startPortalScene, visitAs } from './support/portal';

describeInBrowser('webhooks in the portal', (browser) => {
  let scene: PortalScene;
  let us: SignedUpMerchant;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    [scene, receiver] = await Promise.all([startPortalScene(), startWebhookReceiver()]);
    us = await signUpMerchant(scene.service, { dns: scene.dns });
  });
  afterAll(async () => {
    await receiver.close();
    await scene.stop();
  });

  const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();

  it('tests, rotates, shows what failed and sends it again', async () => {
    const { service } = scene;
    const made = await call(`${service.url}/v1/webhook-endpoints`, {
      headers: us.headers,
      body: { url: receiver.url },
    });
    const id = made.body.webhook_endpoint.webhook_endpoint_id as string;
    const { page, complaints } = await visitAs(browser(), service, us);
    await openPage(page, service, `/webhooks/${id}`, receiver.url);
    await press(page, 'Verify');
    await page.getByText('Active', { exact: true }).waitFor();

    await press(page, 'Send test message');
    await page.getByText(/^The receiver answered 204 after/).waitFor();

    // Needs a confirmation, then shows the new secret in a dialog that only one button closes.
    await press(page, 'Rotate secret');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate secret' }).click();
    const dialog = page.getByRole('dialog', { name: 'The new secret' });
    await dialog.getByText(/^whsec_/).waitFor();
    await page.keyboard.press('Escape');
    expect(await dialog.isVisible()).toBe(true);
    await press(page, 'I have kept it');
    await page.getByText('Old secret also signs until').waitFor();

    await press(page, 'Redeliver all failed');
    await page.getByText('Nothing has failed.').waitFor();
    receiver.behave(answering(500));
    const { ask } = await connectedPayee(scene, us);
    const requestId = await ask('5');
    const rows = page.getByRole('table', { name: 'Deliveries' }).getByRole('row').filter({ hasText: requestId });
    await rows.first().getByText(/^500/).waitFor();
    await page.getByText('Failing', { exact: true }).waitFor();
    // Messages about the connection still fail: otherwise a scheduled retry may deliver them first.
    receiver.behave((message, ...rest) =>
      answering(message.type === 'payment_request.created' ? 204 : 500)(message, ...rest),
    );
    await rows.first().getByRole('button', { name: 'Redeliver' }).click();
    await rows.first().getByText('Delivered').waitFor();
    await eventually(
      async () => receiver.received.filter(({ type }) => type === 'payment_request.created').length,
      (count) => count >= 2,
      'the second delivery',
    );

    await press(page, 'Redeliver all failed');
    await page.getByText(/^Sent again: [1-9]\d*\.$/).waitFor();
    receiver.behave(answering(204));

    // The payment lists the messages about it, and no others.
    await openPage(page, service, `/payments/${requestId}`, requestId);
    await page.getByRole('cell', { name: 'payment_request.created' }).waitFor();
    expect(await page.getByRole('cell', { name: 'connection.created' }).count()).toBe(0);
    expect(complaints()).toEqual([]);
    await leave(page);
  });

  it('links from a payment to existing endpoints, and only names a deleted one', async () => {
    const { service } = scene;
    const [kept, deleted] = [
      await activeEndpoint(service, us, receiver.url),
      await activeEndpoint(service, us, receiver.url),
    ];
    const { ask } = await connectedPayee(scene, us);
    const requestId = await ask('6');
    await call(`${service.url}/v1/webhook-endpoints/${deleted.endpointId}`, { method: 'DELETE', headers: us.headers });
    const { page, complaints } = await visitAs(browser(), service, us);
    await openPage(page, service, `/payments/${requestId}`, requestId);
    const row = page.getByRole('row').filter({ hasText: `${deleted.endpointId} (deleted)` });
    await row.first().waitFor();
    expect(await row.getByRole('link').count()).toBe(0);
    expect(await row.getByRole('button', { name: 'Redeliver' }).count()).toBe(0);
    await page.getByRole('link', { name: kept.endpointId }).first().click();
    await page.getByRole('heading', { name: receiver.url, level: 1 }).waitFor();
    expect(complaints()).toEqual([]);
    await leave(page);
  });

  it('shows at the field that an address is not allowed', async () => {
    const { page, complaints } = await visitAs(browser(), scene.service, us);
    await openPage(page, scene.service, '/webhooks', 'Webhooks');
    await press(page, 'Add endpoint');
    const dialog = page.getByRole('dialog', { name: 'Add endpoint' });
    const url = dialog.getByRole('textbox', { name: 'URL' });
    await url.fill('ftp://shop.example/');
    await dialog.getByRole('button', { name: 'Add endpoint' }).click();
    await dialog.locator('[aria-invalid="true"]').waitFor();
    const problem = page.locator(`[id="${(await url.getAttribute('aria-describedby')) ?? ''}"]`);
    expect(await problem.textContent()).toMatch(/\S/);
    await dialog.locator('input[name="url"]:focus').waitFor();
    expect(await dialog.getByRole('alert').count()).toBe(0);
    // The browser only complains about the refusal itself.
    expect(complaints().filter((text) => !text.includes('422') && !text.includes('400'))).toEqual([]);
    await leave(page);
  });

  it('says that the connection is lost while the service is away, and that it is back', async () => {
    const { service } = scene;
    const { page } = await visitAs(browser(), service, us);
    await openPage(page, service, '/payments', 'Payments');
    const badge = page.getByRole('status', { name: 'Connection' });
    await badge.getByText('Live').waitFor();
    await service.stop();
    await badge.getByText('Connection lost').waitFor();
    const again = await startTestService({ dataDir: service.dataDir, env: service.settings });
    await badge.getByText('Live').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await leave(page);
    await again.stop();
  });
});
