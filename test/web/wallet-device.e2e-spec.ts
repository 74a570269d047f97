import { type Page } from 'playwright-core';
import { describeInBrowser, fitsWidth, leave, NARROW, ZOOMED } from './support/browser';
import { flaws } from './support/looks';
import { PASSPHRASE, Person, stretchQuickly } from './support/person';
import { type PersonScene, startPersonScene } from './support/person-scene';

/** A test vector of SEP-5. */
const WORDS =
  'bench hurt jump file august wise shallow faculty impulse spring exact slush ' +
  'thunder author capable act festival slice deposit sauce coconut afford frown better';
const FIRST = 'GC3MMSXBWHL6CPOAVERSJITX7BH76YU252WGLUOM5CJX3E7UCYZBTPJQ';
const SECOND = 'GB3MTYFXPBZBUINVG72XR7AQ6P2I32CYSXWNRKJ2PV5H5C7EAM5YYISO';
const FIRST_SECRET = 'SAEWIVK3VLNEJ3WEJRZXQGDAS5NVG2BYSYDFRSH4GKVTS5RXNVED5AX7';

/** Everything the browser stores for the page, as text; bytes as hex. */
const STORED = `(async () => {
  const asText = (value) => {
    if (value instanceof ArrayBuffer) value = new Uint8Array(value);
    if (value instanceof Uint8Array) return [...value].map((byte) => String.fromCharCode(byte)).join('');
    if (Array.isArray(value)) return value.map(asText).join(' ');
    if (value instanceof CryptoKey) return value.extractable ? 'EXTRACTABLE' : 'key';
    return value && typeof value === 'object' ? Object.values(value).map(asText).join(' ') : String(value);
  };
  const found = [JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie, location.href];
  for (const { name } of await indexedDB.databases()) {
    const db = await new Promise((done) => (indexedDB.open(name).onsuccess = (event) => done(event.target.result)));
    for (const store of db.objectStoreNames) {
      const all = db.transaction(store).objectStore(store).getAll();
      found.push(asText(await new Promise((done) => (all.onsuccess = () => done(all.result)))));
    }
    db.close();
  }
  for (const name of await caches.keys())
    for (const request of await (await caches.open(name)).keys()) found.push(request.url);
  return found.join('\\n');
})()`;

describeInBrowser('the wallet of a device', (browser) => {
  let scene: PersonScene;
  let person: Person;
  let page: Page;

  beforeAll(async () => {
    scene = await startPersonScene(browser(), { serviceWorkers: 'allow' });
    ({ person } = scene);
    ({ page } = person);
  }, 60_000);
  afterAll(() => scene.stop());

  it('says what is wrong with a form and keeps what was typed', async () => {
    await person.open();
    await person.field('Device name').fill('My phone');
    await person.field('Passphrase').fill('short');
    await person.field('Repeat passphrase').fill('other');
    await person.button('Make a new key').click();
    await page.getByText('At least 8 characters.').waitFor();
    await page.getByText('This is not the same as above.').waitFor();
    await person.button('Restore from words').click();
    await person.field('Words').fill(WORDS.replace('better', 'bettar'));
    await person.button('Restore from words').click();
    await page.getByText('“bettar” is none of the words').waitFor();
    expect(await person.field('Device name').inputValue()).toBe('My phone');
    expect(await flaws(page)).toEqual([]);
  });

  it('restores a key from words: the accounts of SEP-5, with balances and a way to fund them', async () => {
    scene.horizon.fund(FIRST, '12.3456789');
    await person.restore(WORDS);
    await person.goTo('Keys');
    await page.getByText(FIRST, { exact: true }).waitFor();
    await page.getByText('12.3456789').waitFor();
    await person.button('Add account').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add account' }).click();
    await page.getByText(SECOND, { exact: true }).waitFor();
    const link = page.getByRole('link', { name: 'Fund this account' });
    expect(await link.getAttribute('href')).toBe(`${scene.horizon.url}/friendbot?addr=${SECOND}`);
    expect(await flaws(page)).toEqual([]);
  });

  it('shows a secret only after the passphrase is entered', async () => {
    await person.button('Show secret key').first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Passphrase').fill('something else');
    await dialog.getByRole('button', { name: 'Show secret key' }).click();
    await page.getByText('This is not the passphrase.').waitFor();
    expect(await page.getByText(FIRST_SECRET).count()).toBe(0);
    await dialog.getByLabel('Passphrase').fill(PASSPHRASE);
    await dialog.getByRole('button', { name: 'Show secret key' }).click();
    await page.getByText(FIRST_SECRET).waitFor();
    expect(await flaws(page)).toEqual([]);
    await person.button('I have kept it').click();
    expect(await page.getByText(FIRST_SECRET).count()).toBe(0);
    await person.button('Show words').click();
    await dialog.getByLabel('Passphrase').fill(PASSPHRASE);
    await dialog.getByRole('button', { name: 'Show words' }).click();
    expect(await person.shownWords()).toBe(WORDS);
    await person.button('I have kept it').click();
    expect(await page.getByRole('list', { name: 'Words' }).count()).toBe(0);
  });

  it('stores nothing that could be used without the passphrase', async () => {
    const kept = String(await page.evaluate(STORED));
    expect(kept).toContain(FIRST);
    for (const secret of [FIRST_SECRET, 'bench', 'svc_dt_', PASSPHRASE, 'EXTRACTABLE', '/v1/']) {
      expect(kept).not.toContain(secret);
    }
  });

  it('is locked after a reload: no navigation, no content, and a wrong passphrase opens nothing', async () => {
    await page.reload();
    await person.heading('Locked').waitFor();
    expect(await page.getByRole('navigation').count()).toBe(0);
    expect(await page.getByText(FIRST).count()).toBe(0);
    await person.field('Passphrase').fill('not this one');
    await person.button('Unlock').click();
    await page.getByText('This is not the passphrase.').waitFor();
    expect(await flaws(page)).toEqual([]);
    await person.unlock();
    await page.getByText('12.3456789').waitFor();
    await person.button('Lock').click();
    await person.heading('Locked').waitFor();
    // What was read before is forgotten: without a network there is nothing to show.
    const place = `${scene.horizon.url}/**`;
    await page.route(place, (route) => route.abort());
    await person.unlock();
    await page.getByText(FIRST, { exact: true }).waitFor();
    expect(await page.getByText('12.3456789').count()).toBe(0);
    await page.unroute(place);
  });

  it('is locked in every window on request', async () => {
    const other = new Person(await page.context().newPage(), scene.url);
    await other.open();
    await other.unlock();
    await person.button('Lock').click();
    await other.heading('Locked').waitFor();
    await other.page.close();
    await person.unlock();
  });

  it('keeps the names of its pages apart on a magnified screen', async () => {
    await page.setViewportSize(ZOOMED);
    const tooWide = `[...document.querySelectorAll('nav a')].filter((one) => one.scrollWidth > one.clientWidth)`;
    expect(await page.evaluate(`${tooWide}.map((one) => one.textContent)`)).toEqual([]);
    expect(await fitsWidth(page)).toBe(true);
    await page.setViewportSize(NARROW);
  });

  it('gets a new token, and works with it', async () => {
    await person.goTo('Device');
    await person.button('Rotate token').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate token' }).click();
    await page.getByText('The token is new; the old one no longer works.').waitFor();
    await page.reload();
    await person.unlock();
    await person.goTo('Device');
    expect(await flaws(page)).toEqual([]);
  });

  it('opens offline once it has been visited', async () => {
    await page.evaluate('navigator.serviceWorker.ready');
    await page.reload();
    await page.context().setOffline(true);
    await page.reload();
    await person.heading('Locked').waitFor();
    await person.unlock();
    await page.context().setOffline(false);
    const manifest = (await (await fetch(`${scene.url}/wallet/manifest.webmanifest`)).json()) as Record<
      string,
      unknown
    >;
    expect(manifest).toMatchObject({ name: 'Wallet', start_url: './', scope: './', display: 'standalone' });
  });

  it('shows new words once, and again only if they were not confirmed', async () => {
    // Here passphrases are stretched with the wallet's own work factor.
    const other = await startOther();
    await other.fillInNew();
    const words = await other.shownWords();
    expect(words.split(' ')).toHaveLength(24);
    expect(await flaws(other.page)).toEqual([]);
    await other.page.reload();
    await other.field('Passphrase').fill(PASSPHRASE);
    await other.button('Unlock').click();
    expect(await other.shownWords()).toBe(words);
    await other.button('I have kept it').click();
    await other.heading('Requests').waitFor();
    await other.page.reload();
    await other.unlock();
    expect(await other.page.getByRole('list', { name: 'Words' }).count()).toBe(0);
    await leave(other.page);
  });

  it('that nobody can open any more is erased by its name, and set up again', async () => {
    const other = await startOther();
    await stretchQuickly(other.page.context());
    await other.setUp('My tablet');
    const address = await other.address();
    await other.page.reload();
    await other.button('Passphrase forgotten').click();
    const asked = other.page.getByRole('alertdialog');
    await asked.getByLabel('Device name').fill('My phone');
    await asked.getByRole('button', { name: 'Erase the key' }).click();
    await asked.getByText('This is not the name of the device.').waitFor();
    expect(String(await other.page.evaluate(STORED))).toContain(address);
    await asked.getByLabel('Device name').fill('My tablet');
    await asked.getByRole('button', { name: 'Erase the key' }).click();
    await other.heading('Set up this device').waitFor();
    expect(String(await other.page.evaluate(STORED))).not.toContain(address);
    await leave(other.page);
  });

  it('keeps its words at hand, and says so, if the service no longer accepts it', async () => {
    const place = /\/v1\/wallet-devices\/[^/]+\/events/;
    const error = { code: 'invalid_token', message: 'No.' };
    await page.route(place, (route) => route.fulfill({ status: 401, json: { ok: false, error } }));
    await person.button('Lock').click();
    await person.unlock();
    await page.getByText('The service no longer accepts this device').waitFor();
    await page.getByRole('link', { name: 'Keys page' }).click();
    await person.button('Show words').waitFor();
    expect(await flaws(page)).toEqual([]);
    await page.unroute(place);
  });

  it('is deleted with its connections when it is removed by name', async () => {
    await person.goTo('Device');
    await person.button('Remove this device').click();
    const asked = page.getByRole('alertdialog');
    await asked.getByLabel('Device name').fill('My tablet');
    await asked.getByRole('button', { name: 'Remove this device' }).click();
    await asked.getByText('This is not the name of the device.').waitFor();
    expect(String(await page.evaluate(STORED))).toContain(FIRST);
    await asked.getByLabel('Device name').fill('My phone');
    await asked.getByRole('button', { name: 'Remove this device' }).click();
    await person.heading('Set up this device').waitFor();
    expect(String(await page.evaluate(STORED))).not.toContain(FIRST);
  });

  it('broke no content policy, threw nothing, and called no other server', () => {
    expect(scene.visitor.complaints()).toEqual([]);
  });

  async function startOther(): Promise<Person> {
    const context = await browser().newContext();
    context.setDefaultTimeout(15_000);
    return new Person(await context.newPage(), scene.url);
  }
});
