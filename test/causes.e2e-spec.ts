import {
  EVENT_STORE,
  type EventStore,
  LOG_START,
  type RecordedEvent,
} from '../src/platform/event-store/event-store.port';
import {
  type AgentPaymentScene,
  createActivePolicy,
  createIntent,
  reportIntent,
  setAgentPaymentScene,
} from './support/agent-payments';
import { type DnsResponder } from './support/dns-responder';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { MovingClock } from './support/moving-clock';
import { describeOnEachPair } from './support/pairs';
import { startPaymentDns } from './support/payments';
import { type TestService } from './support/service';
import { activeEndpoint, answering, startWebhookReceiver, type WebhookReceiver } from './support/webhook-receiver';

/** The allowed causes of each event type; any other cause is an error. */
const CAUSES: Readonly<Record<string, readonly string[]>> = {
  GrantIssued: ['EmailLinkIssued', 'GrantIssued'],
  EmailLinkSpent: ['GrantIssued'],
  GrantSpentOnMerchant: ['GrantIssued'],
  MerchantCreated: ['GrantSpentOnMerchant'],
  SessionOpened: ['GrantIssued'],
  GrantSpentOnSession: ['SessionOpened'],
  MerchantActivated: ['MerchantDomainVerified'],
  ConnectionCreated: ['ConnectInvitationApproved'],
  AgentPaymentCreated: ['AmountReserved'],
  AmountReleased: ['AgentPaymentRejected'],
  WebhookDeliveryOpened: ['AgentPaymentCreated'],
  WebhookDeliveryAttempted: ['AgentPaymentCreated', 'WebhookDeliveryAttempted', 'WebhookDeliveryRequeued'],
};

describeOnEachPair('causes', (start) => {
  const clock = new MovingClock();
  let service: TestService;
  let dns: DnsResponder;
  let scene: AgentPaymentScene;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    const { dns: responder, env } = await startPaymentDns();
    dns = responder;
    receiver = await startWebhookReceiver();
    service = await start({ env: { ...env, ALLOW_PRIVATE_NETWORKS: 'true' }, clock });
    scene = await setAgentPaymentScene(service, dns);
  });
  afterAll(async () => {
    await service.stopAndForget();
    await dns.close();
    await receiver.close();
  });

  const log = () => service.app.get<EventStore>(EVENT_STORE).readAll(LOG_START, 10_000);
  const attempts = async (): Promise<readonly RecordedEvent[]> =>
    (await log()).filter(({ type }) => type === 'WebhookDeliveryAttempted');

  const attempted = (times: number) => eventually(attempts, ({ length }) => length === times, `attempt ${times}`);

  it('are named by the events they led to, and precede them in the log', async () => {
    const policyId = await createActivePolicy(service, scene);
    const types = ['agent_payment.created'];
    await activeEndpoint(service, scene.merchant, receiver.url, { events: types });
    receiver.behave(answering(500));
    const { body } = await createIntent(service, scene, { initiator: 'agent', policy_id: policyId });
    await attempted(1);
    receiver.behave(answering(204));
    clock.skip(10_000);
    await attempted(2);
    const redeliver = `${service.url}/v1/webhook-deliveries/${receiver.received[0]?.id}/redeliver`;
    expect((await call(redeliver, { headers: scene.merchant.headers, body: {} })).status).toBe(202);
    await attempted(3);
    await reportIntent(service, scene, body.data.id as string, { status: 'rejected' });

    const before = new Map<string, string>();
    const found: Record<string, Set<string>> = {};
    for (const { type, metadata } of await log()) {
      const cause = metadata.causation_id;
      if (cause !== undefined) expect([type, cause, before.has(cause)]).toEqual([type, cause, true]);
      if (type in CAUSES) (found[type] ??= new Set()).add(before.get(cause ?? '') ?? 'nothing');
      before.set(metadata.event_id, type);
    }
    expect(Object.fromEntries(Object.entries(found).map(([type, causes]) => [type, [...causes]]))).toEqual(CAUSES);
    expect((await attempts()).map(({ metadata }) => before.get(metadata.causation_id ?? ''))).toEqual(
      CAUSES['WebhookDeliveryAttempted'],
    );
  });
});
