import 'reflect-metadata';
import { chromium } from 'playwright-core';
import { ask, startWalletScene } from './support/wallet-scene';
import { Person, PASSPHRASE } from './support/person';
import { flaws } from './support/looks';
const t0 = Date.now();
const log = (...a: unknown[]) => console.log(((Date.now() - t0) / 1000).toFixed(1), ...a);
setTimeout(() => {
  log('TIMEOUT');
  process.exit(2);
}, 150000);
const withNetwork = process.argv[2] !== 'no';
const dark = process.argv[3] === 'dark';
const wide = process.argv[4] === 'wide';
(async () => {
  const scene = await startWalletScene({ withNetwork });
  log('scene');
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const context = await browser.newContext({
    viewport: wide ? { width: 1600, height: 1000 } : { width: 360, height: 740 },
    colorScheme: dark ? 'dark' : 'light',
  });
  context.setDefaultTimeout(10000);
  const page = await context.newPage();
  page.on('console', (m) => m.type() === 'error' && log('console', m.type(), m.text()));
  page.on('pageerror', (e) => log('pageerror', e.stack));
  const person = new Person(page, scene.url);
  const agent = await scene.newAgent();
  const shot = async (name: string, check = true) => {
    await page.waitForTimeout(150);
    await page.screenshot({ path: `/tmp/shots/${name}.png`, fullPage: false });
    if (check) {
      const f = await flaws(page);
      if (f.length) log(name, f);
      await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
    }
  };
  try {
    await person.open();
    await person.heading('Set up this device').waitFor();
    await shot('01-setup');
    await person.button('Make a new key').click();
    await shot('02-setup-problems');
    await person.button('Restore from words').click();
    await person.field('Words').fill('one two three');
    await person.button('Restore from words').click();
    await shot('03-restore');
    await person.button('Make a new key').click();
    await person.field('Device name').fill('My phone');
    await person.field('Passphrase').fill(PASSPHRASE);
    await person.field('Repeat passphrase').fill(PASSPHRASE);
    await person.button('Make a new key').click();
    await page.waitForTimeout(300);
    await shot('04-sealing', false);
    await person.heading('Keep these words').waitFor();
    await page.getByRole('list', { name: 'Words' }).waitFor();
    await shot('05-words');
    await person.button('I have kept it').click();
    await person.heading('Requests').waitFor();
    await shot('06-requests-empty');
    const address = await person.address();
    await shot('07-keys');
    scene.horizon.fund(address);
    await person.button('Add account').first().click();
    await shot('08-add-account');
    await page.getByRole('dialog').getByRole('button', { name: 'Add account' }).click();
    await page.getByText('Account 2').first().waitFor();
    await shot('09-accounts');
    await person.button('Show words').click();
    await page.getByRole('dialog').getByLabel('Passphrase').fill(PASSPHRASE);
    await page.getByRole('dialog').getByRole('button', { name: 'Show words' }).click();
    await page.getByRole('dialog').getByRole('list', { name: 'Words' }).waitFor();
    await shot('10-show-words');
    await person.button('I have kept it').click();
    await person.goTo('Device');
    await shot('11-device');
    await person.button('Remove this device').click();
    await shot('12-remove');
    await person.button('Close').click();
    await person.goTo('Connections');
    await shot('13-connections-empty');
    await person.button('Show Connect Key').click();
    const key = (await page.getByText(/^svc_ck_/).textContent()) ?? '';
    await shot('14-connect-key');
    const claimed = await agent.claimConnectKey(key, [
      'payment.requests.create',
      'payment.requests.read',
      'transaction_contexts.create',
      'transaction_contexts.read',
    ]);
    await person.button('Approve connection').waitFor();
    await shot('15-decision');
    await person.button('Approve connection').click();
    await agent.waitForApproval(claimed, { intervalMs: 50 });
    await page.getByRole('list', { name: 'Connections' }).getByRole('link').first().click();
    await page.getByText('It may').waitFor();
    await shot('16-connection');
    await person.goTo('Requests');
    const { transaction_id } = await agent.describeTransaction({
      title: 'Two flat whites',
      summary: 'Table 4, with oat milk',
      items: [{ label: 'Flat white', value: '2 × 6.25' }],
    });
    const request = await ask(agent, scene.payee, '12.50', { transaction_id });
    await ask(agent, scene.payee, '0.0000001');
    await page.getByRole('list', { name: 'Requests' }).getByRole('link', { name: '12.50' }).waitFor();
    await shot('17-requests');
    await page.getByRole('list', { name: 'Requests' }).getByRole('link', { name: '12.50' }).click();
    await page.getByText('Two flat whites').waitFor();
    await page.waitForTimeout(500);
    await page.screenshot({ path: `/tmp/shots/18-review.png`, fullPage: true });
    await shot('18-review-top');
    await person.button('Reject').click();
    await shot('19-reject');
    await person.button('Close').click();
    await person.button('Approve and sign').click();
    if (withNetwork) {
      const final = await agent.waitForPaymentRequest(request.request_id, { timeoutMs: 20000 } as any);
      log(final.status, final.transaction_hash);
      await page.getByText('has the money').waitFor();
      await shot('20-paid');
    } else {
      await person.field('Signed transaction').waitFor();
      await page.screenshot({ path: `/tmp/shots/20-signed.png`, fullPage: true });
      await shot('20-signed-top');
      await person.button('I have paid').click();
      await shot('21-told');
      await person.button('Finish as practice').click();
      await page.getByText('As practice').waitFor();
      await shot('22-practice');
    }
    await person.goTo('Requests');
    await shot('23-requests');
    await person.goTo('Policies');
    await shot('24-policies-empty');
    await person.button('Make policy').click();
    await page.waitForTimeout(300);
    await page.screenshot({ path: `/tmp/shots/25-make-policy.png`, fullPage: true });
    await shot('25-make-policy-top');
    await page.getByRole('dialog').getByRole('button', { name: 'Make policy' }).click();
    await page.waitForTimeout(600);
    await shot('26-make-policy-problems');
    await person.button('Close').click();
    await page.reload();
    await person.heading('Locked').waitFor();
    await shot('27-locked');
    await person.field('Passphrase').fill('wrong');
    await person.button('Unlock').click();
    await page.getByText('This is not the passphrase.').waitFor();
    await shot('28-wrong');
    await person.unlock();
    log('unlocked');
  } catch (e) {
    log('ERR', e);
    await shot('99', false);
  }
  await browser.close();
  process.exit(0);
})();
