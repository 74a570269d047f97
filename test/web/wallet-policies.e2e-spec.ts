import { type Page, type Route } from 'playwright-core';
import { type AgentClient, AgentPaymentsClient } from '../../sdk/src/index.ts';
import { exactTime } from '../../web/ui/time-words.ts';
import { describeInBrowser, leave } from './support/browser';
import { flaws } from './support/looks';
import { type Person } from './support/person';
import { type ConnectedScene, startConnectedScene } from './support/person-scene';
import { openPage, visitAs } from './support/portal';
import { ask } from './support/wallet-scene';

const DAY_MS = 24 * 3_600_000;

describeInBrowser('policies in the wallet', (browser) => {
  let scene: ConnectedScene;
  let person: Person;
  let page: Page;
  let agent: AgentClient;
  let payments: AgentPaymentsClient;
  let connectionId: string;

  beforeAll(async () => {
    scene = await startConnectedScene(browser());
    ({ person, agent } = scene);
    ({ page } = person);
    // Once this device was asked to pay a payee, it knows the payee's name.
    connectionId = (await ask(agent, scene.payee, '1')).connection_id;
    const { secret } = await scene.merchant.apiKeys.create({ name: 'Checkout' });
    payments = new AgentPaymentsClient({ baseUrl: scene.url, apiKey: secret });
  }, 120_000);
  afterAll(() => scene.stop());

  const pay = (amount: string, idempotency_key: string) =>
    payments.create({
      network: 'stellar_testnet',
      recipient_id: scene.payee.recipient_id,
      amount,
      initiator: 'agent',
      connection_id: connectionId,
      idempotency_key,
    });

  const propose = () =>
    scene.merchant.policies.create({
      connection_id: connectionId,
      network: 'stellar_testnet',
      asset: 'XLM',
      single_tx_limit: '5',
      cumulative_limit: '50',
      valid_from: new Date(Date.now() - DAY_MS).toISOString(),
      valid_until: new Date(Date.now() + DAY_MS).toISOString(),
      allowlist: [scene.payee.recipient_id],
    });

  it('are proposed by the merchant, tightened by the person, and apply as the person chose', async () => {
    await person.goTo('Policies');
    await page.getByText('No policy', { exact: true }).waitFor();
    expect(await page.getByRole('list', { name: 'Policies' }).count()).toBe(0);
    const { id } = await propose();
    await page.getByText('at most 50 XLM').waitFor();
    await page.getByText('at most 5 XLM', { exact: true }).waitFor();
    await page.getByText(scene.payee.address, { exact: true }).waitFor();
    expect(await flaws(page)).toEqual([]);
    await person.button('Allow').click();
    const dialog = page.getByRole('dialog', { name: 'Allow' });
    await dialog.getByText('there is nothing to compare with').waitFor();
    await dialog.getByLabel('Cumulative limit').fill('60');
    await dialog.getByRole('button', { name: 'Allow' }).click();
    await dialog.locator('[aria-invalid="true"]').waitFor();
    expect(await flaws(page)).toEqual([]);
    await dialog.getByLabel('Cumulative limit').fill('4');
    const sent = page.waitForRequest((request) => request.url().endsWith('/opt-in'));
    await dialog.getByRole('button', { name: 'Allow' }).click();
    // The service refuses it if another address than the one that was shown would be agreed to.
    const { payees } = await scene.merchant.policies.read(id);
    expect((await sent).postDataJSON()).toMatchObject({
      recipient_version_ids: payees.map(({ recipient_version_id }) => recipient_version_id),
    });
    await page.getByText('0 XLM spent, 0 XLM reserved, 4 XLM left').waitFor();
    const policy = await scene.merchant.policies.read(id);
    expect(policy).toMatchObject({ status: 'active', single_tx_limit: '5', cumulative_limit: '4' });
  });

  it('let an agent pay within them; the payment is signed here, and the use is shown', async () => {
    const { id } = await pay('3', 'within');
    await expect(pay('3', 'beyond')).rejects.toMatchObject({ code: 'HC_NC_5_HITL_REQUIRED' });
    await person.review('3');
    await page.getByText('Barista agent, by its policy for Corner Coffee').waitFor();
    await person.button('Approve and sign').click();
    await page.getByText('Corner Coffee has the money.').waitFor();
    expect(await payments.read(id)).toMatchObject({ status: 'confirmed' });
    // A payment that the agent decided looks different from one that a person requested.
    await person.goTo('Requests');
    const requests = page.getByRole('list', { name: 'Requests' });
    await requests.getByRole('link', { name: '3 XLM' }).getByText('By policy', { exact: true }).waitFor();
    await person.goTo('Policies');
    await page.getByText('3 XLM spent, 0 XLM reserved, 1 XLM left').waitFor();
  });

  it('are stopped by the person in a second step', async () => {
    await person.button('Stop').click();
    await page.getByRole('alertdialog').getByText('Spent so far: 3 XLM; reserved: 0 XLM.').waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('Stopped', { exact: true }).waitFor();
    await expect(pay('1', 'stopped')).rejects.toMatchObject({ code: 'HC_NC_5_HITL_REQUIRED' });
  });

  it('are created by the person too, with every problem shown at its field', async () => {
    await person.button('Make policy').click();
    const dialog = page.getByRole('dialog', { name: 'Make policy' });
    await dialog.getByRole('button', { name: 'Make policy' }).click();
    await dialog.locator('[aria-invalid="true"]').first().waitFor();
    expect(await dialog.locator('[aria-invalid="true"]').count()).toBeGreaterThanOrEqual(2);
    await dialog.getByRole('group', { name: 'Allowlist' }).getByText('Needs at least one entry').waitFor();
    expect(await flaws(page)).toEqual([]);
    // With a limit missing nothing is asked; then it is counted on the policy before this one, which judged two payments of 3.
    const lastMonth = dialog.getByRole('group', { name: 'Last month with these limits' });
    await dialog.getByLabel('Single tx limit').fill('2');
    await dialog.getByLabel('Cumulative limit').fill('10');
    await lastMonth.getByText('Once all limits are filled in').waitFor();
    await dialog.getByRole('checkbox', { name: 'Corner Coffee' }).check();
    await lastMonth.getByText('With these limits, 2 of 2 payments last month would have waited for you.').waitFor();
    await lastMonth.getByText('1 that went through would have waited.').waitFor();
    expect(await flaws(page)).toEqual([]);
    await page.route('**/simulate', (route) => route.abort());
    await dialog.getByLabel('Single tx limit').fill('3');
    await lastMonth.getByRole('alert').getByText('The service did not answer.').waitFor();
    await page.unroute('**/simulate');
    await lastMonth.getByRole('button', { name: 'Try again' }).click();
    await lastMonth.getByText('With these limits, 0 of 2 payments last month').waitFor();
    await dialog.getByLabel('Single tx limit').fill('2');
    await dialog.getByRole('button', { name: 'Make policy' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('at most 10 XLM').waitFor();
    expect((await pay('2', 'own')).status).toBe('intent_created');
  });

  it('show in the portal, too, what a change would have meant before it is proposed', async () => {
    const { page: portal, complaints } = await visitAs(browser(), scene.service, scene);
    await openPage(portal, scene.service, '/policies', 'Policies');
    const active = portal.getByRole('row').filter({ has: portal.getByText('Active', { exact: true }) });
    await active.getByRole('button', { name: 'Change policy' }).click();
    const dialog = portal.getByRole('dialog', { name: 'Change policy' });
    const lastMonth = dialog.getByRole('group', { name: 'Last month with these limits' });
    await lastMonth
      .getByText('With these limits, 0 of 1 payment last month would have waited for the person.')
      .waitFor();
    await dialog.getByLabel('Single tx limit').fill('1.5');
    await lastMonth.getByText('With these limits, 1 of 1 payment last month').waitFor();
    await lastMonth.getByText('Which ones').click();
    await lastMonth.getByText('more than one payment may be').waitFor();
    await dialog.getByRole('checkbox', { name: 'Corner Coffee' }).uncheck();
    await lastMonth.getByText('Once all limits are filled in').waitFor();
    await dialog.getByRole('checkbox', { name: 'Corner Coffee' }).check();
    expect(await flaws(portal)).toEqual([]);
    await dialog.getByRole('button', { name: 'Change policy' }).click();
    await portal.getByText('Awaiting opt-in', { exact: true }).waitFor();
    expect(complaints()).toEqual([]);
    await leave(portal);

    // The person is asked again, and sees the same. A policy that was stopped could be allowed as well.
    const cards = page.getByRole('list', { name: 'Policies' }).locator(':scope > li');
    const asking = cards.filter({ hasText: 'Waits for you' });
    await asking.getByRole('button', { name: 'Allow' }).first().click();
    const allow = page.getByRole('dialog', { name: 'Allow' });
    await allow.getByText('With these limits, 1 of 1 payment last month would have waited for you.').waitFor();
    await page.keyboard.press('Escape');
    // What waits for the person comes first, whatever came later.
    await scene.merchant.policies.revoke((await propose()).id);
    await page.getByText('Revoked', { exact: true }).waitFor();
    expect(await cards.getByText(/^(Waits for you|Stopped|Revoked)$/).allTextContents()).toEqual([
      'Waits for you',
      'Stopped',
      'Revoked',
    ]);
  });

  it('say that they pay nothing once their time is over, in the wallet and in the portal', async () => {
    const [from, until] = ['2019-03-04T05:06:07.000Z', '2020-01-01T00:00:00.000Z'];
    const issuer = 'GBZXN7PIRZGNMHGA7MUUUF4GWPY5AYPV6LY4UV2GL6VJGIQRXFDNMADI';
    const over = (policy: object): object => {
      const { payees = [], ...one } = policy as { payees?: object[] };
      const changed = payees.map((payee) => ({ ...payee, issuer, opted_in: false }));
      const times = { valid_from: from, valid_until: until };
      return { ...one, ...times, status: 'active', connection_status: 'paused', payees: changed };
    };
    const places = '**/v1/automation-policies**';
    const ended = async (route: Route): Promise<void> => {
      const response = await route.fetch();
      const { data, ...rest } = (await response.json()) as { data: { automation_policies?: object[] } };
      const { automation_policies: all } = data;
      await route.fulfill({
        response,
        json: { ...rest, data: all ? { ...data, automation_policies: all.map(over) } : over(data) },
      });
    };
    await page.route(places, ended);
    await page.reload();
    await person.unlock();
    await person.goTo('Policies');
    const [first] = await page.getByRole('list', { name: 'Policies' }).locator(':scope > li').all();
    await first?.getByText('Its time is over, so it can pay nothing.').waitFor();
    await first?.getByText('Its connection is paused, so it can pay nothing.').waitFor();
    await first?.getByText('It has changed since you agreed, so it is not paid without you.').waitFor();
    for (const action of ['Allow', 'Stop']) await first?.getByRole('button', { name: action }).waitFor();
    for (const shown of [exactTime(from), exactTime(until), issuer])
      await first?.getByText(shown, { exact: true }).waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    const { page: portal } = await visitAs(browser(), scene.service, scene);
    await portal.route(places, ended);
    await openPage(portal, scene.service, '/policies', 'Policies');
    await portal.getByText('pays nothing: its time is over, its connection is paused').first().waitFor();
    expect(await flaws(portal)).toEqual([]);
    await leave(portal);
  });

  it('are replaced after a question, declined for good, and made once though the answer was lost', async () => {
    await page.reload();
    await person.unlock();
    await person.goTo('Policies');
    const cards = page.getByRole('list', { name: 'Policies' }).locator(':scope > li');
    const proposed = cards.filter({ hasText: 'Waits for you' }).filter({ hasText: 'at most 50 XLM' });
    const allow = page.getByRole('dialog', { name: 'Allow' });
    const first = await propose();
    await proposed.getByRole('button', { name: 'Allow' }).click();
    await allow.getByRole('button', { name: 'Allow', exact: true }).click();
    await allow.waitFor({ state: 'detached' });
    const second = await propose();
    await proposed.getByRole('button', { name: 'Allow' }).click();
    await allow.getByRole('button', { name: 'Allow', exact: true }).click();
    await allow.getByText('Another policy is active for this agent and asset: at most 50 XLM').waitFor();
    expect(await scene.merchant.policies.read(first.id)).toMatchObject({ status: 'active' });
    expect(await flaws(page)).toEqual([]);
    await allow.getByRole('button', { name: 'Replace and allow' }).click();
    await allow.waitFor({ state: 'detached' });
    expect(await scene.merchant.policies.read(first.id)).toMatchObject({ status: 'replaced', replaced_by: second.id });
    expect(await scene.merchant.policies.read(second.id)).toMatchObject({ status: 'active', replaces: first.id });

    const third = await propose();
    await proposed.getByRole('button', { name: 'Decline' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Decline', exact: true }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    expect(await scene.merchant.policies.read(third.id)).toMatchObject({ status: 'declined' });

    await person.button('Make policy').click();
    const make = page.getByRole('dialog', { name: 'Make policy' });
    await make.getByLabel('Single tx limit').fill('2');
    await make.getByLabel('Cumulative limit').fill('12');
    await make.getByRole('checkbox', { name: 'Corner Coffee' }).check();
    await make.getByRole('button', { name: 'Make policy' }).click();
    const replace = make.getByRole('button', { name: 'Replace and make policy' });
    await replace.waitFor();
    const keys: (string | undefined)[] = [];
    await page.route('**/v1/automation-policies', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      keys.push(route.request().headers()['x-idempotency-key']);
      const response = await route.fetch();
      return keys.length === 1 ? route.abort() : route.fulfill({ response });
    });
    await replace.click();
    await make.getByText('The service did not answer.').first().waitFor();
    await replace.click();
    await make.waitFor({ state: 'detached' });
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0]]);
    const { automation_policies: all } = await scene.merchant.policies.list({ limit: 100 });
    expect(all.filter(({ cumulative_limit }) => cumulative_limit === '12')).toHaveLength(1);
  });

  it('broke no content policy, threw nothing, and called no other server', () => {
    expect(scene.visitor.complaints()).toEqual([]);
  });

  it('that cannot be shown leave the rest of the wallet on the screen', async () => {
    await page.route('**/v1/automation-policies/pol_*', (route) =>
      route.fulfill({ json: { ok: true, data: { id: 'pol_1', status: 'active' } } }),
    );
    await page.reload();
    await person.unlock();
    await page.getByRole('alert').getByText('This page could not be shown.').waitFor();
    await person.goTo('Requests');
  });
});
