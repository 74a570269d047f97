import 'reflect-metadata';
import { chromium } from 'playwright-core';
import { ask, startWalletScene } from './support/wallet-scene';
import { Person } from './support/person';
const t0 = Date.now();
const log = (...a: unknown[]) => console.log(((Date.now() - t0) / 1000).toFixed(1), ...a);
setTimeout(() => {
  log('TIMEOUT');
  process.exit(2);
}, 90000);
(async () => {
  const scene = await startWalletScene();
  log('scene');
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
  context.setDefaultTimeout(10000);
  const page = await context.newPage();
  page.on('console', (m) => log('console', m.type(), m.text()));
  page.on('pageerror', (e) => log('pageerror', e.stack));
  const person = new Person(page, scene.url);
  const agent = await scene.newAgent();
  let n = 0;
  const shot = async () => {
    await page.screenshot({ path: `/tmp/shots/s${n++}.png`, fullPage: true });
  };
  try {
    const words = await person.setUp();
    log('set up', words.split(' ').length);
    await shot();
    const address = await person.address();
    log(address);
    await shot();
    scene.horizon.fund(address);
    await person.connect(agent);
    log('connected');
    await shot();
    await person.goTo('Requests');
    const { transaction_id } = await agent.describeTransaction({ title: 'Two flat whites', summary: 'Table 4' });
    const request = await ask(agent, scene.payee, '12.50', { transaction_id });
    log('asked');
    await page.getByRole('list', { name: 'Requests' }).getByRole('link', { name: 'Corner Coffee' }).click();
    await page.getByText('Two flat whites').waitFor();
    await shot();
    await person.button('Approve and sign').click();
    const final = await agent.waitForPaymentRequest(request.request_id, { timeoutMs: 20000 } as any);
    log(final.status, final.transaction_hash);
    await page.waitForTimeout(2000);
    await shot();
  } catch (e) {
    log('ERR', e);
    await shot();
  }
  await browser.close();
  process.exit(0);
})();
