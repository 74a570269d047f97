import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { MerchantClient } from '../sdk/src/index.ts';
import { startDnsResponder } from '../test/support/dns-responder';
import { paymentTo, startHorizon as startWitness } from '../test/support/horizon';
import { chromiumPath } from '../test/web/support/browser';
import { startHorizon } from '../test/web/support/horizon';
import { startOwnService } from './own-service';
import { Camera } from './screenshot-camera';
import { photographPortal } from './screenshot-portal';
import { photographWallet } from './screenshot-wallet';
import { playStory } from './story';
import { startVerifyingReceiver } from './webhook-receiver';

/** The README's pictures; with `--all` every page and state of portal and wallet, both widths, light and dark. */
async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const directory = words.find((word) => !word.startsWith('--')) ?? join(__dirname, '../docs/screenshots');
  const camera = new Camera(directory, words.includes('--all'));
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error('no chromium on this machine; CHROMIUM_PATH may name one');
  const [dns, receiver, horizon, witness] = await Promise.all([
    startDnsResponder({}),
    startVerifyingReceiver(),
    startHorizon(),
    startWitness(),
  ]);
  const service = await startOwnService(dns.server, {
    WALLET_HORIZON: horizon.url,
    SETTLEMENT_WITNESS: `stellar_testnet=${witness.url}`,
  });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--no-first-run'] });
  try {
    const { url } = service;
    const { requestId, sessionToken, agent, payee } = await playStory({
      url,
      audience: `${url}/v1/agent-auth/token`,
      outbox: service.outbox,
      publish: (name, value) => dns.set(name, { TXT: [value] }),
      receiver,
      say: () => undefined,
    });
    const merchant = new MerchantClient({ baseUrl: url, sessionToken });
    const { payment, transaction_hash: hash = '', ledger = 0 } = await merchant.payments.read(requestId);
    witness.close(hash, { ledger, operations: [paymentTo(payment.to, payment.amount)] });
    await merchant.payments.checkSettlement(requestId);
    const newContext = () => browser.newContext({ locale: 'en-GB' });
    const page = await (await newContext()).newPage();
    page.setDefaultTimeout(30_000);
    const seen = { ...payee, address: payment.to };
    await photographWallet(camera, { url, page, merchant, agent, payee: seen, horizon, witness });
    await photographPortal(camera, { url, context: await newContext(), sessionToken, merchant, requestId });
  } finally {
    await browser.close();
    await service.stop();
    await Promise.all([receiver.close(), dns.close(), horizon.close(), witness.stop()]);
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
