import { type Page, type Route } from 'playwright-core';
import { type AgentClient, AgentPaymentsClient, type PaymentRequest } from '../../sdk/src/index.ts';
import { describeInBrowser } from './support/browser';
import { type Person } from './support/person';
import { type ConnectedScene, startConnectedScene } from './support/person-scene';
import { ask } from './support/wallet-scene';

const ISSUER = 'GBZXN7PIRZGNMHGA7MUUUF4GWPY5AYPV6LY4UV2GL6VJGIQRXFDNMADI';
const ANOTHER = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
const ANY_ORIGIN = { 'access-control-allow-origin': '*' };

/** A payment with these changes to what the service answers. */
type Change = (request: PaymentRequest) => object;

describeInBrowser('what the wallet shows before a person decides', (browser) => {
  let scene: ConnectedScene;
  let person: Person;
  let page: Page;
  let agent: AgentClient;

  beforeAll(async () => {
    scene = await startConnectedScene(browser());
    ({ person, agent } = scene);
    ({ page } = person);
  }, 120_000);
  afterEach(() => page.unrouteAll({ behavior: 'wait' }));
  afterAll(() => scene.stop());

  const answering = (change: Change) => async (route: Route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { payment_request: PaymentRequest };
    const payment_request = { ...body.payment_request, ...change(body.payment_request) };
    await route.fulfill({ response, json: { ...body, payment_request } });
  };
  async function reviewAs(amount: string, change: Change): Promise<PaymentRequest> {
    const request = await ask(agent, scene.payee, amount);
    await page.route(new RegExp(`/v1/payment-requests/${request.request_id}(\\?|$)`), answering(change));
    await person.review(amount);
    return request;
  }

  it('names the issuer of a token, and counts only what the account holds of that one', async () => {
    await page.route(`${scene.horizon.url}/accounts/*`, (route) =>
      route.fulfill({
        headers: ANY_ORIGIN,
        json: {
          sequence: '1',
          balances: [{ balance: '500', asset_type: 'credit_alphanum4', asset_code: 'USDC', asset_issuer: ANOTHER }],
        },
      }),
    );
    await reviewAs('1.1', ({ payment }) => ({ payment: { ...payment, asset: 'USDC', issuer: ISSUER } }));
    await person.heading('Pay 1.1 USDC').waitFor();
    await page.getByText(ISSUER, { exact: true }).waitFor();
    await page.getByText('Not enough in the account').waitFor();
    await page.getByText('The account holds 0 USDC.').waitFor();
  });

  it('does not offer to sign on a network that it has no key for', async () => {
    await reviewAs('1.2', ({ payment }) => ({ payment: { ...payment, network: 'base_sepolia', contract: '0xabcd' } }));
    await page.getByText('This wallet cannot sign on').waitFor();
    await page.getByRole('img', { name: '0xabcd' }).waitFor();
    expect(await person.button('Approve and sign').count()).toBe(0);
    await person.button('Reject').waitFor();
  });

  it('does not offer to sign what has expired, although nobody has said so yet', async () => {
    await reviewAs('1.3', () => ({ expires_at: '2020-01-01T00:00:00.000Z' }));
    await page.getByText('This request has expired. The agent can ask again.').waitFor();
    expect(await person.button('Approve and sign').count()).toBe(0);
  });

  it('puts nothing that was typed for one merchant’s request into another’s of the same id', async () => {
    const { request_id: id, connection_id: own } = await ask(agent, scene.payee, '1.4');
    await page.route(/[?&]connection_id=con_other\b/, async (route) => {
      const url = route.request().url().replace('con_other', own);
      const response = await route.fetch({ url });
      const body = (await response.json()) as { payment_request: PaymentRequest };
      const payment_request = { ...body.payment_request, connection_id: 'con_other' };
      await route.fulfill({ response, json: { ...body, payment_request } });
    });
    const open = async (connection: string): Promise<void> => {
      await page.evaluate(`location.hash = '#/requests/${id}?connection=${connection}'`);
      await person.heading('Pay 1.4 XLM').waitFor();
    };
    await open('con_other');
    await open(own);
    await person.button('I have paid').click();
    await person.field('Transaction hash').fill('ab'.repeat(32));
    await page.goBack();
    await page.waitForURL((url) => url.hash.endsWith('con_other'));
    await person.button('I have paid').click();
    expect(await person.field('Transaction hash').inputValue()).toBe('');
  });

  it('names the connections whose requests have the same id', async () => {
    const { request_id: id, connection_id: own } = await ask(agent, scene.payee, '1.7');
    const isOpen = ({ pathname, searchParams }: URL) =>
      pathname.endsWith(`/v1/payment-requests/${id}`) && !searchParams.has('connection_id');
    const details = { connection_ids: [own, 'con_other'] };
    const error = { code: 'ambiguous_request_id', message: 'Which one?', request_id: 'req_1', details };
    await page.route(isOpen, (route) => route.fulfill({ status: 409, json: { ok: false, error } }));
    await page.evaluate(`location.hash = '#/requests/${id}'`);
    await person.heading('Which one?').waitFor();
    const listed = page.getByRole('main').getByRole('listitem');
    expect(await listed.allTextContents()).toEqual([`Barista agent of Corner Coffee ${own}`, 'con_other']);
    await listed.getByRole('link', { name: 'Barista agent of Corner Coffee' }).click();
    await person.heading('Pay 1.7 XLM').waitFor();
  });

  it('names whoever asks, or is to be allowed to pay alone, as the person agreed to', async () => {
    const { connection_id } = await ask(agent, scene.payee, '1.5');
    const { secret } = await scene.merchant.apiKeys.create({ name: 'Till' });
    const payments = new AgentPaymentsClient({ baseUrl: scene.url, apiKey: secret });
    const { recipient_id } = scene.payee;
    const asked = {
      network: 'stellar_testnet',
      recipient_id,
      amount: '1.6',
      initiator: 'human',
      connection_id,
    } as const;
    const { id } = await payments.create({ ...asked, idempotency_key: '1.6' });
    await scene.merchant.policies.create({
      connection_id,
      network: 'stellar_testnet',
      asset: 'XLM',
      single_tx_limit: '5',
      cumulative_limit: '50',
      valid_from: '2020-01-01T00:00:00.000Z',
      valid_until: '2099-01-01T00:00:00.000Z',
      allowlist: [recipient_id],
    });
    const { version } = await scene.merchant.read();
    await scene.merchant.rename({ version, name: 'Your Bank' });
    await page.reload();
    await person.unlock();
    await person.review('1.6');
    await page.getByText('A person at the merchant for Corner Coffee').waitFor();
    await person.button('Reject').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reject', exact: true }).click();
    await page.getByText('You said no. Nothing is paid.').waitFor();
    expect(await payments.read(id)).toMatchObject({ status: 'rejected' });
    await person.goTo('Policies');
    await person.heading('Barista agent of Corner Coffee').waitFor();
    await person.button('Make policy').click();
    const offered = page.getByLabel('Connection', { exact: true }).locator('option');
    expect(await offered.allTextContents()).toEqual(['Barista agent · Corner Coffee']);
  });

  it('broke no content policy, threw nothing, and called no other server', () => {
    expect(scene.visitor.complaints()).toEqual([]);
  });
});
