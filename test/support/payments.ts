import {
  EVENT_STORE,
  type EventStore,
  LOG_START,
  type RecordedEvent,
} from '../../src/platform/event-store/event-store.port';
import { type Clock, systemClock } from '../../src/kernel/clock';
import { type ActiveAgent, type ActiveRecipient, createActiveAgent, createActiveRecipient } from './agents';
import { bearing, connectAgent, type Connected } from './connections';
import { type Device, registerDevice } from './devices';
import { type DnsResponder, startDnsResponder } from './dns-responder';
import { type Answer, call } from './http';
import { type SignedUpMerchant, signUpMerchant } from './merchant';
import { type TestService } from './service';

type Service = Pick<TestService, 'url' | 'dataDir'>;
type Headers = Readonly<Record<string, string>>;

/** A merchant with a recipient and an agent, connected to a wallet: everything that a payment request needs. */
export type PaymentScene = Readonly<{
  merchant: SignedUpMerchant;
  agent: ActiveAgent;
  recipient: ActiveRecipient;
  device: Device;
  connection: Connected;
  /** The agent's credential. */
  headers: Headers;
}>;

/** A DNS responder and the setting that makes a test service use it. */
export async function startPaymentDns(): Promise<Readonly<{ dns: DnsResponder; env: Headers }>> {
  const dns = await startDnsResponder();
  return { dns, env: { DNS_SERVERS: dns.server } };
}

export async function setPaymentScene(
  service: Service,
  dns: DnsResponder,
  { clock = systemClock, scopes }: Readonly<{ clock?: Clock; scopes?: readonly string[] }> = {},
): Promise<PaymentScene> {
  const [merchant, device] = await Promise.all([signUpMerchant(service, { dns }), registerDevice(service)]);
  const [agent, recipient] = await Promise.all([
    createActiveAgent(service, merchant, { clock }),
    createActiveRecipient(service, merchant),
  ]);
  const connection = await connectAgent(service, agent, device, scopes ? { scopes } : {});
  const headers = bearing(connection.connectionToken);
  return { merchant, agent, recipient, device, connection, headers };
}

/** The same agent connected to another wallet. */
export async function connectAnotherWallet(
  service: Service,
  scene: PaymentScene,
  scopes?: readonly string[],
): Promise<PaymentScene> {
  const device = await registerDevice(service);
  const connection = await connectAgent(service, scene.agent, device, scopes ? { scopes } : {});
  return { ...scene, device, connection, headers: bearing(connection.connectionToken) };
}

/** Several separate wallets, connected to the same agent. */
export async function severalWallets(service: Service, scene: PaymentScene, count: number): Promise<PaymentScene[]> {
  const wallets: PaymentScene[] = [];
  while (wallets.length < count) wallets.push(await connectAnotherWallet(service, scene));
  return wallets;
}

/** A valid input; `changes` replaces single fields, undefined removes one. */
export const paymentInput = (
  { recipient }: Pick<PaymentScene, 'recipient'>,
  changes: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> => ({
  recipient_id: recipient.recipientId,
  recipient_version_id: recipient.recipientVersionId,
  payment: { amount: '12.50' },
  policy: { requires_user_approval: true },
  ...changes,
});

export const createPayment = (
  { url }: Pick<Service, 'url'>,
  scene: PaymentScene,
  changes: Readonly<Record<string, unknown>> = {},
  headers: Headers = {},
): Promise<Answer> =>
  call(`${url}/v1/payment-requests`, {
    headers: { ...scene.headers, ...headers },
    body: paymentInput(scene, changes),
  });

export const readPayment = (
  { url }: Pick<Service, 'url'>,
  { headers }: { headers: Headers },
  id: string,
): Promise<Answer> => call(`${url}/v1/payment-requests/${id}`, { headers });

export const reportPayment = (
  { url }: Pick<Service, 'url'>,
  { device }: Pick<PaymentScene, 'device'>,
  id: string,
  body: object,
): Promise<Answer> => call(`${url}/v1/payment-requests/${id}/status`, { headers: device.headers, body });

export const pollEvents = (
  { url }: Pick<Service, 'url'>,
  { headers }: { headers: Headers },
  query = 'since=0',
): Promise<Answer> => call(`${url}/v1/payment-requests/events?${query}`, { headers });

/** `[status, code]` of a refusal. */
export const refusal = ({ status, body }: Answer): [number, string] => [status, body.error?.code as string];

/** `[code, field]` of every issue. */
export const issues = ({ body }: Answer): [string, string][] =>
  ((body.error?.issues ?? []) as { code: string; field: string }[]).map(({ code, field }) => [code, field]);

type HasStore = Pick<TestService, 'app'>;

/** Every event of the log with one of these types. */
export async function eventsOfType({ app }: HasStore, ...types: readonly string[]): Promise<RecordedEvent[]> {
  const store = app.get<EventStore>(EVENT_STORE);
  const found: RecordedEvent[] = [];
  for (let position = LOG_START; ;) {
    const page = await store.readAll(position, 1000);
    const last = page.at(-1);
    if (last === undefined) return found;
    found.push(...page.filter(({ type }) => types.includes(type)));
    position = last.position;
  }
}
