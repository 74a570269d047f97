import { type Page } from 'playwright-core';
import { call } from '../support/http';
import { signUpMerchant, type SignedUpMerchant, signUpPendingMerchant } from '../support/merchant';
import { describeInBrowser, findingsOn, leave } from './support/browser';
import { connectedPayee } from './support/connected-payee';
import { openPage, type PortalScene, startPortalScene, visitAs } from './support/portal';

describeInBrowser('a payee and the domain that vouches for it, in the portal', (browser) => {
  let scene: PortalScene;
  let us: SignedUpMerchant;
  let page: Page;

  beforeAll(async () => {
    scene = await startPortalScene();
    us = await signUpMerchant(scene.service, { dns: scene.dns });
    ({ page } = await visitAs(browser(), scene.service, us));
  });
  afterAll(async () => {
    await leave(page);
    await scene.stop();
  });

  const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
  const confirm = async (action: string, title: string): Promise<void> => {
    await press(action);
    await page.getByRole('alertdialog', { name: title }).getByRole('button', { name: action }).click();
  };
  const status = (word: string) => page.getByText(word, { exact: true }).first().waitFor();

  it('has a version retired after a second step, with what is pending on it', async () => {
    const { merchant, recipient } = await connectedPayee(scene, us);
    await openPage(page, scene.service, `/payees/${recipient.recipient_id}`, 'Till');
    await press('Retire');
    const dialog = page.getByRole('alertdialog', { name: 'Retire version 1' });
    await dialog.getByText('This cannot be undone.').waitFor();
    await dialog.getByRole('checkbox', { name: 'Withdraw what is still pending on it' }).check();
    await dialog.getByRole('button', { name: 'Retire' }).click();
    await status('Retired');
    expect(await page.getByRole('button', { name: 'Retire', exact: true }).count()).toBe(0);
    expect(await findingsOn(page)).toEqual([]);
    const [version] = (await merchant.recipients.read(recipient.recipient_id)).versions;
    expect(version).toMatchObject({ status: 'retired' });
  });

  it('shows when the proof was last seen, that another has proven it, and proves it again', async () => {
    const { service, dns } = scene;
    await openPage(page, service, '/domains', 'Domains');
    await status('Verified');
    await page.getByText('Last seen').waitFor();
    await press('Check now');
    await page.getByText(`The proof of ${us.domain} was seen.`).waitFor();

    const domains = `${service.url}/v1/merchant-domains`;
    const other = await signUpPendingMerchant(service);
    const body = { domain: us.domain, method: 'dns' };
    const { body: made } = await call(domains, { headers: other.headers, body });
    const theirs = made.challenge as { record_name: string; record_value: string };
    dns.set(theirs.record_name, { TXT: [theirs.record_value] });
    const taken = await call(`${domains}/${made.domain.domain_id as string}/verify`, {
      headers: other.headers,
      body: {},
    });
    expect(taken.status).toBe(200);
    // By itself, as the feed tells it.
    await status('Superseded');
    await page.getByText(`Another merchant has proven ${us.domain} since`).waitFor();
    await press('Check now');
    await page.getByText('Does not match yet').waitFor();
    expect(await findingsOn(page)).toEqual([]);

    await press('Get a new challenge');
    await status('Waiting for the proof');
    const value = page.getByText(/^svc-domain-verification=/).first();
    dns.set(theirs.record_name, { TXT: [(await value.textContent()) ?? ''] });
    await press('Check now');
    await status('Verified');

    await confirm('Give up', `Give up ${us.domain}`);
    await status('Given up');
    await press('Register again');
    await status('Waiting for the proof');
  });
});
