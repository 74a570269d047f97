import { type BrowserContext, type Page } from 'playwright-core';
import { type MerchantClient } from '../sdk/src/index.ts';
import { type Camera, type SnapOptions } from './screenshot-camera';

type Shot = SnapOptions & Readonly<{ name: string; place: string; before?: (page: Page) => Promise<void> }>;

export type PortalStage = Readonly<{
  url: string;
  context: BrowserContext;
  sessionToken: string;
  merchant: MerchantClient;
  requestId: string;
}>;

/** Every page of the portal, after one payment. */
export async function photographPortal(camera: Camera, stage: PortalStage): Promise<void> {
  const { url, context, sessionToken: value } = stage;
  for (const shot of await shotsOf(stage)) {
    const { name, place, before, ...options } = shot;
    if (!camera.wants(options)) continue;
    if (!name.startsWith('out-')) await context.addCookies([{ name: 'svc_session', value, url }]);
    const page = await context.newPage();
    await page.goto(`${url}/portal/#${place}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await before?.(page);
    await page.waitForTimeout(400);
    await camera.snap(page, `portal-${name}`, options);
    await page.close();
  }
}

async function shotsOf({ merchant, requestId }: PortalStage): Promise<readonly Shot[]> {
  await merchant.domains.create({ domain: 'shop.corner-coffee.example', method: 'dns' });
  await merchant.apiKeys.create({ name: 'Billing server' });
  const [{ recipients }, { agents }, { webhook_endpoints }, { payment_requests }] = await Promise.all([
    merchant.recipients.list(),
    merchant.agents.list(),
    merchant.webhooks.list(),
    merchant.payments.list({ limit: 200 }),
  ]);
  const [recipient] = recipients;
  const payee = recipient?.recipient_id ?? '';
  const { network = '', asset = '' } = recipient?.versions[0] ?? {};
  const address = 'GBRPYHIL2CI3FNQ4BXLFMNDLFJUNPU2HY3ZMFSHONUCEOASW7QC7OX2H';
  await merchant.recipients.addVersion(payee, { network, asset, address, version: recipient?.version ?? 0 });
  const agent = `/agents/${agents[0]?.agent_id ?? ''}`;
  const press = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).first().click();
  const settled = (verdict: string): string =>
    `/payments/${payment_requests.find(({ settlement }) => settlement?.verdict === verdict)?.request_id ?? 'none'}`;
  return [
    { name: 'out-sign-in', place: '/' },
    { name: 'out-dead-link', place: '/verify?token=svc_el_nothing' },
    { name: 'home', place: '/', readme: 'wide' },
    { name: 'domains', place: '/domains', before: press('Check now') },
    { name: 'domain-add', place: '/domains', before: press('Add domain') },
    { name: 'payees', place: '/payees' },
    { name: 'payee', place: `/payees/${payee}` },
    { name: 'payee-add', place: '/payees', before: press('Add payee') },
    { name: 'payee-activate', place: `/payees/${payee}`, before: press('Prove by domain') },
    { name: 'agents', place: '/agents' },
    { name: 'agent', place: agent, readme: 'wide' },
    { name: 'agent-create', place: '/agents', before: press('Create agent') },
    { name: 'agent-own-key', place: agent, before: press('Use my own key') },
    { name: 'agent-revoke', place: agent, before: press('Revoke') },
    { name: 'payments', place: '/payments' },
    { name: 'payments-none', place: '/payments?status=failed' },
    { name: 'payment', place: `/payments/${requestId}`, before: press('Check proof'), readme: 'wide' },
    {
      name: 'payment-then',
      place: `/payments/${requestId}`,
      before: async (page) => {
        await page.getByRole('slider', { name: 'Moment' }).fill('1');
        await page.getByText('As it was on').waitFor();
      },
    },
    { name: 'payment-differs', place: settled('differs') },
    { name: 'payment-not-found', place: settled('not_found') },
    { name: 'payment-witness-away', place: settled('pending') },
    { name: 'webhooks', place: '/webhooks' },
    { name: 'webhook-add', place: '/webhooks', before: press('Add endpoint') },
    { name: 'webhook', place: `/webhooks/${webhook_endpoints[0]?.webhook_endpoint_id ?? ''}`, readme: 'wide' },
    { name: 'policies', place: '/policies' },
    { name: 'policy-propose', place: '/policies', before: press('Propose policy') },
    {
      name: 'policy-change',
      place: '/policies',
      before: (page) => page.getByRole('button', { name: 'Change policy' }).first().click(),
    },
    { name: 'connections', place: '/connections' },
    { name: 'api-keys', place: '/api-keys' },
    { name: 'api-key-create', place: '/api-keys', before: press('Create API key') },
    { name: 'audit', place: '/audit' },
    { name: 'organization', place: '/organization' },
    { name: 'not-found', place: '/payments/pr_nothing' },
  ];
}
