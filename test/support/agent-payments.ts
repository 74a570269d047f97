import { addAmounts } from '../../src/kernel/amounts';
import { type Clock } from '../../src/kernel/clock';
import { mustBe } from './connections';
import { type DnsResponder } from './dns-responder';
import { type Answer, call } from './http';
import { type PaymentScene, setPaymentScene } from './payments';
import { type TestService } from './service';

type Service = Pick<TestService, 'url' | 'dataDir'>;
type Headers = Readonly<Record<string, string>>;
type Changes = Readonly<Record<string, unknown>>;

/** A payment scene with a project API key. */
export type AgentPaymentScene = Omit<PaymentScene, 'headers'> &
  Readonly<{ secret: string; apiKeyId: string; headers: Headers }>;

export async function createApiKey(
  { url }: Pick<Service, 'url'>,
  { headers }: Readonly<{ headers: Headers }>,
): Promise<Readonly<{ apiKeyId: string; secret: string }>> {
  const { body } = mustBe(201, await call(`${url}/v1/api-keys`, { headers, body: { name: 'Checkout server' } }));
  return { apiKeyId: body.api_key.api_key_id as string, secret: body.secret as string };
}

export async function setAgentPaymentScene(
  service: Service,
  dns: DnsResponder,
  options: Readonly<{ clock?: Clock }> = {},
): Promise<AgentPaymentScene> {
  const scene = await setPaymentScene(service, dns, options);
  const key = await createApiKey(service, scene.merchant);
  return { ...scene, ...key, headers: { 'x-svc-api-key': key.secret } };
}

/** A valid proposal; `changes` replaces single fields, undefined removes one. */
export const policyInput = ({ connection, recipient }: AgentPaymentScene, changes: Changes = {}): Changes => ({
  connection_id: connection.connectionId,
  network: 'stellar_testnet',
  asset: 'XLM',
  single_tx_limit: '10',
  cumulative_limit: '100',
  valid_from: '2020-01-01T00:00:00Z',
  valid_until: '2100-01-01T00:00:00Z',
  allowlist: [recipient.recipientId],
  ...changes,
});

export const proposePolicy = (
  { url }: Pick<Service, 'url'>,
  scene: AgentPaymentScene,
  changes: Changes = {},
): Promise<Answer> =>
  call(`${url}/v1/automation-policies`, { headers: scene.merchant.headers, body: policyInput(scene, changes) });

/** A policy that the wallet's owner has opted in to. */
export async function createActivePolicy(
  service: Pick<Service, 'url'>,
  scene: AgentPaymentScene,
  changes: Changes = {},
): Promise<string> {
  const { body } = mustBe(201, await proposePolicy(service, scene, changes));
  const policyId = body.data.id as string;
  const agreed = await optIn(service, scene, policyId);
  const active = agreed.body.error?.details?.policy_id as string | undefined;
  // A connection has one active policy for an asset: the one of an earlier test ends with this one.
  mustBe(200, active === undefined ? agreed : await optIn(service, scene, policyId, 'opt-in', { replaces: active }));
  return policyId;
}

export const optIn = (
  { url }: Pick<Service, 'url'>,
  { device }: Pick<AgentPaymentScene, 'device'>,
  policyId: string,
  way: 'opt-in' | 'opt-out' | 'decline' = 'opt-in',
  body: Changes = {},
): Promise<Answer> => call(`${url}/v1/automation-policies/${policyId}/${way}`, { headers: device.headers, body });

export const readPolicy = (
  { url }: Pick<Service, 'url'>,
  { headers }: Readonly<{ headers: Headers }>,
  policyId: string,
): Promise<Answer> => call(`${url}/v1/automation-policies/${policyId}`, { headers });

/** What counts against a policy, reserved or spent, and what remains. */
export const spentOf = async (
  service: Pick<Service, 'url'>,
  scene: AgentPaymentScene,
  policyId: string,
): Promise<readonly [string, string]> => {
  const { reserved, spent, remaining } = mustBe(200, await readPolicy(service, scene, policyId)).body.data as Record<
    string,
    string
  >;
  return [addAmounts(reserved ?? '', spent ?? ''), remaining ?? ''];
};

/** A valid intent of a person; `changes` replaces single fields, undefined removes one. */
export const intentInput = ({ connection, recipient }: AgentPaymentScene, changes: Changes = {}): Changes => ({
  network: 'stellar_testnet',
  recipient_id: recipient.recipientId,
  amount: '1.50',
  initiator: 'human',
  connection_id: connection.connectionId,
  ...changes,
});

export const createIntent = (
  { url }: Pick<Service, 'url'>,
  scene: AgentPaymentScene,
  changes: Changes = {},
  headers: Headers = {},
): Promise<Answer> =>
  call(`${url}/v1/agent-payments`, {
    headers: { ...scene.headers, ...headers },
    body: intentInput(scene, changes),
  });

export const readIntent = (
  { url }: Pick<Service, 'url'>,
  { headers }: Readonly<{ headers: Headers }>,
  id: string,
): Promise<Answer> => call(`${url}/v1/agent-payments/${id}`, { headers });

export const reportIntent = (
  { url }: Pick<Service, 'url'>,
  { device }: Pick<AgentPaymentScene, 'device'>,
  id: string,
  body: Changes,
): Promise<Answer> => call(`${url}/v1/agent-payments/${id}/status`, { headers: device.headers, body });

/** `[status, code, triggered thresholds]` of a refusal. */
export const hitl = ({ status, body }: Answer): [number, string, string[] | undefined] => [
  status,
  body.error?.code as string,
  body.error?.details?.triggered_thresholds as string[] | undefined,
];

export const issuesOf = ({ body }: Answer): [string, string][] =>
  ((body.error?.details?.issues ?? []) as { code: string; field: string }[]).map(({ code, field }) => [code, field]);
