import { SCOPES } from '../../sdk/src/index.ts';
import { grantFor, signIn, signUpMerchant, type SignedUpMerchant } from '../support/merchant';
import { MovingClock } from '../support/moving-clock';
import { startTestService } from '../support/service';
import { connectedPayee } from './support/connected-payee';
import { describeInBrowser, leave } from './support/browser';
import { openPage, type PortalScene, startPortalScene, visitAs } from './support/portal';

const HOUR_MS = 3_600_000;
const PUBLIC_KEY = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';

describeInBrowser('the portal and the time', (browser) => {
  let scene: PortalScene;
  let us: SignedUpMerchant;
  let payee: Awaited<ReturnType<typeof connectedPayee>>;
  beforeAll(async () => {
    scene = await startPortalScene();
    us = await signUpMerchant(scene.service, { dns: scene.dns });
    payee = await connectedPayee(scene, us);
  });
  afterAll(() => scene.stop());

  it.each([-5, 7])('counts by the service’s clock if the device’s is off by %i hours', async (hours) => {
    const { service } = scene;
    const request = await payee.ask('3');
    const { page, complaints } = await visitAs(browser(), service, us);
    await page.clock.setFixedTime(Date.now() + hours * HOUR_MS);
    await openPage(page, service, `/payments/${request}`, request);
    await page.getByText(/waits for 1[345]:\d\d more/).waitFor();
    const badge = page.getByRole('status', { name: 'Connection' });
    await badge.locator('[aria-live="off"]', { hasText: 'heard just now' }).waitFor();

    // A key that is valid from the device's future would be refused until then.
    const { agent_id } = await payee.merchant.agents.create({ name: 'Own', runtime: 'node', allowed_scopes: SCOPES });
    await openPage(page, service, `/agents/${agent_id}`, 'Own');
    const sent = page.waitForRequest((one) => one.method() === 'POST' && one.url().endsWith('/credentials'));
    await page.getByRole('button', { name: 'Make a key here' }).click();
    const { not_before } = (await sent).postDataJSON() as { not_before: string };
    expect(Math.abs(Date.parse(not_before) - Date.now())).toBeLessThan(HOUR_MS / 2);
    expect(complaints()).toEqual([]);
    await leave(page);
  });

  it('lets a key expire at the end of the chosen day in the person’s time zone', async () => {
    const { service } = scene;
    const { agent_id } = await payee.merchant.agents.create({ name: 'West', runtime: 'node', allowed_scopes: SCOPES });
    const { page, complaints } = await visitAs(browser(), service, us, { timezoneId: 'America/Los_Angeles' });
    await openPage(page, service, `/agents/${agent_id}`, 'West');
    await page.getByRole('button', { name: 'Use my own key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Use my own key' });
    await dialog.getByRole('textbox', { name: 'Public key' }).fill(PUBLIC_KEY);
    await dialog.getByLabel('Expires at').fill('2090-07-01');
    const sent = page.waitForRequest((one) => one.method() === 'POST' && one.url().endsWith('/credentials'));
    await dialog.getByRole('button', { name: 'Use my own key' }).click();
    expect((await sent).postDataJSON()).toMatchObject({ expires_at: '2090-07-02T06:59:59.999Z' });
    expect(complaints()).toEqual([]);
    await leave(page);
  });

  it('counts today’s payments from the new day after midnight', async () => {
    const { service } = scene;
    const { page, complaints } = await visitAs(browser(), service, us, { timezoneId: 'UTC' });
    const midnight = new Date().setUTCHours(24, 0, 0, 0);
    const linkOf = (at: number): string => `a[href*="from=${new Date(at).toISOString().slice(0, 10)}"]`;
    // The clocks of device and service agree.
    let now = midnight - 60_000;
    await page.route('**/v1/**', async (route) => {
      if (route.request().url().includes('/v1/events')) return route.abort();
      const response = await route.fetch();
      return route.fulfill({ response, headers: { ...response.headers(), date: new Date(now).toUTCString() } });
    });
    await page.clock.setFixedTime(now);
    await openPage(page, service, '/', 'Home');
    await page.locator(linkOf(now)).first().waitFor();
    now = midnight + 60_000;
    await page.clock.setFixedTime(now);
    // The page checks the clock every ten seconds.
    await page.locator(linkOf(now)).first().waitFor({ timeout: 40_000 });
    expect(complaints()).toEqual([]);
    await leave(page);
  });
});

describeInBrowser('the portal’s figures of today', (browser) => {
  const clock = new MovingClock();
  let scene: PortalScene;
  beforeAll(async () => {
    scene = await startPortalScene((options) => startTestService({ ...options, clock }));
  });
  afterAll(() => scene.stop());

  it('count what was confirmed today, although it was requested yesterday', async () => {
    const { service } = scene;
    const { email, ...us } = await signUpMerchant(service, { dns: scene.dns });
    const { wallet, ask } = await connectedPayee(scene, { email, ...us });
    // Noon, so that no midnight passes before the one that is meant.
    clock.moveTo(new Date(new Date().setUTCHours(36, 0, 0, 0)).toISOString());
    const expires_at = new Date(clock.now().getTime() + 72 * HOUR_MS).toISOString();
    const [early, late] = [await ask('3', { expires_at }), await ask('4', { expires_at })];
    const confirm = async (id: string): Promise<void> => {
      const transaction_hash = 'ab'.repeat(32);
      await wallet.reportPaymentRequest(id, { status: 'signed' });
      await wallet.reportPaymentRequest(id, { status: 'broadcasted', transaction_hash });
      await wallet.reportPaymentRequest(id, { status: 'confirmed', transaction_hash });
    };
    const yesterday = clock.now().toISOString().slice(0, 10);
    await confirm(early);
    clock.moveTo(new Date(new Date(yesterday).setUTCHours(25)).toISOString());
    await confirm(late);
    // Open are those of the three statuses before an end.
    const [signed, sent] = [
      await ask('5', { expires_at }),
      await ask('6', { expires_at }),
      await ask('7', { expires_at }),
    ];
    for (const id of [signed, sent]) await wallet.reportPaymentRequest(id, { status: 'signed' });
    await wallet.reportPaymentRequest(sent, { status: 'broadcasted', transaction_hash: 'cd'.repeat(32) });
    const { grant, merchants } = await grantFor(service, email);
    const operator = await signIn(service, email, { grant, choice: merchants[0]?.choice, delivery: 'cookie' });
    const { page, complaints } = await visitAs(browser(), service, operator, { timezoneId: 'UTC' });
    await page.route('**/v1/**', async (route) => {
      if (route.request().headers()['accept'] === 'text/event-stream') return route.abort();
      const response = await route.fetch();
      return route.fulfill({ response, headers: { ...response.headers(), date: clock.now().toUTCString() } });
    });
    await openPage(page, service, '/', 'Home');
    const figure = page.getByRole('link', { name: /^\d+ Confirmed today$/ });
    await page.getByRole('link', { name: /^1 Confirmed today$/ }).waitFor();
    // The list is by the day of the request.
    expect(await figure.getAttribute('href')).toContain(`from=${yesterday}`);
    await page.getByRole('link', { name: '3 Open', exact: true }).waitFor();
    expect(complaints()).toEqual([]);
    await leave(page);
  });
});
