import {
  type AgentPaymentScene,
  createIntent,
  readIntent,
  reportIntent,
  setAgentPaymentScene,
} from './support/agent-payments';
import { type DnsResponder } from './support/dns-responder';
import { startPaymentDns } from './support/payments';
import { startTestService, type TestService } from './support/service';
import { activeEndpoint, startWebhookReceiver, type WebhookReceiver } from './support/webhook-receiver';

describe('webhooks of agent payments', () => {
  let service: TestService;
  let dns: DnsResponder;
  let scene: AgentPaymentScene;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    const { dns: responder, env } = await startPaymentDns();
    dns = responder;
    receiver = await startWebhookReceiver();
    service = await startTestService({ env: { ...env, ALLOW_PRIVATE_NETWORKS: 'true' } });
    scene = await setAgentPaymentScene(service, dns);
  });
  afterAll(async () => {
    await service.stopAndForget();
    await dns.close();
    await receiver.close();
  });

  it('tell each step with the payment as it then was', async () => {
    await activeEndpoint(service, scene.merchant, receiver.url);
    const { body } = await createIntent(service, scene, {}, { 'x-idempotency-key': 'told' });
    const id = body.data.id as string;
    expect((await reportIntent(service, scene, id, { status: 'rejected', reason: 'no' })).status).toBe(200);
    await receiver.until(() => receiver.received.length === 2);

    const [created, rejected] = receiver.received;
    expect(created).toMatchObject({ type: 'agent_payment.created', data: { id, status: 'intent_created' } });
    expect(created?.data['agent_payment']).toEqual(body.data);
    expect(rejected).toMatchObject({
      type: 'agent_payment.rejected',
      data: { id, status: 'rejected', previous_status: 'intent_created' },
    });
    const read = await readIntent(service, scene, id);
    expect(rejected?.data['agent_payment']).toEqual(read.body.data);
  });
});
