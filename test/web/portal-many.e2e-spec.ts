import { type Page } from 'playwright-core';
import { type MerchantClient, SCOPES } from '../../sdk/src/index.ts';
import { eventually } from '../support/eventually';
import { signUpMerchant, type SignedUpMerchant, verifyDomain } from '../support/merchant';
import { answering, startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';
import { connectedPayee } from './support/connected-payee';
import { describeInBrowser, leave } from './support/browser';
import { openPage, type PortalScene, startPortalScene, visitAs } from './support/portal';

const ADDRESS = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';

/** Makes every list return one item per page, which stands for more than two hundred. */
const oneAtATime = (page: Page): Promise<unknown> =>
  page.route(/[?&]limit=200\b/, (route) =>
    route.continue({ url: route.request().url().replace('limit=200', 'limit=1') }),
  );

describeInBrowser('the portal with more than one page of everything', (browser) => {
  let scene: PortalScene;
  let us: SignedUpMerchant;
  let receiver: WebhookReceiver;
  let merchant: MerchantClient;
  let ask: (amount: string) => Promise<string>;
  beforeAll(async () => {
    [scene, receiver] = await Promise.all([startPortalScene(), startWebhookReceiver()]);
    us = await signUpMerchant(scene.service, { dns: scene.dns });
    ({ merchant, ask } = await connectedPayee(scene, us));
    await merchant.recipients.createActive({
      name: 'Kiosk',
      network: 'stellar_testnet',
      asset: 'XLM',
      address: ADDRESS,
      memo: 'kiosk',
      domain_id: us.domainId,
    });
    await merchant.agents.create({ name: 'Waiter', runtime: 'node', allowed_scopes: SCOPES });
  });
  afterAll(async () => {
    await receiver.close();
    await scene.stop();
  });

  it('offers every agent and every payee as a filter and for a policy', async () => {
    const { service } = scene;
    const { page, complaints } = await visitAs(browser(), service, us);
    await oneAtATime(page);
    await openPage(page, service, '/payments', 'Payments');
    for (const name of ['Barista', 'Waiter', 'Till', 'Kiosk'])
      await page.getByRole('option', { name }).waitFor({ state: 'attached' });
    await openPage(page, service, '/policies', 'Policies');
    await page.getByRole('button', { name: 'Propose policy' }).click();
    for (const name of ['Till', 'Kiosk']) await page.getByRole('checkbox', { name }).waitFor();
    expect(complaints()).toEqual([]);
    await leave(page);
  });

  it('offers every domain as a proof, and says when they could not be read', async () => {
    const { service } = scene;
    await verifyDomain(service, us, 'second.example.test', scene.dns);
    const facts = { name: 'Stall', network: 'stellar_testnet', asset: 'XLM', address: ADDRESS, memo: 'stall' };
    const { recipient } = await merchant.recipients.create(facts);
    const { page } = await visitAs(browser(), service, us);
    await page.route('**/v1/merchant-domains?*', (route) => route.fulfill({ status: 400, body: '{}' }));
    await openPage(page, service, `/payees/${recipient.recipient_id}`, 'Stall');
    await page.getByRole('alert').waitFor();
    await page.unroute('**/v1/merchant-domains?*');
    await oneAtATime(page);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Prove by domain' }).click();
    for (const name of [us.domain, 'second.example.test'])
      await page.getByRole('option', { name }).waitFor({ state: 'attached' });
    await leave(page);
  });

  it('counts every failing delivery, and knows every endpoint', async () => {
    const { service } = scene;
    const create = async (): Promise<string> => {
      const made = await merchant.webhooks.create({ url: receiver.url, events: ['payment_request.created'] });
      return made.webhook_endpoint.webhook_endpoint_id;
    };
    // In the middle, so that it is not on the first page of the endpoints.
    const [, endpoint] = [await create(), await create(), await create()];
    await merchant.webhooks.verify(endpoint);
    receiver.behave(answering(500));
    await ask('1');
    await ask('2');
    const id = await ask('3');
    // The page polls them only occasionally, because no event reports an attempt.
    await eventually(
      async () => (await merchant.webhooks.listDeliveries({ status: 'pending' })).webhook_deliveries,
      (deliveries) => deliveries.filter(({ attempt_count }) => attempt_count > 0).length === 3,
      'three failures',
    );
    const { page, complaints } = await visitAs(browser(), service, us);
    await oneAtATime(page);
    await openPage(page, service, '/', 'Home');
    await page.getByRole('link', { name: '3 Failed deliveries' }).waitFor();
    await openPage(page, service, `/payments/${id}`, id);
    await page.getByRole('link', { name: endpoint }).waitFor();
    // One that the page did not find among the endpoints would count as deleted.
    await page.getByRole('button', { name: 'Redeliver' }).waitFor();
    expect(complaints()).toEqual([]);
    await leave(page);
  });

  it('sends a change of a policy after a version conflict', async () => {
    const { service } = scene;
    const [{ connection_id } = { connection_id: '' }] = (await merchant.connections.list()).connections;
    // A payee without an active version yet must stay on the list.
    const facts = { name: 'Later', network: 'stellar_testnet', asset: 'XLM', address: ADDRESS, memo: 'later' };
    const { recipient_id } = (await merchant.recipients.create(facts)).recipient;
    const limits = {
      single_tx_limit: '5',
      cumulative_limit: '50',
      valid_from: new Date().toISOString(),
      valid_until: new Date(Date.now() + 86_400_000).toISOString(),
      allowlist: [recipient_id],
    };
    const { id, version } = await merchant.policies.create({
      connection_id,
      network: 'stellar_testnet',
      asset: 'XLM',
      ...limits,
    });
    const { page, complaints } = await visitAs(browser(), service, us);
    await openPage(page, service, '/policies', 'Policies');
    await page.getByRole('button', { name: `Change policy ${id}` }).click();
    const dialog = page.getByRole('dialog', { name: 'Change policy' });
    await dialog.getByRole('textbox', { name: 'Single tx limit' }).fill('7');
    await merchant.policies.change(id, { version, ...limits, cumulative_limit: '60' });
    await dialog.getByRole('button', { name: 'Change policy' }).click();
    await dialog.getByText('version_conflict').waitFor();
    expect(await dialog.getByRole('textbox', { name: 'Single tx limit' }).inputValue()).toBe('7');
    await dialog.getByRole('button', { name: 'Change policy' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { proposed } = await merchant.policies.read(id);
    const { valid_from, valid_until } = limits;
    // The fields have no seconds, but nobody changed these times.
    expect(proposed).toMatchObject({ single_tx_limit: '7', valid_from, valid_until, allowlist: [recipient_id] });
    expect(complaints()).toEqual([]);
    await leave(page);
  });
});
