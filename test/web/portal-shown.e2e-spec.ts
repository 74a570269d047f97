import { Keypair } from '@stellar/stellar-base';
import { type Page } from 'playwright-core';
import { SCOPES } from '../../sdk/src/index.ts';
import { signUpMerchant, type SignedUpMerchant } from '../support/merchant';
import { describeInBrowser, leave, type Visit } from './support/browser';
import { connectedPayee } from './support/connected-payee';
import { openPage, type PortalScene, startPortalScene, visitAs } from './support/portal';

describeInBrowser('what the portal shows before an operator decides', (browser) => {
  let scene: PortalScene;
  let us: SignedUpMerchant;
  let payee: Awaited<ReturnType<typeof connectedPayee>>;
  let operator: Visit;
  let page: Page;

  beforeAll(async () => {
    scene = await startPortalScene();
    us = await signUpMerchant(scene.service, { dns: scene.dns });
    payee = await connectedPayee(scene, us);
    operator = await visitAs(browser(), scene.service, us);
    ({ page } = operator);
  });
  afterAll(async () => {
    await leave(page);
    await scene.stop();
  });

  const open = (place: string, heading: string): Promise<void> => openPage(page, scene.service, place, heading);
  const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
  const field = (name: string) => page.getByRole('dialog').getByRole('textbox', { name, exact: true });
  /** What the page sends with the next call of this method to such a URL. */
  const sent = async (method: string, url: RegExp): Promise<() => Promise<unknown>> => {
    const request = page.waitForRequest((one) => one.method() === method && url.test(one.url()));
    return async () => (await request).postDataJSON() as unknown;
  };

  it('compares a new version of a payee with the active one, and names what activating it changes', async () => {
    const { merchant, recipient } = payee;
    // Not proven, so it cannot vouch for anything.
    await merchant.domains.create({ domain: 'unproven.example', method: 'dns' });
    const [before] = recipient.versions;
    const [address, issuer] = [Keypair.random().publicKey(), Keypair.random().publicKey()];
    await open(`/payees/${recipient.recipient_id}`, 'Till');
    await press('Add version');
    await field('Asset').fill('USDC');
    await field('Issuer').fill(issuer);
    await field('Asset').fill('XLM');
    await field('Address').fill(address);
    await field('Memo').fill('table 4');
    const native = await sent('POST', /\/versions$/);
    await page.route(/\/versions$/, (route) => route.abort(), { times: 1 });
    await page.getByRole('dialog').getByRole('button', { name: 'Add version' }).click();
    // The field is hidden, so its value is not sent.
    expect(await native()).toMatchObject({ asset: 'XLM', address, memo: 'table 4' });
    expect(await native()).not.toHaveProperty('issuer');
    await field('Asset').fill('USDC');
    await page.getByRole('dialog').getByRole('button', { name: 'Add version' }).click();

    const newest = page.getByRole('region', { name: /^Version \d$/ }).first();
    await newest.getByRole('heading', { name: 'Version 2' }).waitFor();
    const [, added] = (await merchant.recipients.read(recipient.recipient_id)).versions;
    expect(added).toMatchObject({ asset: 'USDC', address, issuer, memo: 'table 4' });
    expect(await newest.getByText('Differs. Active version:').count()).toBe(4);
    await newest.getByText(before?.address ?? '', { exact: true }).waitFor();
    await open('/payees', 'Payees');
    const row = page.getByRole('row').filter({ hasText: 'Till' });
    await row.getByRole('cell', { name: 'XLM', exact: true }).waitFor();
    await row.getByText('Active', { exact: true }).waitFor();

    await open(`/payees/${recipient.recipient_id}`, 'Till');
    await press('Prove by domain');
    await newest.getByText(`Domain ${us.domain}, proven`).waitFor();
    await press('Activate');
    const dialog = page.getByRole('alertdialog', { name: 'Activate version 2' });
    await dialog.getByText('will then go to version 2 instead of version 1.').waitFor();
    await dialog.getByText('People who paid you before are warned that the payee changed.').waitFor();
    const addresses = dialog.locator('dt:text-is("Address") + dd').getByRole('img');
    expect(await addresses.nth(0).getAttribute('aria-label')).toBe(address);
    expect(await addresses.nth(1).getAttribute('aria-label')).toBe(before?.address);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  it('shows a policy’s limits, use and end as they are, and revokes only the one that is named', async () => {
    const { merchant, recipient } = payee;
    const [connection] = (await merchant.connections.list()).connections;
    const { id } = await merchant.policies.create({
      connection_id: connection?.connection_id ?? '',
      network: 'stellar_testnet',
      asset: 'XLM',
      single_tx_limit: '5',
      cumulative_limit: '50',
      valid_from: '2020-01-01T00:00:00.000Z',
      valid_until: '2099-03-04T12:00:00.000Z',
      allowlist: [recipient.recipient_id],
    });
    await open('/policies', 'Policies');
    const row = page.getByRole('row').filter({ hasText: id });
    await row.getByRole('cell', { name: '5 XLM', exact: true }).waitFor();
    await row.getByRole('cell', { name: '50 XLM 0 spent, 50 left', exact: true }).waitFor();
    await row.getByRole('cell', { name: '4 Mar 2099', exact: true }).waitFor();
    await press(`Revoke policy ${id}`);
    const revoke = page.getByRole('alertdialog').getByRole('button', { name: 'Revoke', exact: true });
    await page.getByRole('alertdialog').getByRole('textbox').fill('pol_another');
    expect(await revoke.isDisabled()).toBe(true);
    await page.getByRole('alertdialog').getByRole('textbox').fill(id);
    await revoke.click();
    await row.getByText('Revoked', { exact: true }).waitFor();
    expect(await row.getByRole('button').count()).toBe(0);
  });

  it('gives an agent no more scopes than are ticked, and activates none without a key', async () => {
    const [scope = '', ...others] = SCOPES;
    await open('/agents', 'Agents');
    await press('Create agent');
    await field('Name').fill('Stock');
    await field('Runtime').fill('node');
    await page.getByRole('checkbox', { name: scope }).uncheck();
    const created = await sent('POST', /\/agents$/);
    await page.getByRole('dialog').getByRole('button', { name: 'Create agent' }).click();
    expect(await created()).toMatchObject({ name: 'Stock', allowed_scopes: others });
    await page.getByRole('heading', { name: 'Stock', level: 1 }).waitFor();
    expect(await page.getByRole('button', { name: 'Activate agent' }).isDisabled()).toBe(true);
    await page.getByText('It needs a key before it can be activated.').waitFor();
    const agentId = (await page.getByText(/^agt_/).first().textContent()) ?? '';
    await Promise.all([page.waitForEvent('download'), press('Make a key here')]);
    await page.getByRole('button', { name: /^Revoke key / }).click();
    await page.getByRole('radio', { name: 'Rotated' }).check();
    const revoked = await sent('POST', /\/revoke$/);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke key' }).click();
    expect(await revoked()).toMatchObject({ reason: 'rotated' });
    await page.getByRole('row').getByText('Revoked', { exact: true }).waitFor();
    expect((await payee.merchant.agents.read(agentId)).credentials).toMatchObject([{ status: 'revoked' }]);
  });

  it('subscribes an endpoint to what is ticked, and a revoked key cannot be revoked again', async () => {
    await open('/webhooks', 'Webhooks');
    await press('Add endpoint');
    await field('URL').fill('http://127.0.0.1:9/webhooks');
    await page.getByText('Which events').click();
    const events = page.getByRole('dialog').getByRole('checkbox');
    await events.first().uncheck();
    const ticked = await page.locator('input[name="events"]:checked').all();
    const left = await Promise.all(ticked.map((one) => one.getAttribute('value')));
    const added = await sent('POST', /\/webhook-endpoints$/);
    await page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click();
    expect(await added()).toMatchObject({ events: left });
    await press('I have kept it');
    await press('Change');
    await events.first().check();
    await events.last().uncheck();
    const changed = await sent('PATCH', /\/webhook-endpoints\//);
    await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click();
    const { events: chosen, description } = (await changed()) as { events: string[]; description: unknown };
    expect([chosen.length, chosen.includes(left.at(-1) ?? ''), description]).toEqual([left.length, false, null]);

    const { api_key } = await payee.merchant.apiKeys.create({ name: 'Old server' });
    await payee.merchant.apiKeys.revoke(api_key.api_key_id);
    await open('/api-keys', 'API keys');
    const row = page.getByRole('row').filter({ hasText: 'Old server' });
    await row.getByText('Revoked', { exact: true }).waitFor();
    expect(await row.getByRole('button').count()).toBe(0);
    expect(operator.complaints().filter((text) => !text.includes('422') && !text.includes('400'))).toEqual([]);
  });
});
