import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { MerchantClient } from '../sdk/src/index.ts';
import { startDnsResponder } from '../test/support/dns-responder';
import { chromiumPath } from '../test/web/support/browser';
import { startOwnService } from './own-service';
import { playStory } from './story';
import { startVerifyingReceiver } from './webhook-receiver';

type Shot = Readonly<{ name: string; place: string; before?: (page: Page) => Promise<void>; inReadme?: true }>;
type Look = Readonly<{ name: string; context: BrowserContextOptions }>;

const WIDE: Look = { name: 'wide', context: { viewport: { width: 1280, height: 860 } } };
const LOOKS: readonly Look[] = [
  WIDE,
  { name: 'dark', context: { viewport: { width: 1280, height: 860 }, colorScheme: 'dark' } },
  { name: 'narrow', context: { viewport: { width: 360, height: 740 } } },
];

/** Every page of the portal, after one payment; `--all` in every look, otherwise the README's. */
async function main(): Promise<void> {
  const isAll = process.argv.includes('--all');
  const directory =
    process.argv.slice(2).find((word) => !word.startsWith('--')) ?? join(__dirname, '../docs/screenshots');
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error('no chromium on this machine; CHROMIUM_PATH may name one');
  mkdirSync(directory, { recursive: true });
  const dns = await startDnsResponder({});
  const receiver = await startVerifyingReceiver();
  const service = await startOwnService(dns.server);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--no-first-run'] });
  try {
    const { requestId, sessionToken } = await playStory({
      url: service.url,
      audience: `${service.url}/v1/agent-auth/token`,
      outbox: service.outbox,
      publish: (name, value) => dns.set(name, { TXT: [value] }),
      receiver,
      say: () => undefined,
    });
    const shots = await shotsOf(new MerchantClient({ baseUrl: service.url, sessionToken }), requestId);
    for (const look of isAll ? LOOKS : [WIDE]) {
      const context = await browser.newContext({ ...look.context, locale: 'en-GB' });
      const [name, value] = ['svc_session', sessionToken];
      for (const { name: title, place, before, inReadme } of shots) {
        if (!isAll && inReadme !== true) continue;
        if (!title.startsWith('out-')) await context.addCookies([{ name, value, url: service.url }]);
        const page = await context.newPage();
        await page.goto(`${service.url}/portal/#${place}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await before?.(page);
        // Answers that are still on their way, and fonts.
        await page.waitForTimeout(600);
        const file = join(directory, isAll ? `${title}-${look.name}.png` : `portal-${title}.png`);
        await page.screenshot({ path: file, fullPage: isAll });
        await page.close();
      }
      await context.close();
    }
  } finally {
    await browser.close();
    await service.stop();
    await receiver.close();
    await dns.close();
  }
}

async function shotsOf(merchant: MerchantClient, requestId: string): Promise<readonly Shot[]> {
  await merchant.domains.create({ domain: 'shop.corner-coffee.example', method: 'dns' });
  await merchant.apiKeys.create({ name: 'Billing server' });
  const [{ recipients }, { agents }, { webhook_endpoints }, { connections }] = await Promise.all([
    merchant.recipients.list(),
    merchant.agents.list(),
    merchant.webhooks.list(),
    merchant.connections.list(),
  ]);
  const payee = recipients[0]?.recipient_id ?? '';
  const version = { ...facts(recipients[0]), address: 'GBRPYHIL2CI3FNQ4BXLFMNDLFJUNPU2HY3ZMFSHONUCEOASW7QC7OX2H' };
  await merchant.recipients.addVersion(payee, { ...version, version: recipients[0]?.version ?? 0 });
  const day = 24 * 3_600_000;
  await merchant.policies.create({
    connection_id: connections[0]?.connection_id ?? '',
    network: 'stellar_testnet',
    asset: 'XLM',
    single_tx_limit: '25',
    cumulative_limit: '200',
    valid_from: new Date().toISOString(),
    valid_until: new Date(Date.now() + 30 * day).toISOString(),
    allowlist: [payee],
  });
  const press = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).first().click();
  return [
    { name: 'out-sign-in', place: '/' },
    { name: 'out-dead-link', place: '/verify?token=svc_el_nothing' },
    { name: 'home', place: '/', inReadme: true },
    { name: 'domains', place: '/domains', before: press('Check now') },
    { name: 'payees', place: '/payees' },
    { name: 'payee', place: `/payees/${payee}` },
    { name: 'payee-add', place: '/payees', before: press('Add payee') },
    { name: 'agents', place: '/agents' },
    { name: 'agent', place: `/agents/${agents[0]?.agent_id ?? ''}`, inReadme: true },
    { name: 'agent-create', place: '/agents', before: press('Create agent') },
    { name: 'agent-revoke', place: `/agents/${agents[0]?.agent_id ?? ''}`, before: press('Revoke') },
    { name: 'payments', place: '/payments' },
    { name: 'payment', place: `/payments/${requestId}`, before: press('Check proof'), inReadme: true },
    { name: 'webhooks', place: '/webhooks' },
    { name: 'webhook', place: `/webhooks/${webhook_endpoints[0]?.webhook_endpoint_id ?? ''}`, inReadme: true },
    { name: 'policies', place: '/policies' },
    { name: 'policy-propose', place: '/policies', before: press('Propose policy') },
    { name: 'connections', place: '/connections' },
    { name: 'api-keys', place: '/api-keys' },
    { name: 'audit', place: '/audit' },
    { name: 'organization', place: '/organization' },
    { name: 'not-found', place: '/payments/pr_nothing' },
  ];
}

function facts(recipient: { versions: readonly { network: string; asset: string }[] } | undefined) {
  const { network = '', asset = '' } = recipient?.versions[0] ?? {};
  return { network, asset };
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
