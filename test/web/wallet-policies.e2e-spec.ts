import { type Page } from 'playwright-core';
import { type AgentClient, AgentPaymentsClient } from '../../sdk/src/index.ts';
import { describeInBrowser } from './support/browser';
import { flaws } from './support/looks';
import { type Person } from './support/person';
import { type PersonScene, startPersonScene } from './support/person-scene';
import { ask } from './support/wallet-scene';

const DAY_MS = 24 * 3_600_000;

describeInBrowser('policies in the wallet', (browser) => {
  let scene: PersonScene;
  let person: Person;
  let page: Page;
  let agent: AgentClient;
  let payments: AgentPaymentsClient;
  let connectionId: string;

  beforeAll(async () => {
    scene = await startPersonScene(browser());
    ({ person } = scene);
    ({ page } = person);
    agent = await scene.newAgent();
    await person.setUp();
    scene.horizon.fund(await person.address());
    await person.connect(agent);
    // A payee this device was asked to pay is known by name from then on.
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

  it('are proposed by the merchant, made tighter by the person, and hold as the person chose', async () => {
    await person.goTo('Policies');
    const { id } = await scene.merchant.policies.create({
      connection_id: connectionId,
      network: 'stellar_testnet',
      asset: 'XLM',
      single_tx_limit: '5',
      cumulative_limit: '50',
      valid_from: new Date(Date.now() - DAY_MS).toISOString(),
      valid_until: new Date(Date.now() + DAY_MS).toISOString(),
      allowlist: [scene.payee.recipient_id],
    });
    await page.getByText('at most 50 XLM').waitFor();
    expect(await flaws(page)).toEqual([]);
    await person.button('Allow').click();
    const dialog = page.getByRole('dialog', { name: 'Allow' });
    await dialog.getByLabel('Cumulative limit').fill('60');
    await dialog.getByRole('button', { name: 'Allow' }).click();
    await dialog.locator('[aria-invalid="true"]').waitFor();
    expect(await flaws(page)).toEqual([]);
    await dialog.getByLabel('Cumulative limit').fill('4');
    await dialog.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('0 XLM spent, 4 XLM left').waitFor();
    const policy = await scene.merchant.policies.read(id);
    expect(policy).toMatchObject({ status: 'active', single_tx_limit: '5', cumulative_limit: '4' });
  });

  it('let an agent ask within them; the payment is signed here, and the use is shown', async () => {
    const { id } = await pay('3', 'within');
    await expect(pay('3', 'beyond')).rejects.toMatchObject({ code: 'HC_NC_5_HITL_REQUIRED' });
    await person.review('3 XLM');
    await person.button('Approve and sign').click();
    await page.getByText('Corner Coffee has the money.').waitFor();
    expect(await payments.read(id)).toMatchObject({ status: 'confirmed' });
    await person.goTo('Policies');
    await page.getByText('3 XLM spent, 1 XLM left').waitFor();
  });

  it('are stopped by the person in a second step', async () => {
    await person.button('Stop').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('Stopped', { exact: true }).waitFor();
    await expect(pay('1', 'stopped')).rejects.toMatchObject({ code: 'HC_NC_5_HITL_REQUIRED' });
  });

  it('are made by the person too, with every problem at its field', async () => {
    await person.button('Make policy').click();
    const dialog = page.getByRole('dialog', { name: 'Make policy' });
    await dialog.getByRole('button', { name: 'Make policy' }).click();
    await dialog.locator('[aria-invalid="true"]').first().waitFor();
    expect(await dialog.locator('[aria-invalid="true"]').count()).toBeGreaterThanOrEqual(2);
    expect(await flaws(page)).toEqual([]);
    await dialog.getByLabel('Single tx limit').fill('2');
    await dialog.getByLabel('Cumulative limit').fill('10');
    await dialog.getByRole('checkbox', { name: 'Corner Coffee' }).check();
    await dialog.getByRole('button', { name: 'Make policy' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('at most 10 XLM').waitFor();
    expect((await pay('2', 'own')).status).toBe('intent_created');
  });

  it('have broken no rule of the page, thrown nothing, and asked nobody else', () => {
    expect(scene.visitor.complaints()).toEqual([]);
  });
});
