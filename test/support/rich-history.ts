import { createActivePolicy, createApiKey, createIntent, proposePolicy, reportIntent } from './agent-payments';
import { changeAgent } from './agents';
import { claimInvitation, decide, mustBe } from './connections';
import { type DnsResponder } from './dns-responder';
import { eventually } from './eventually';
import { call } from './http';
import { grantFor, signIn } from './merchant';
import { connectAnotherWallet, createPayment, type PaymentScene, reportPayment, setPaymentScene } from './payments';
import { recipientsOf } from './recipients';
import { type TestService } from './service';
import { activeEndpoint, answering, type WebhookReceiver } from './webhook-receiver';

type Headers = Readonly<Record<string, string>>;
/** A path and the credential to read it with. */
export type Read = readonly [path: string, headers: Headers];

/** Stands still between the steps of a history, so that the same commands have the same times wherever they run. */
export class SteppingClock {
  private time = Date.parse('2031-03-01T00:00:00.000Z');
  now = (): Date => new Date(this.time);
  /** Whatever a call takes, two steps never share a time, by which lists are sorted. */
  step(): void {
    this.time += 1_000;
  }
  moveTo(time: string): void {
    this.time = Math.max(this.time, Date.parse(time));
  }
}

type Around = Readonly<{ service: TestService; dns: DnsResponder; receiver: WebhookReceiver; clock: SteppingClock }>;

const STATUSES = ['pending', 'signed', 'broadcasted', 'confirmed', 'failed', 'expired', 'rejected'];
const hashOf = (number: number): string => String(number).repeat(64);

/** Makes a change that the merchant is notified of, and waits for that: the next change is later by the clock. */
async function notified<T>(receiver: WebhookReceiver, change: () => Promise<T>): Promise<T> {
  const before = receiver.received.length;
  const changed = await change();
  await receiver.until(() => receiver.received.length > before);
  return changed;
}

/** Payments of both kinds in every state, and what surrounds them. Returns every read that shows some of it. */
export async function liveThroughAll({ service, dns, receiver, clock }: Around): Promise<readonly Read[]> {
  const scene = await setPaymentScene(service, dns, { clock });
  clock.step();
  const { endpointId } = await activeEndpoint(service, scene.merchant, receiver.url);
  clock.step();
  const other = await notified(receiver, () => connectAnotherWallet(service, scene));
  clock.step();
  const unproven = await recipientsOf(service, scene.merchant).created({ name: 'Café ☕', memo: 'table 7' });
  const around = { service, receiver, clock };
  const requestIds = await requestPayments(around, scene, other);
  const { policyId, paymentIds } = await payUnderPolicy(around, scene);
  clock.step();
  const waiting = await claimInvitation(service, scene.agent, scene.device);
  clock.step();
  const refused = await claimInvitation(service, scene.agent, scene.device);
  clock.step();
  mustBe(200, await decide(service, scene.device, refused.invitationId, 'reject'));
  clock.step();
  const { grant, merchants } = await grantFor(service, scene.merchant.email);
  await signIn(service, scene.merchant.email, { grant, choice: merchants[0]?.choice });
  await letEverythingExpire(around, scene);
  await beRefusedOnce({ service, receiver, clock }, other);
  clock.step();
  mustBe(200, await changeAgent(service, scene.merchant, scene.agent.agentId, { status: 'suspended' }));

  const forMerchant = [
    ...['merchants/current', 'merchant-domains', 'merchant-sessions', 'recipients', `recipients/${unproven.id}`],
    ...['agents', `agents/${scene.agent.agentId}`, 'api-keys', 'webhook-endpoints', 'connections'],
    ...['webhook-deliveries', 'webhook-deliveries?limit=3', `webhook-deliveries?endpoint_id=${endpointId}`],
    ...['events?limit=200', 'events?since=5&limit=7', 'events?types=payment_request.signed'],
    ...[
      'payment-requests',
      'payment-requests?limit=3',
      'payment-requests?q=order-4',
      `payment-requests?q=${hashOf(5)}`,
    ],
    ...[`payment-requests?agent_id=${scene.agent.agentId}&status=expired`],
    ...[`payment-requests?connection_id=${other.connection.connectionId}`],
    ...[`payment-requests?recipient_id=${scene.recipient.recipientId}&limit=2`],
    ...['payment-requests?created_from=2031-03-01T00:00:06Z&created_to=2031-03-01T00:00:12Z'],
    ...['agent-payments', 'agent-payments?limit=2', 'automation-policies', `automation-policies/${policyId}`],
    ...STATUSES.flatMap((status) => [`payment-requests?status=${status}`]),
    ...['signed', 'rejected', 'expired'].map((status) => `agent-payments?status=${status}`),
    ...requestIds.flatMap((id) => [`payment-requests/${id}`, `payment-requests/${id}/timeline`]),
    ...paymentIds.map((id) => `agent-payments/${id}`),
  ];
  const forWallet = ({ device }: PaymentScene): readonly string[] => [
    ...['connections', 'connect-invitations', 'payment-requests', 'payment-requests?status=confirmed'],
    ...['automation-policies', `wallet-devices/${device.deviceId}`],
    ...[`wallet-devices/${device.deviceId}/events?limit=200`],
  ];
  const invitations = [waiting, refused].map(({ invitationId }) => `connect-invitations/${invitationId}`);
  const reviewed = [
    ...requestIds.map((id) => `payment-requests/${id}`),
    ...paymentIds.map((id) => `agent-payments/${id}`),
  ];
  const reads = (paths: readonly string[], { headers }: { headers: Headers }): Read[] =>
    paths.map((path) => [`/v1/${path}`, headers]);
  return [
    ...reads(forMerchant, scene.merchant),
    ...reads([...forWallet(scene), ...invitations, ...reviewed], scene.device),
    ...reads(forWallet(other), other.device),
  ];
}

type Along = Omit<Around, 'dns'>;

/** Each goes a little further than the one before. */
async function requestPayments({ service, receiver, clock }: Along, scene: PaymentScene, other: PaymentScene) {
  const ids: string[] = [];
  for (let number = 0; number < 7; number += 1) {
    clock.step();
    const by = number % 3 === 0 ? other : scene;
    const chosen = number % 2 ? { request_id: `order-${number}` } : { idempotency_key: `order-${number}` };
    const metadata = { '$a.b': [number, null, { é: 'ü' }] };
    const input = { payment: { amount: `${number + 1}.50` }, metadata, display: { title: '<b>' }, ...chosen };
    const { body } = mustBe(201, await notified(receiver, () => createPayment(service, by, input)));
    const id = body['payment_request'].request_id as string;
    ids.push(id);
    const hash = { transaction_hash: hashOf(number) };
    const reports = [
      ...(number === 1 ? [{ status: 'rejected', reason: 'no' }] : []),
      ...(number === 2 ? [{ status: 'failed', reason: 'wallet' }] : []),
      ...(number >= 3 ? [{ status: 'signed' }] : []),
      ...(number >= 4 ? [{ status: 'broadcasted', ...hash }] : []),
      ...(number >= 5 ? [{ status: 'confirmed', ...hash, ledger: number }] : []),
    ];
    for (const report of reports) {
      clock.step();
      mustBe(200, await notified(receiver, () => reportPayment(service, by, id, report)));
    }
  }
  return ids;
}

async function payUnderPolicy({ service, receiver, clock }: Along, scene: PaymentScene) {
  clock.step();
  const key = await createApiKey(service, scene.merchant);
  const keyed = { ...scene, ...key, headers: { 'x-svc-api-key': key.secret } };
  clock.step();
  const policyId = await createActivePolicy(service, keyed, { cumulative_limit: '30' });
  clock.step();
  mustBe(201, await proposePolicy(service, keyed, { single_tx_limit: '3' }));
  const paymentIds: string[] = [];
  for (let number = 0; number < 4; number += 1) {
    clock.step();
    const initiator = number % 2 ? 'human' : 'agent';
    const input = { initiator, amount: `${number + 1}`, idempotency_key: `bill-${number}`, metadata: { number } };
    const { body } = mustBe(201, await notified(receiver, () => createIntent(service, keyed, input)));
    const id = body['data'].id as string;
    paymentIds.push(id);
    clock.step();
    const report = (report: Readonly<Record<string, unknown>>) =>
      notified(receiver, () => reportIntent(service, keyed, id, report));
    if (number === 1) mustBe(200, await report({ status: 'signed' }));
    if (number === 2) mustBe(200, await report({ status: 'rejected', reason: 'no' }));
  }
  clock.step();
  mustBe(403, await createIntent(service, keyed, { initiator: 'agent', amount: '11', idempotency_key: 'too-much' }));
  return { policyId, paymentIds };
}

/** One after another: what expires together is recorded in any order. */
async function letEverythingExpire({ service, clock }: Along, { merchant, device }: PaymentScene) {
  const listed = async (path: string, name: string, { headers }: { headers: Headers }): Promise<Expiring[]> => {
    const { body } = mustBe(200, await call(`${service.url}/v1/${path}`, { headers }));
    return ((body['data'] ?? body) as Record<string, Expiring[]>)[name] ?? [];
  };
  const open = async (): Promise<readonly string[]> => {
    const found = await Promise.all([
      listed('payment-requests?status=pending', 'payment_requests', merchant),
      listed('agent-payments?status=intent_created', 'agent_payments', merchant),
      listed('connect-invitations', 'connect_invitations', device),
    ]);
    return found
      .flat()
      .map(({ expires_at }) => expires_at)
      .sort();
  };
  // An invitation leaves the list when its time is over, and only then is that recorded, at the time it is then.
  const expired = async (): Promise<number> => {
    const feed = `${service.url}/v1/wallet-devices/${device.deviceId}/events?limit=200`;
    return (await call(feed, { headers: device.headers })).text.split('connect_invitation.expired').length - 1;
  };
  const invited = async (): Promise<number> =>
    (await listed('connect-invitations', 'connect_invitations', device)).length + (await expired());
  const before = await invited();
  for (let [next] = await open(); next !== undefined; [next] = await open()) {
    clock.moveTo(next);
    const isPast = (time: string): boolean => time <= clock.now().toISOString();
    await eventually(open, (left) => !left.some(isPast), 'expiry');
    await eventually(invited, (count) => count === before, 'the record of expired invitations');
    await everythingSent(service, merchant);
  }
}

type Expiring = Readonly<{ expires_at: string }>;

async function everythingSent({ url }: TestService, { headers }: { headers: Headers }): Promise<void> {
  await eventually(
    () => call(`${url}/v1/webhook-deliveries?status=pending`, { headers }),
    ({ body }) => body['webhook_deliveries']?.length === 0,
    'every notice',
  );
}

/** A notice that is taken only when it is sent again, at most six seconds later. */
async function beRefusedOnce({ service, receiver, clock }: Along, { connection, device, merchant }: PaymentScene) {
  clock.step();
  receiver.behave(answering(500));
  const { headers } = device;
  const change = { method: 'PATCH', headers, body: { status: 'paused' } };
  const url = `${service.url}/v1/connections/${connection.connectionId}`;
  mustBe(200, await notified(receiver, () => call(url, change)));
  await eventually(
    () => call(`${service.url}/v1/webhook-deliveries?status=pending`, merchant),
    ({ text }) => text.includes('"status_code":500'),
    'the record of the refusal',
  );
  receiver.behave(answering(204));
  for (let seconds = 0; seconds < 7; seconds += 1) clock.step();
  await everythingSent(service, merchant);
}
