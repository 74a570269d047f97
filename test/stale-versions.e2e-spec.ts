import { proposePolicy, setAgentPaymentScene } from './support/agent-payments';
import { type DnsResponder, startDnsResponder } from './support/dns-responder';
import { type Answer, call } from './support/http';
import { startTestService, type TestService } from './support/service';
import { createEndpoint } from './support/webhook-receiver';

describe('a stale version together with other problems', () => {
  let service: TestService;
  let dns: DnsResponder;

  beforeAll(async () => {
    dns = await startDnsResponder();
    service = await startTestService({ env: { DNS_SERVERS: dns.server } });
  });
  afterAll(() => Promise.all([service.stopAndForget(), dns.close()]));

  const told = ({ body }: Answer): unknown =>
    (body.error?.issues ?? body.error?.details?.issues)?.map(
      ({ code, field }: Record<string, string>) => `${code} ${field}`,
    );

  it('is reported with them, on each route that takes one', async () => {
    const scene = await setAgentPaymentScene(service, dns);
    const { headers } = scene.merchant;
    const { body: policy } = await proposePolicy(service, scene);
    const { body: endpoint } = await createEndpoint(service, scene.merchant, { url: 'https://hooks.example/a' });
    const { recipientId, recipientVersionId } = scene.recipient;
    const version = 999;
    for (const [method, path, wrong, field] of [
      ['PATCH', `agents/${scene.agent.agentId}`, { name: '' }, 'name'],
      ['PATCH', 'merchants/current', { name: '' }, 'name'],
      ['PATCH', `webhook-endpoints/${endpoint.webhook_endpoint.webhook_endpoint_id as string}`, { url: 7 }, 'url'],
      [
        'PATCH',
        `automation-policies/${policy.data.id as string}`,
        { asset: 7, single_tx_limit: 'x' },
        'single_tx_limit',
      ],
      ['POST', `recipients/${recipientId}/versions`, { network: 7 }, 'network'],
      ['POST', `recipients/${recipientId}/verify`, { recipient_version_id: 7 }, 'recipient_version_id'],
      ['POST', `recipients/${recipientId}/versions/${recipientVersionId}/activate`, { evidence_id: 7 }, 'evidence_id'],
    ] as const) {
      const answer = await call(`${service.url}/v1/${path}`, { method, headers, body: { ...wrong, version } });
      expect([path, told(answer)]).toEqual([
        path,
        expect.arrayContaining(['version_conflict version', expect.stringMatching(new RegExp(` ${field}$`))]),
      ]);
      // Nothing is revealed about records of others or that do not exist.
      const others = await call(`${service.url}/v1/${path.replace(/_[0-9A-Z]{26}/, `_${'0'.repeat(26)}`)}`, {
        method,
        headers,
        body: { ...wrong, version },
      });
      if (path !== 'merchants/current') expect(told(others) ?? []).not.toContain('version_conflict version');
    }
  });
});
