import { type Page } from 'playwright-core';
import { AgentPaymentsClient } from '../../sdk/src/index.ts';
import { type Horizon, paymentTo, startHorizon } from '../support/horizon';
import { signUpMerchant, type SignedUpMerchant } from '../support/merchant';
import { connectedPayee } from './support/connected-payee';
import { describeInBrowser, leave, type Visit } from './support/browser';
import { flaws } from './support/looks';
import { openPage, type PortalScene, startPortalScene, visitAs } from './support/portal';

const AMOUNT = '8.25';
const CONTESTED = 'Do not ship: several payments claim this transfer';
const REFUSED = 'Do not ship.';

describeInBrowser('one transaction that a wallet reports for several payments', (browser) => {
  let witness: Horizon;
  let scene: PortalScene;
  let us: SignedUpMerchant;
  let operator: Visit;
  let page: Page;
  let payee: Awaited<ReturnType<typeof connectedPayee>>;
  let server: AgentPaymentsClient;

  beforeAll(async () => {
    witness = await startHorizon();
    scene = await startPortalScene(undefined, { SETTLEMENT_WITNESS: `stellar_testnet=${witness.url}` });
    us = await signUpMerchant(scene.service, { dns: scene.dns });
    payee = await connectedPayee(scene, us);
    const { secret } = await payee.merchant.apiKeys.create({ name: 'Billing' });
    server = new AgentPaymentsClient({ baseUrl: scene.service.url, apiKey: secret });
    operator = await visitAs(browser(), scene.service, us);
    ({ page } = operator);
  });
  afterAll(async () => {
    await leave(page);
    await scene.stop();
    await witness.stop();
  });

  /** Puts a payment of the amount into a ledger that closed before any wallet named the transaction. */
  const send = async (transaction_hash: string): Promise<void> => {
    const [version] = (await payee.merchant.recipients.read(payee.recipient.recipient_id)).versions;
    const closedAt = new Date(Date.now() - 30_000).toISOString();
    witness.close(transaction_hash, {
      closedAt,
      ledger: 7,
      operations: [paymentTo(version?.address ?? '', `${AMOUNT}00000`)],
    });
  };
  const requestPaidBy = async (transaction_hash: string, more: object = {}): Promise<string> => {
    const id = await payee.ask(AMOUNT, more);
    await payee.wallet.reportPaymentRequest(id, { status: 'signed' });
    await payee.wallet.reportPaymentRequest(id, { status: 'broadcasted', transaction_hash });
    await payee.wallet.reportPaymentRequest(id, { status: 'confirmed', transaction_hash, ledger: 7 });
    return id;
  };
  const agentPaymentPaidBy = async (transaction_hash: string): Promise<string> => {
    const [connection] = (await payee.merchant.connections.list()).connections;
    const { id } = await server.create({
      network: 'stellar_testnet',
      recipient_id: payee.recipient.recipient_id,
      amount: AMOUNT,
      initiator: 'human',
      connection_id: connection?.connection_id ?? '',
    });
    await payee.wallet.reportAgentPayment(id, { status: 'signed' });
    await payee.wallet.reportAgentPayment(id, { status: 'broadcasted', transaction_hash });
    await payee.wallet.reportAgentPayment(id, { status: 'confirmed', transaction_hash, ledger: 7 });
    return id;
  };
  /** The label of each payment that the page warns of. */
  const warned = (): Promise<string[]> =>
    page.getByRole('region', { name: 'Settlement' }).getByRole('listitem').allInnerTexts();
  const link = (name: string) => page.getByRole('region', { name: 'Settlement' }).getByRole('link', { name });

  it('is reported on the page of each, of either kind, as soon as it is reported again', async () => {
    const hash = 'ab'.repeat(32);
    await send(hash);
    const first = await agentPaymentPaidBy(hash);
    await openPage(page, scene.service, `/agent-payments/${first}`, first);
    await page.getByText('You can ship.').waitFor();
    expect(await warned()).toEqual([]);
    // Without a reload.
    const second = await agentPaymentPaidBy(hash);
    await link(second).waitFor();
    await page.getByText(CONTESTED).waitFor();
    // There may be others on a page that was not read.
    const places = /\/v1\/agent-payments\?.*transaction_hash=/;
    await page.route(places, async (route) => {
      const response = await route.fetch();
      const { data, ...rest } = (await response.json()) as { data: object };
      await route.fulfill({ response, json: { ...rest, data: { ...data, next_cursor: 'more' } } });
    });
    await page.reload();
    await page.getByText('There may be more.').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.reload();
    await page.getByText(CONTESTED).waitFor();

    const request = await requestPaidBy(hash);
    await link(request).waitFor();
    expect(await warned()).toEqual([`Payment request ${request}`, `Agent payment ${second}`]);
    expect(await page.getByText('You can ship.').count()).toBe(0);
    expect(await flaws(page)).toEqual([]);

    await link(request).click();
    await page.getByRole('heading', { name: request, level: 1 }).waitFor();
    await page.getByText(REFUSED).waitFor();
    expect(await warned()).toEqual([`Agent payment ${second}`, `Agent payment ${first}`]);
    expect(await flaws(page)).toEqual([]);
    await link(second).click();
    await page.getByRole('heading', { name: second, level: 1 }).waitFor();
    await page.getByText(REFUSED).waitFor();
    expect(await warned()).toEqual([`Payment request ${request}`, `Agent payment ${first}`]);
  });

  it('is reported for a request whose id the agent chose to equal an agent payment’s', async () => {
    const hash = 'cd'.repeat(32);
    await send(hash);
    const id = await agentPaymentPaidBy(hash);
    await requestPaidBy(hash, { request_id: id });
    for (const [place, advice, other] of [
      [`/agent-payments/${id}`, CONTESTED, `Payment request ${id}`],
      [`/payments/${id}`, REFUSED, `Agent payment ${id}`],
    ] as const) {
      await openPage(page, scene.service, place, id);
      await page.getByText(advice).waitFor();
      expect(await warned()).toEqual([other]);
    }
  });

  it('is not hidden by requests that the agent gave its hash as another name', async () => {
    const hash = 'ef'.repeat(32);
    await send(hash);
    const first = await requestPaidBy(hash);
    const second = await requestPaidBy(hash);
    // Large requests, so that they fill a page of a search by any name.
    const filler = { transaction_id: hash, metadata: { filler: 'x'.repeat(50_000) } };
    for (let count = 0; count < 12; count += 1) await payee.ask(AMOUNT, filler);
    await openPage(page, scene.service, `/payments/${first}`, first);
    await page.getByText(CONTESTED).waitFor();
    expect(await warned()).toEqual([`Payment request ${second}`]);
    expect(operator.complaints()).toEqual([]);
  });
});
