import { type BrowserContext, type Locator, type Page } from 'playwright-core';
import { type AgentClient, SCOPES } from '../../../sdk/src/index.ts';

export const PASSPHRASE = 'correct horse battery staple';

/**
 * The wallet's worker stretches passphrases in this context as always, but with the least work factor: at the one that
 * the wallet asks for, each unlocking takes a second of processor time. What is stored does not show the difference.
 */
export const stretchQuickly = (context: BrowserContext): Promise<unknown> =>
  context.addInitScript(`{
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (data, ...more) {
      return postMessage.call(this, { ...data, settings: { ...data.settings, n: 2 } }, ...more);
    };
  }`);

/** What a person does in the wallet, by accessible names. */
export class Person {
  constructor(
    readonly page: Page,
    readonly url: string,
  ) {}

  button = (name: string): Locator => this.page.getByRole('button', { name, exact: true });
  field = (name: string): Locator => this.page.getByLabel(name, { exact: true });
  heading = (name: string): Locator => this.page.getByRole('heading', { name, exact: true });

  async open(place = ''): Promise<void> {
    await this.page.goto(`${this.url}/wallet/${place}`);
  }

  /** Through the navigation, because loading another URL would lock the wallet. */
  async goTo(name: 'Requests' | 'Connections' | 'Policies' | 'Keys' | 'Device'): Promise<void> {
    await this.page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click();
    await this.heading(name).waitFor();
  }

  /** Sets up a new device with a new key, and returns its words. */
  async setUp(name = 'My phone'): Promise<string> {
    await this.fillInNew(name);
    const shown = await this.shownWords();
    await this.button('I have kept it').click();
    await this.heading('Requests').waitFor();
    return shown;
  }

  async fillInNew(name = 'My phone'): Promise<void> {
    await this.open();
    await this.fillIn(name);
    await this.button('Make a new key').click();
  }

  async shownWords(): Promise<string> {
    const words = this.page.getByRole('list', { name: 'Words' }).getByRole('listitem');
    await words.first().waitFor();
    return (await words.allTextContents()).join(' ');
  }

  async restore(words: string, name = 'My phone'): Promise<void> {
    await this.open();
    await this.fillIn(name);
    await this.button('Restore from words').click();
    await this.field('Words').fill(words);
    await this.button('Restore from words').click();
    await this.heading('Requests').waitFor();
  }

  async unlock(): Promise<void> {
    await this.field('Passphrase').fill(PASSPHRASE);
    await this.button('Unlock').click();
    await this.page.getByRole('navigation', { name: 'Main' }).waitFor();
  }

  async address(): Promise<string> {
    await this.goTo('Keys');
    const shown = await this.page
      .getByText(/^G[A-Z2-7]{55}$/)
      .first()
      .textContent();
    return shown ?? '';
  }

  /**
   * Opens the request with this amount from the list. Where there were others with the same amount, its id tells it
   * apart: the list may not have it yet, and may still show the others as they were.
   */
  async review(amount: string, id?: string): Promise<void> {
    await this.goTo('Requests');
    const requests = this.page.getByRole('list', { name: 'Requests' });
    // With its asset: the link also names the time that is left, as in 59:51.
    const name = new RegExp(`(^|[^0-9.:])${amount.replace('.', '\\.')} [A-Z]`);
    const asked = requests.getByRole('link', { name }).filter({ hasText: 'Waits for you' });
    await (id === undefined ? asked.first() : asked.and(this.page.locator(`[href*="${id}"]`))).click();
    await this.page.getByRole('region', { name: 'Notices' }).waitFor();
  }

  /** Gives a Connect Key to the agent and approves what it asks for. */
  async connect(agent: AgentClient): Promise<void> {
    await this.goTo('Connections');
    await this.button('Show Connect Key').click();
    const key = (await this.page.getByText(/^svc_ck_/).textContent()) ?? '';
    const claimed = await agent.claimConnectKey(key, SCOPES);
    const opened = agent.waitForApproval(claimed, { intervalMs: 50 });
    await this.button('Approve connection').click();
    await opened;
  }

  private async fillIn(name: string): Promise<void> {
    await this.field('Device name').fill(name);
    await this.field('Passphrase').fill(PASSPHRASE);
    await this.field('Repeat passphrase').fill(PASSPHRASE);
  }
}
