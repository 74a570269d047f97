import {
  type AgentPaymentScene,
  createIntent,
  readIntent,
  reportIntent,
  setAgentPaymentScene,
} from './support/agent-payments';
import { type DnsResponder } from './support/dns-responder';
import { MovingClock } from './support/moving-clock';
import { startPaymentDns } from './support/payments';
import { startTestService, type TestService } from './support/service';
import { activeEndpoint, startWebhookReceiver, type WebhookReceiver } from './support/webhook-receiver';

const HASH = 'ab'.repeat(32);

describe('webhooks of agent payments', () => {
  const clock = new MovingClock();
  let service: TestService;
  let dns: DnsResponder;
  let scene: AgentPaymentScene;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    const { dns: responder, env } = await startPaymentDns();
    dns = responder;
    receiver = await startWebhookReceiver();
    service = await startTestService({ env: { ...env, ALLOW_PRIVATE_NETWORKS: 'true' }, clock });
    scene = await setAgentPaymentScene(service, dns);
  });
  afterAll(async () => {
    await service.stopAndForget();
    await dns.close();
    await receiver.close();
  });

  it('report each step with the payment as it was at that time', async () => {
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

  it('report every outcome a payment can have', async () => {
    const before = receiver.received.length;
    const made = async (): Promise<string> => (await createIntent(service, scene)).body.data.id as string;
    const report = (id: string, body: object) => reportIntent(service, scene, id, { ...body });
    const [paid, failed, forgotten] = [await made(), await made(), await made()];
    await report(paid, { status: 'signed' });
    await report(paid, { status: 'broadcasted', transaction_hash: HASH });
    await report(paid, { status: 'confirmed', transaction_hash: HASH, ledger: 7 });
    await report(failed, { status: 'failed', reason: 'no funds' });
    clock.skip(15 * 60_000);
    await receiver.until(() => receiver.received.length === before + 8);
    const told = (about: string): unknown[] =>
      receiver.received.slice(before).flatMap(({ type, data }) => (data['id'] === about ? [type] : []));
    expect(told(paid)).toEqual([
      'agent_payment.created',
      'agent_payment.signed',
      'agent_payment.broadcasted',
      'agent_payment.confirmed',
    ]);
    expect(told(failed)).toEqual(['agent_payment.created', 'agent_payment.failed']);
    expect(told(forgotten)).toEqual(['agent_payment.created', 'agent_payment.expired']);
  });
});
