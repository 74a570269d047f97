import { type Clock, systemClock } from '../../src/kernel/clock';
import { type AgentKeyPair, newKeyPair, signAssertion, signChallenge } from './agent-client';
import { type Answer, call } from './http';
import { type Operator, type SignedUpMerchant } from './merchant';
import { type TestService } from './service';

type Service = Pick<TestService, 'url'>;
type By = Pick<Operator, 'headers'>;

/** The default BASE_URL of test services. */
export const BASE_URL = 'http://svc.test';
const YEAR_MS = 365 * 24 * 3_600_000;

export const SCOPES = [
  'payment.requests.create',
  'payment.requests.read',
  'transaction_contexts.create',
  'transaction_contexts.read',
] as const;

export type ActiveAgent = Readonly<{
  agentId: string;
  credentialId: string;
  kid: string;
  keyPair: AgentKeyPair;
  /** Signs a new assertion and exchanges it. */
  token(): Promise<string>;
}>;

type Timed = Readonly<{ clock?: Clock }>;

export async function createAgent({ url }: Service, { headers }: By, body: object = {}): Promise<string> {
  const input = { name: 'Checkout agent', runtime: 'node', environment: 'testnet', allowed_scopes: SCOPES, ...body };
  return mustBe(201, await call(`${url}/v1/agents`, { headers, body: input })).body.agent.agent_id as string;
}

/** A valid registration; `changes` replaces single fields. */
export function registerCredential(
  { url }: Service,
  { headers }: By,
  agentId: string,
  { publicKey }: AgentKeyPair,
  { clock = systemClock, ...changes }: Timed & Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  const now = clock.now();
  const expires = new Date(now.getTime() + YEAR_MS);
  const times = { not_before: now.toISOString(), expires_at: expires.toISOString() };
  const body = { kid: 'key-1', alg: 'Ed25519', public_key: publicKey, ...times, ...changes };
  return call(`${url}/v1/agents/${agentId}/credentials`, { headers, body });
}

export const proveCredential = (
  { url }: Service,
  { headers }: By,
  agentId: string,
  credentialId: string,
  body: Readonly<{ challenge: unknown; signature: unknown }>,
): Promise<Answer> => call(`${url}/v1/agents/${agentId}/credentials/${credentialId}/activate`, { headers, body });

/** Registers a key and proves possession of it. */
export async function addCredential(
  service: Service,
  merchant: By,
  agentId: string,
  keyPair: AgentKeyPair,
  options: Timed & Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const { body } = mustBe(201, await registerCredential(service, merchant, agentId, keyPair, options));
  const credentialId = body.credential.credential_id as string;
  const challenge = body.proof_challenge as string;
  const proof = { challenge, signature: signChallenge(keyPair, challenge) };
  mustBe(200, await proveCredential(service, merchant, agentId, credentialId, proof));
  return credentialId;
}

/** A new agent with a registered key whose challenge is not signed yet; `prove` sends the proof, or a changed one. */
export async function registerPending(
  service: Service,
  merchant: By,
  keyPair: AgentKeyPair,
  clock: Clock = systemClock,
) {
  const agentId = await createAgent(service, merchant);
  const { body } = mustBe(201, await registerCredential(service, merchant, agentId, keyPair, { clock }));
  const credentialId = body.credential.credential_id as string;
  const challenge = body.proof_challenge as string;
  const right = { challenge, signature: signChallenge(keyPair, challenge) };
  const prove = (changes: Partial<Record<'challenge' | 'signature', unknown>> = {}): Promise<Answer> =>
    proveCredential(service, merchant, agentId, credentialId, { ...right, ...changes });
  return { agentId, credentialId, challenge, keyPair, prove };
}

/** Changes an agent at its current version. */
export async function changeAgent(
  { url }: Service,
  { headers }: By,
  agentId: string,
  changes: object,
): Promise<Answer> {
  const { body } = mustBe(200, await call(`${url}/v1/agents/${agentId}`, { headers }));
  const version = body.agent.version as number;
  return call(`${url}/v1/agents/${agentId}`, { method: 'PATCH', headers, body: { version, ...changes } });
}

export const revokeCredential = (
  { url }: Service,
  { headers }: By,
  agentId: string,
  credentialId: string,
  body: object = {},
) => call(`${url}/v1/agents/${agentId}/credentials/${credentialId}/revoke`, { headers, body });

export const exchangeAssertion = ({ url }: Service, assertion: unknown): Promise<Answer> =>
  call(`${url}/v1/agent-auth/token`, { body: { assertion } });

/** An agent that can sign in, set up through all the steps that a merchant takes. */
export async function createActiveAgent(
  service: Service,
  merchant: By,
  {
    scopes = SCOPES,
    name = 'Checkout agent',
    kid = 'key-1',
    clock = systemClock,
    baseUrl = BASE_URL,
  }: Timed & Readonly<{ scopes?: readonly string[]; name?: string; kid?: string; baseUrl?: string }> = {},
): Promise<ActiveAgent> {
  const agentId = await createAgent(service, merchant, { name, allowed_scopes: scopes });
  const keyPair = newKeyPair();
  const credentialId = await addCredential(service, merchant, agentId, keyPair, { kid, clock });
  mustBe(200, await changeAgent(service, merchant, agentId, { status: 'active' }));
  const audience = `${baseUrl}/v1/agent-auth/token`;
  const token = async (): Promise<string> => {
    const assertion = signAssertion(keyPair, { kid, audience, agentId, now: clock.now() });
    return mustBe(200, await exchangeAssertion(service, assertion)).body.agent_token as string;
  };
  return { agentId, credentialId, kid, keyPair, token };
}

export const TESTNET_FACTS = {
  network: 'stellar_testnet',
  asset: 'XLM',
  address: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
};

export type ActiveRecipient = Readonly<{ recipientId: string; recipientVersionId: string }>;

/** A payee that can be paid: created, verified with the merchant's domain, activated. */
export async function createActiveRecipient(
  { url }: Service,
  { headers, domainId }: Pick<SignedUpMerchant, 'headers' | 'domainId'>,
  facts: Readonly<Record<string, string>> = {},
): Promise<ActiveRecipient> {
  const recipients = `${url}/v1/recipients`;
  const input = { name: 'Example Shop', ...TESTNET_FACTS, ...facts };
  const created = mustBe(201, await call(recipients, { headers, body: input })).body;
  const recipientId = created.recipient.recipient_id as string;
  const recipientVersionId = created.recipient_version.recipient_version_id as string;
  const claim = { recipient_version_id: recipientVersionId, type: 'domain_proof', source_id: domainId };
  const verified = mustBe(
    200,
    await call(`${recipients}/${recipientId}/verify`, {
      headers,
      body: { ...claim, version: created.recipient.version as number },
    }),
  ).body;
  const { evidence_id, evidence_digest } = verified.evidence as Record<string, string>;
  mustBe(
    200,
    await call(`${recipients}/${recipientId}/versions/${recipientVersionId}/activate`, {
      headers,
      body: { evidence_id, evidence_digest, version: verified.recipient.version as number },
    }),
  );
  return { recipientId, recipientVersionId };
}

/** A helper's step that fails reports it at once, with the response. */
function mustBe(status: number, answer: Answer): Answer {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
  return answer;
}
