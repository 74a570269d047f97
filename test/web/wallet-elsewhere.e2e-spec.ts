import { Networks, TransactionBuilder } from '@stellar/stellar-base';
import { type Locator, type Page } from 'playwright-core';
import { encode } from 'uqr';
import { type AgentClient } from '../../sdk/src/index.ts';
import { describeInBrowser, NARROW, WIDE } from './support/browser';
import { flaws } from './support/looks';
import { type Person } from './support/person';
import { type PersonScene, startPersonScene } from './support/person-scene';
import { ask } from './support/wallet-scene';

const focusedRole = (page: Page): Promise<string> => page.evaluate<string>('document.activeElement?.tagName ?? ""');

/** Whether the code on the screen, module by module, is the one of this text: a camera reads nothing else. */
async function isCodeOf(code: Locator, text: string): Promise<boolean> {
  const { data } = encode(text, { ecc: 'M', border: 2 });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h`] : [])));
  const drawn = (await code.locator('path').getAttribute('d')) ?? '';
  return JSON.stringify(drawn.match(/M\d+ \d+h/g)) === JSON.stringify(dark);
}

/** Waits for the words, and expects them to be in the viewport. */
async function inSight(page: Page, words: string): Promise<void> {
  const place = page.getByText(words);
  await place.waitFor();
  expect((await place.boundingBox())?.y).toBeGreaterThan(0);
}

describeInBrowser('a wallet without a network server', (browser) => {
  let scene: PersonScene;
  let person: Person;
  let page: Page;
  let agent: AgentClient;

  beforeAll(async () => {
    scene = await startPersonScene(browser(), { withNetwork: false });
    ({ person } = scene);
    ({ page } = person);
    agent = await scene.newAgent();
    await person.setUp();
    await person.connect(agent);
  }, 120_000);
  afterAll(() => scene.stop());

  it('shows what it signed as text and QR code, and accepts the hash of the submitted transaction', async () => {
    const request = await ask(agent, scene.payee, '7.25');
    await person.review('7.25');
    await person.field('Sequence number').fill('42');
    await person.button('Approve and sign').click();
    const xdr = await person.field('Signed transaction').inputValue();
    expect(await isCodeOf(page.getByRole('img', { name: 'To scan' }), xdr)).toBe(true);
    expect((await agent.readPaymentRequest(request.request_id)).status).toBe('signed');
    const transaction = TransactionBuilder.fromXDR(xdr, Networks.TESTNET);
    expect(transaction.operations).toMatchObject([{ destination: scene.payee.address, amount: '7.2500000' }]);
    expect('sequence' in transaction && transaction.sequence).toBe('42');
    expect(await flaws(page)).toEqual([]);

    // The signed transaction is still there after a reload.
    await page.reload();
    await person.unlock();
    await page.getByLabel('Signed transaction', { exact: true }).waitFor();
    expect(await person.field('Signed transaction').inputValue()).toBe(xdr);
    await person.button('I have paid').click();
    const hash = transaction.hash().toString('hex');
    await person.field('Transaction hash').fill(hash);
    await person.button('I have paid').click();
    await page.getByText('You gave its hash. Nobody has looked for it.').waitFor();
    expect(await agent.readPaymentRequest(request.request_id)).toMatchObject({
      status: 'broadcasted',
      transaction_hash: hash,
    });
    await person.button('It is in a ledger').click();
    expect((await agent.waitForPaymentRequest(request.request_id)).status).toBe('confirmed');
    await page.getByText('You said that it is in a ledger. Nobody has looked.').waitFor();
  });

  it('finishes as practice, and says so', async () => {
    const request = await ask(agent, scene.payee, '8');
    await person.review('8');
    await person.button('Approve and sign').click();
    await person.button('Finish as practice').click();
    await page.getByText('As practice: no money has moved.').waitFor();
    expect((await agent.waitForPaymentRequest(request.request_id)).status).toBe('confirmed');
    await person.goTo('Requests');
    await page.getByRole('list', { name: 'Requests' }).getByText('Practice', { exact: true }).waitFor();
    expect(await flaws(page)).toEqual([]);
    expect(scene.horizon.received).toEqual([]);
  });

  it('links to another wallet, and accepts the hash from there; a mistyped one can be corrected', async () => {
    const request = await ask(agent, scene.payee, '9');
    await person.review('9');
    await person.button('Show payment QR code').click();
    const link = page.getByRole('link', { name: 'Open in another wallet' });
    expect(await link.getAttribute('href')).toMatch(new RegExp(`^web\\+stellar:pay\\?.*${scene.payee.address}`));
    const uri = (await link.getAttribute('href')) ?? '';
    expect(await isCodeOf(page.getByRole('img', { name: 'Payment for another wallet' }), uri)).toBe(true);
    expect(await flaws(page)).toEqual([]);
    await person.button('I have paid').click();
    await person.field('Transaction hash').fill('not a hash');
    await person.button('I have paid').click();
    await page.getByText('A Stellar transaction hash has 64 characters').waitFor();
    await person.field('Transaction hash').fill('AB'.repeat(32));
    await person.button('I have paid').click();
    await page.getByText('You gave its hash. Nobody has looked for it.').waitFor();
    expect(await agent.readPaymentRequest(request.request_id)).toMatchObject({
      status: 'broadcasted',
      transaction_hash: 'ab'.repeat(32),
    });
  });

  it('accepts the hash of another wallet although the request has expired, and keeps what was typed', async () => {
    const request = await ask(agent, scene.payee, '9.5');
    const place = new RegExp(`/v1/payment-requests/${request.request_id}(\\?|$)`);
    await person.review('9.5');
    await person.button('I have paid').click();
    await person.field('Transaction hash').fill('cd'.repeat(32));
    // The page hears of the end before the person has pressed the button.
    await page.route(place, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { payment_request: object };
      const payment_request = { ...body.payment_request, status: 'expired', is_final: true };
      await route.fulfill({ response, json: { ...body, payment_request } });
    });
    const refusal = { code: 'request_expired', message: 'Too late.', details: { current_status: 'expired' } };
    const reports: object[] = [];
    await page.route('**/status', async (route) => {
      reports.push(route.request().postDataJSON() as object);
      await route.fulfill({ status: 409, json: { ok: false, error: refusal } });
    });
    await ask(agent, scene.payee, '9.6');
    await page.getByText('Nobody approved it in time.').waitFor();
    expect(await person.field('Transaction hash').inputValue()).toBe('cd'.repeat(32));
    expect(await flaws(page)).toEqual([]);
    await person.button('I have paid').click();
    await page.getByText('If you have paid, do not pay again: talk to Corner Coffee.').waitFor();
    expect(reports.at(-1)).toMatchObject({ status: 'broadcasted', transaction_hash: 'cd'.repeat(32) });
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('shows the outcome even at the end of a long page, by touch or keyboard', async () => {
    await page.setViewportSize(NARROW);
    await ask(agent, scene.payee, '9.75');
    await person.review('9.75');
    // The focus is at the start of the main content.
    expect(await focusedRole(page)).toBe('MAIN');
    await person.button('Approve and sign').press('Enter');
    await person.field('Signed transaction').waitFor();
    await inSight(page, 'Signed. It is up to you to submit it.');
    expect(await focusedRole(page)).toBe('MAIN');
    await person.button('Finish as practice').press('Enter');
    await inSight(page, 'As practice: no money has moved.');
    expect(await focusedRole(page)).toBe('MAIN');
    await page.setViewportSize(WIDE);
  });

  it('broke no content policy, threw nothing, and called no other server', () => {
    expect(scene.visitor.complaints()).toEqual([]);
  });
});
