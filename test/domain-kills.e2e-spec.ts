import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BASE_URL } from './support/agents';
import { type ServiceProcess, spawnService } from './support/child';
import { type DnsResponder, startDnsResponder } from './support/dns-responder';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { signUpMerchant, type SignedUpMerchant, signUpPendingMerchant } from './support/merchant';
import { startTestService } from './support/service';

describe('a service that is killed while a domain changes hands', () => {
  let dns: DnsResponder;
  let dataDir: string;
  let running: ServiceProcess;
  beforeEach(async () => {
    dns = await startDnsResponder();
    dataDir = mkdtempSync(join(tmpdir(), 'svc-domain-kills-'));
  });
  afterEach(async () => {
    running.child.kill('SIGKILL');
    await running.ended;
    await dns.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const start = (death: Readonly<Record<string, string>>): Promise<ServiceProcess> =>
    spawnService(
      { DATA_DIR: dataDir, BASE_URL, LOG_LEVEL: 'silent', RATE_LIMITS: 'off', DNS_SERVERS: dns.server, ...death },
      'test/support/dying-service.ts',
    );
  const statusOf = async ({ headers }: Pick<SignedUpMerchant, 'headers'>, id: string): Promise<string> =>
    (await call(`${running.url}/v1/merchant-domains/${id}`, { headers })).body.domain.status as string;

  it.each([
    ['before the name has its new holder', 'MerchantDomainVerified', 'DomainNameProven'],
    ['before the earlier holder is told', 'DomainNameProven', 'MerchantDomainSuperseded'],
  ])('finishes it after the next start: %s', async (_, DIE_AFTER, EFFECTS) => {
    const service = await startTestService({ dataDir, env: { DNS_SERVERS: dns.server } });
    const ours = await signUpMerchant(service, { dns });
    const other = await signUpPendingMerchant(service);
    const domains = `${service.url}/v1/merchant-domains`;
    const body = { domain: ours.domain, method: 'dns' };
    const made = (await call(domains, { headers: other.headers, body })).body;
    const theirId = made.domain.domain_id as string;
    dns.set(made.challenge.record_name as string, { TXT: [made.challenge.record_value as string] });
    await service.stop();

    running = await start({ DIE_AFTER, EFFECTS });
    const verify = call(`${running.url}/v1/merchant-domains/${theirId}/verify`, { headers: other.headers, body: {} });
    await expect(verify).rejects.toThrow();
    await running.ended;

    running = await start({});
    await eventually(
      () => statusOf(ours, ours.domainId),
      (status) => status === 'superseded',
      'the earlier proof’s end',
    );
    expect(await statusOf(other, theirId)).toBe('verified');
  });
});
