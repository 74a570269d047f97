import { type Page } from 'playwright-core';
import { type AgentClient, SCOPES, type SvcError } from '../../sdk/src/index.ts';
import { eventually } from '../support/eventually';
import { describeInBrowser } from './support/browser';
import { flaws } from './support/looks';
import { type Person } from './support/person';
import { type PersonScene, startPersonScene } from './support/person-scene';
import { ask } from './support/wallet-scene';

/** Sets the browser's clock seven hours ahead. */
const SEVEN_HOURS_AHEAD = `{
  const Real = Date;
  const off = 7 * 3_600_000;
  globalThis.Date = class extends Real {
    constructor(...parts) { if (parts.length === 0) super(Real.now() + off); else super(...parts); }
    static now() { return Real.now() + off; }
  };
}`;

const refusalOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'accepted',
    (error: SvcError) => error.code,
  );

describeInBrowser('connecting an agent, on a phone whose clock is seven hours ahead', (browser) => {
  let scene: PersonScene;
  let person: Person;
  let page: Page;
  let first: AgentClient;
  let second: AgentClient;

  beforeAll(async () => {
    scene = await startPersonScene(browser());
    ({ person } = scene);
    ({ page } = person);
    await page.addInitScript(SEVEN_HOURS_AHEAD);
    first = await scene.newAgent('Barista agent');
    second = await scene.newAgent('Stock agent');
    await person.setUp();
  }, 120_000);
  afterAll(() => scene.stop());

  it('shows a key with its countdown, and who claimed it as soon as somebody has', async () => {
    await person.goTo('Connections');
    await person.button('Show Connect Key').click();
    const key = (await page.getByText(/^svc_ck_/).textContent()) ?? '';
    await page.getByRole('img', { name: 'The key as a QR code' }).waitFor();
    // The page knows the service's clock to a second or two.
    await page.getByText(/^(9:5\d|10:00)$/).waitFor();
    expect(await flaws(page)).toEqual([]);

    const claimed = await first.claimConnectKey(key, SCOPES);
    const decision = page.getByRole('dialog', { name: 'Barista agent wants to connect' });
    await decision.waitFor();
    for (const shown of ['Corner Coffee', 'corner-coffee.example', 'Barista agent']) {
      await decision.getByText(shown, { exact: true }).first().waitFor();
    }
    await decision.getByText(/^(9:[0-5]\d|10:00)$/).waitFor();
    expect(await flaws(page)).toEqual([]);
    // Put off, not lost.
    await page.keyboard.press('Escape');
    await page.getByText('Barista agent of Corner Coffee waits for your decision').waitFor();
    await person.button('Decide').click();
    await decision.getByRole('checkbox', { name: 'transaction_contexts.read' }).uncheck();
    await decision.getByRole('button', { name: 'Approve connection' }).click();
    const { connection } = await first.waitForApproval(claimed, { intervalMs: 50 });
    expect(connection.scopes).toEqual(SCOPES.filter((scope) => scope !== 'transaction_contexts.read'));
    await decision.waitFor({ state: 'detached' });
    expect(await page.getByText(/^svc_ck_/).count()).toBe(0);
  });

  it('shows no key that has expired', async () => {
    await page.route('**/v1/connect-keys', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as object;
      await route.fulfill({ response, json: { ...body, expires_at: new Date(Date.now() - 1).toISOString() } });
    });
    await person.button('Show Connect Key').click();
    await page.getByText('This key has expired.').waitFor();
    expect(await page.getByText(/^svc_ck_/).count()).toBe(0);
    expect(await page.getByRole('img', { name: 'The key as a QR code' }).count()).toBe(0);
    await page.unroute('**/v1/connect-keys');
    await person.button('Done').click();
  });

  it('offers no decision on an agent that no longer waits for one', async () => {
    await person.button('Show Connect Key').click();
    await second.claimConnectKey((await page.getByText(/^svc_ck_/).textContent()) ?? '', SCOPES);
    const decision = page.getByRole('dialog', { name: 'Stock agent wants to connect' });
    await decision.getByRole('button', { name: 'Approve connection' }).waitFor();
    // As if it had been decided in another window.
    const place = /\/v1\/connect-invitations\?/;
    await page.route(place, (route) =>
      route.fulfill({ json: { ok: true, connect_invitations: [], next_cursor: null } }),
    );
    await ask(first, scene.payee, '1.1');
    await decision.getByText('It is no longer waiting for you.').waitFor();
    expect(await decision.getByRole('button', { name: 'Approve connection' }).count()).toBe(0);
    await page.unroute(place);
    await ask(first, scene.payee, '1.2');
    await decision.getByRole('button', { name: 'Reject', exact: true }).click();
    await decision.waitFor({ state: 'detached' });
  });

  it('finds who shows a code, however it is typed, and says if nobody does', async () => {
    const { code } = await second.startPairing(SCOPES);
    await person.field('Pairing code or link').fill('3333-3333');
    await person.button('Continue').click();
    await page.getByText('Nobody waits under this code.').waitFor();
    await person.field('Pairing code or link').fill(` ${code.slice(0, 4).toLowerCase()}-${code.slice(4)} `);
    await person.button('Continue').click();
    const decision = page.getByRole('dialog', { name: 'Stock agent wants to connect' });
    // `all` does not wait for the dialog.
    await decision.getByRole('checkbox').first().waitFor();
    for (const scope of await decision.getByRole('checkbox').all()) await scope.uncheck();
    await decision.getByRole('button', { name: 'Approve connection' }).click();
    await decision.getByText('Leave at least one, or reject the connection.').waitFor();
    await decision.getByRole('button', { name: 'Reject', exact: true }).click();
    await decision.waitFor({ state: 'detached' });
    expect(await page.getByRole('list', { name: 'Connections' }).getByRole('link').count()).toBe(1);
  });

  it('accepts the whole link, and the agent gets its connection', async () => {
    const started = await second.startPairing(SCOPES);
    await person.field('Pairing code or link').fill(started.uri);
    await person.button('Continue').click();
    await person.button('Approve connection').click();
    const list = page.getByRole('list', { name: 'Connections' });
    await list.getByRole('link', { name: 'Stock agent' }).waitFor();
    expect(await second.readPairing(started)).toMatchObject({ connection: { status: 'active' } });
    expect(await list.getByRole('link').count()).toBe(2);
    await person.field('Pairing code or link').fill(started.uri);
    await person.button('Continue').click();
    await page.getByRole('dialog').getByText('This code has been decided on before: it is approved.').waitFor();
    expect(await person.button('Approve connection').count()).toBe(0);
    await page.keyboard.press('Escape');
  });

  it('fills in the code of a link that is opened while the page is shown', async () => {
    await page.evaluate(`location.hash = '#/connections?pairing=ABCD-2345'`);
    const code = person.field('Pairing code or link');
    await eventually(
      () => code.inputValue(),
      (typed) => typed === 'ABCD-2345',
      'the code of the link in the field',
    );
    await code.fill('');
    await person.goTo('Connections');
    expect(await code.inputValue()).toBe('');
  });

  it('pauses, resumes, rotates the token of and revokes a connection, and shows its history', async () => {
    await ask(first, scene.payee, '1.4');
    const request = await ask(second, scene.payee, '1.5');
    await page.getByRole('list', { name: 'Connections' }).getByRole('link', { name: 'Stock agent' }).click();
    await page.getByRole('list', { name: 'Payments' }).getByRole('link', { name: '1.5' }).waitFor();
    expect(await page.getByRole('list', { name: 'Payments' }).getByRole('link').count()).toBe(1);
    expect(await flaws(page)).toEqual([]);
    const asking = (): Promise<string> => refusalOf(second.readPaymentRequest(request.request_id));
    await person.button('Pause').click();
    await person.button('Resume').waitFor();
    expect(await asking()).toBe('connection_paused');
    await person.button('Resume').click();
    await person.button('Pause').waitFor();
    expect(await asking()).toBe('accepted');

    await person.button('Rotate token').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate token' }).click();
    const token = (await page.getByText(/^svc_ct_/).textContent()) ?? '';
    expect(await asking()).toBe('invalid_token');
    await person.button('I have kept it').click();
    expect(await page.getByText(/^svc_ct_/).count()).toBe(0);
    second.useConnection(token);
    expect(await asking()).toBe('accepted');

    await person.button('Revoke').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('Revoked', { exact: true }).waitFor();
    expect(await asking()).toBe('connection_revoked');

    // What waited for the person is withdrawn with it.
    await person.goTo('Requests');
    const requests = page.getByRole('list', { name: 'Requests' });
    await requests.locator(`[href*="${request.request_id}"]`).filter({ hasNotText: 'Waits for you' }).click();
    await page.getByText('Withdrawn', { exact: true }).first().waitFor();
    await page.getByText('took it back before anybody signed. Nothing is paid.').waitFor();
    expect(await flaws(page)).toEqual([]);
    await person.goTo('Policies');
    await person.button('Make policy').click();
    const offered = page.getByLabel('Connection', { exact: true }).locator('option');
    expect(await offered.allTextContents()).toEqual(['Barista agent · Corner Coffee']);
    await page.keyboard.press('Escape');
  });

  it('shows the names that were agreed to if merchant or agent were renamed since', async () => {
    const { version } = await scene.merchant.read();
    await scene.merchant.rename({ version, name: 'Another Coffee' });
    await page.reload();
    await person.unlock();
    await person.goTo('Connections');
    const renamed = page.getByRole('list', { name: 'Connections' }).getByRole('link', { name: 'Stock agent' });
    await renamed.getByText('You agreed to Stock agent of Corner Coffee').waitFor();
    await renamed.click();
    await page.getByRole('heading', { name: 'Another Coffee', level: 1 }).waitFor();
    await page.getByText('It has another name now').waitFor();
    expect(await flaws(page)).toEqual([]);
  });

  it('counts down and pays by the service’s clock', async () => {
    scene.horizon.fund(await person.address());
    const request = await ask(first, scene.payee, '2.5');
    await person.review('2.5');
    await page.getByText(/^1[45]:\d\d$/).waitFor();
    await person.button('Approve and sign').click();
    expect((await first.waitForPaymentRequest(request.request_id)).status).toBe('confirmed');
    const until = Number(scene.horizon.received[0]?.transaction.timeBounds?.maxTime);
    expect(Math.abs(until - 300 - Date.now() / 1000)).toBeLessThan(60);
  });

  it('broke no content policy, threw nothing, and called no other server', () => {
    expect(scene.visitor.complaints()).toEqual([]);
  });
});
