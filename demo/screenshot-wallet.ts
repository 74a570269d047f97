import { type Page } from 'playwright-core';
import {
  AgentClient,
  type AgentClientOptions,
  AgentPaymentsClient,
  type MerchantClient,
  SCOPES,
} from '../sdk/src/index.ts';
import { type Horizon as Witness, paymentTo } from '../test/support/horizon';
import { type Horizon } from '../test/web/support/horizon';
import { Person } from '../test/web/support/person';
import { type Camera } from './screenshot-camera';

export type WalletStage = Readonly<{
  url: string;
  page: Page;
  merchant: MerchantClient;
  agent: AgentClientOptions;
  payee: Readonly<{ recipient_id: string; recipient_version_id: string; address: string }>;
  /** The network as the wallet sees it, and as the service sees it. */
  horizon: Horizon;
  witness: Witness;
}>;

const NARROW = { width: 390, height: 844 };
const DAY_MS = 24 * 3_600_000;
const WRONG_ADDRESS = 'GBZXN7PIRZGNMHGA7MUUUF4GWPY5AYPV6LY4UV2GL6VJGIQRXFDNMADI';

/** A person's way through the wallet, with a picture at every step. */
export async function photographWallet(camera: Camera, stage: WalletStage): Promise<void> {
  const { page, url } = stage;
  const person = new Person(page, url);
  const snap = (name: string, readme?: 'narrow'): Promise<void> =>
    camera.snap(page, `wallet-${name}`, readme === undefined ? {} : { readme });

  await person.open();
  await person.button('Make a new key').waitFor();
  await snap('set-up');
  await person.fillInNew();
  await person.shownWords();
  await snap('words');
  await person.button('I have kept it').click();
  await person.heading('Requests').waitFor();
  await snap('requests-none');
  await person.goTo('Policies');
  await snap('policies-none');
  stage.horizon.fund(await person.address(), '250.0000000');
  const agent = new AgentClient(stage.agent);
  await connect(person, agent, snap);
  await pay(person, agent, stage, snap);
  await policies(person, agent, stage, snap);
  await person.goTo('Requests');
  await page.getByText('By policy').first().waitFor();
  await snap('requests-by-policy');
  await page.getByRole('link').filter({ hasText: 'By policy' }).first().click();
  await page.getByRole('heading', { name: /^Pay /, level: 1 }).waitFor();
  await snap('review-by-policy');
  await person.goTo('Keys');
  await snap('keys');
  await person.goTo('Device');
  await snap('device');
  const { version, name } = await stage.merchant.read();
  const renamed = await stage.merchant.rename({ version, name: `${name} & Tea` });
  await person.goTo('Connections');
  await page.reload();
  await person.unlock();
  await page.getByText('You agreed to').waitFor();
  await snap('connections-renamed');
  await page.getByRole('list', { name: 'Connections' }).getByRole('link').first().click();
  await page.getByText('It has another name now').waitFor();
  await snap('connection-renamed');
  await stage.merchant.rename({ version: renamed.version, name });
  await page.reload();
  await person.heading('Locked').waitFor();
  await snap('locked');
}

type Snap = (name: string, readme?: 'narrow') => Promise<void>;

async function connect(person: Person, agent: AgentClient, snap: Snap): Promise<void> {
  const { page } = person;
  await person.goTo('Connections');
  await snap('connections-none');
  await person.button('Show Connect Key').click();
  const key = (await page.getByText(/^svc_ck_/).textContent()) ?? '';
  await snap('connect-key');
  const claimed = await agent.claimConnectKey(key, SCOPES);
  await person.button('Approve connection').waitFor();
  await snap('connect', 'narrow');
  const opened = agent.waitForApproval(claimed, { intervalMs: 50 });
  await person.button('Approve connection').click();
  await opened;
  await snap('connections');
  await page.getByRole('list', { name: 'Connections' }).getByRole('link').first().click();
  await person.button('Pause').waitFor();
  await snap('connection');
}

async function pay(person: Person, agent: AgentClient, stage: WalletStage, snap: Snap): Promise<void> {
  const { page } = person;
  const { witness } = stage;
  const ask = async (amount: string): Promise<void> => {
    const about = { title: 'Two flat whites', summary: 'Table 4', items: [{ label: 'Flat white', value: '2' }] };
    const { transaction_id } = await agent.describeTransaction(about);
    const { recipient_id, recipient_version_id } = stage.payee;
    const input = { recipient_id, recipient_version_id, payment: { amount }, transaction_id };
    await agent.createPaymentRequest(input);
    await person.review(`${amount} XLM`);
  };
  await ask('12.50');
  await snap('review', 'narrow');
  await person.button('Reject').click();
  await snap('reject');
  await page.keyboard.press('Escape');
  const verdicts: readonly (readonly [string, string, (hash: string, ledger: number) => void])[] = [
    ['12.50', 'Matches', (hash, ledger) => witness.close(hash, { ledger, operations: [paid(stage, '12.5000000')] })],
    ['8', 'Differs', (hash, ledger) => witness.close(hash, { ledger, operations: [paymentTo(WRONG_ADDRESS, '7.5')] })],
    [
      '3',
      'Witness away',
      (hash) => witness.misbehave(hash, (_request, response) => void response.writeHead(503).end()),
    ],
    ['4', 'Not found yet', () => undefined],
  ];
  for (const [amount, word, settle] of verdicts) {
    if (amount !== '12.50') await ask(amount);
    await page.route('**/transactions', async (route) => {
      const answer = await route.fetch();
      const { hash, ledger } = (await answer.json()) as { hash: string; ledger: number };
      settle(hash, ledger);
      await route.fulfill({ response: answer });
    });
    await person.button('Approve and sign').click();
    await page.getByRole('region', { name: 'Settlement' }).getByText(word, { exact: true }).waitFor();
    await page.unroute('**/transactions');
    await snap(`paid-${word.toLowerCase().replaceAll(' ', '-')}`, word === 'Matches' ? 'narrow' : undefined);
  }
  await ask('15');
  await person.button('Reject').click();
  await person.field('Reason').fill('I did not order this');
  await page.getByRole('dialog').getByRole('button', { name: 'Reject', exact: true }).click();
  await page.getByText('You said no.').waitFor();
  await snap('rejected');
  await ask('1');
  await person.goTo('Requests');
  await snap('requests', 'narrow');
}

const paid = ({ payee }: WalletStage, amount: string) => paymentTo(payee.address, amount);

async function policies(person: Person, agent: AgentClient, stage: WalletStage, snap: Snap): Promise<void> {
  const { merchant, payee, page, url } = stage;
  const { connection } = await agent.currentConnection();
  const { connection_id } = connection;
  const limits = {
    single_tx_limit: '25',
    cumulative_limit: '200',
    valid_from: new Date(Date.now() - DAY_MS).toISOString(),
    valid_until: new Date(Date.now() + 30 * DAY_MS).toISOString(),
    allowlist: [payee.recipient_id],
  };
  const policy = await merchant.policies.create({ connection_id, network: 'stellar_testnet', asset: 'XLM', ...limits });
  await person.goTo('Policies');
  await page.getByText('at most 200 XLM').waitFor();
  await snap('policies');
  await person.button('Allow').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Allow' }).click();
  await page.getByText('Allowed.').waitFor();
  const { secret } = await merchant.apiKeys.create({ name: 'Checkout' });
  const payments = new AgentPaymentsClient({ baseUrl: url, apiKey: secret });
  for (const [at, amount] of ['4', '9', '21', '2.5', '30', '12'].entries()) {
    const input = { network: 'stellar_testnet', recipient_id: payee.recipient_id, amount, connection_id };
    await payments
      .create({ ...input, initiator: 'agent', policy_id: policy.id, idempotency_key: `order-${at + 1}` })
      .catch(() => undefined);
  }
  const { version } = await merchant.policies.read(policy.id);
  await merchant.policies.change(policy.id, { version, single_tx_limit: '20' });
  await page.getByText('Waits for you').first().waitFor();
  await person.button('Allow').first().click();
  const dialog = page.getByRole('dialog', { name: 'Allow' });
  await dialog.getByLabel('Single tx limit').fill('10');
  await dialog.getByText('would have waited for you').waitFor();
  await dialog.getByText('Which ones').click();
  // The new part is at the end of a long form.
  await page.setViewportSize(NARROW);
  await dialog.getByRole('group', { name: 'Last month with these limits' }).scrollIntoViewIfNeeded();
  await snap('allow', 'narrow');
  await page.keyboard.press('Escape');
  await person.button('Make policy').click();
  await snap('make-policy');
  await page.keyboard.press('Escape');
}
