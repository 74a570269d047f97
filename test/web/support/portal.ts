import { type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { AgentClient, agentKeyFromSeed } from '../../../sdk/src/index.ts';
import { freePort } from '../../support/free-port';
import { type DnsResponder, startDnsResponder } from '../../support/dns-responder';
import { type Operator } from '../../support/merchant';
import { mailNumber, linksTo } from '../../support/outbox';
import { startTestService, type TestService } from '../../support/service';
import { type Visit, visit } from './browser';

export type PortalScene = Readonly<{ service: TestService; dns: DnsResponder; stop(): Promise<void> }>;

/** A service whose BASE_URL is the URL it is reached at, so that mailed links and agents' assertions match. */
export async function startPortalScene(
  start = startTestService,
  env: Readonly<Record<string, string>> = {},
): Promise<PortalScene> {
  const dns = await startDnsResponder();
  const port = String(await freePort());
  const service = await start({
    env: {
      PORT: port,
      BASE_URL: `http://127.0.0.1:${port}`,
      DNS_SERVERS: dns.server,
      ALLOW_PRIVATE_NETWORKS: 'true',
      ...env,
    },
  });
  const stop = async (): Promise<void> => {
    await service.stopAndForget();
    await dns.close();
  };
  return { service, dns, stop };
}

/** The file that “Make a key here” saves. */
export type KeyFile = Readonly<{ url: string; agent_id: string; key_id: string; private_key: string }>;

export function agentOf(file: KeyFile): AgentClient {
  const { secretKey } = agentKeyFromSeed(Buffer.from(file.private_key, 'base64url'));
  return new AgentClient({ baseUrl: file.url, credential: { kid: file.key_id, agentId: file.agent_id, secretKey } });
}

/** Requests a link on the page and returns the one from the mail. */
export async function linkByPage(page: Page, service: TestService, email: string): Promise<string> {
  const before = linksTo(service, email).length;
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await page.getByRole('button', { name: 'Send me a link' }).click();
  await page.getByRole('heading', { name: 'Look into your mail' }).waitFor();
  return (await mailNumber(service, email, before + 1)).link;
}

/** A browser that already has the operator's session. */
export async function visitAs(
  browser: Browser,
  service: TestService,
  { cookie }: Pick<Operator, 'cookie'>,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const made = await visit(browser, [service.url], options);
  const [name = '', value = ''] = cookie.split('=');
  await made.page.context().addCookies([{ name, value, url: service.url }]);
  return made;
}

export async function openPage(page: Page, service: TestService, place: string, heading: string): Promise<void> {
  await page.goto(`${service.url}/portal/#${place}`);
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
}
