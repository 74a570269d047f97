import 'reflect-metadata';
import { chromium } from 'playwright-core';
import { startWalletScene } from './support/wallet-scene';
(async () => {
  const scene = await startWalletScene();
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const page = await (await browser.newContext({ viewport: { width: 360, height: 740 } })).newPage();
  page.on('console', (m) => console.log('console', m.type(), m.text()));
  page.on('pageerror', (e) => console.log('pageerror', e.stack));
  page.on('requestfailed', (r) => console.log('failed', r.url(), r.failure()));
  await page.goto(scene.url + '/wallet/');
  await page.waitForTimeout(2500);
  await page.screenshot({ path: '/tmp/shot.png' });
  console.log(await page.content());
  await browser.close();
  process.exit(0);
})();
