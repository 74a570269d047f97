import { type IdPrefix } from '../../src/kernel/ids';
import { newKeyPair } from '../support/agent-client';
import { createAgent, registerPending, TESTNET_FACTS } from '../support/agents';
import { signChallenge } from '../support/agent-client';
import { createApiKey } from '../support/agent-payments';
import { mustBe } from '../support/connections';
import { call } from '../support/http';
import { recipientsOf } from '../support/recipients';
import { createEndpoint } from '../support/webhook-receiver';
import { type Reference, type Row } from './row';
import { type Tenant } from './tenant';
import { type World } from './world';

const theirs = (prefix: IdPrefix, of: (them: Tenant) => string, outcome: Reference['outcome']): Reference => ({
  prefix,
  theirs: of,
  outcome,
});

let made = 0;
const newDomain = (): object => ({ domain: `walls-${(made += 1)}.example.test`, method: 'dns' });
const newDescription = (): string => `number ${(made += 1)}`;

const aDomain = async ({ service, us }: World) => {
  const { headers } = us.merchant;
  const { body } = mustBe(201, await call(`${service.url}/v1/merchant-domains`, { headers, body: newDomain() }));
  return { id: body.domain.domain_id as string };
};

const anAgent = async ({ service, us }: World) => ({ id: await createAgent(service, us.merchant) });

const aCredential = async ({ service, us, furnishing }: World) =>
  registerPending(service, us.merchant, newKeyPair(), furnishing.clock);

const credentialPath = ({ agentId, credentialId }: { agentId: string; credentialId: string }) => ({
  id: agentId,
  credentialId,
});

/** A merchant may have twenty, so all calls but the delete share one. */
const ourEndpoint = ({ us }: World) => ({ path: { id: us.endpointId } });

const aPendingEndpoint = async ({ service, us, furnishing }: World) => {
  const { body } = mustBe(201, await createEndpoint(service, us.merchant, { url: furnishing.hook }));
  return { path: { id: body.webhook_endpoint.webhook_endpoint_id as string } };
};

const aRewind = async ({ service, us }: World) => {
  const { headers } = us.merchant;
  const url = `${service.url}/v1/webhook-endpoints/${us.endpointId}/rewind`;
  const { body } = mustBe(202, await call(url, { headers, body: { from_cursor: 0, to_cursor: 0 } }));
  return { path: { id: us.endpointId, rewindId: body.rewind.rewind_id as string } };
};

const anApiKey = async ({ service, us }: World) => ({
  path: { id: (await createApiKey(service, us.merchant)).apiKeyId },
});

/** With a version that only our record can have, so that the outcome shows whose record was meant. */
const aRenaming = async ({ service, us, them }: World) => {
  const current = `${service.url}/v1/merchants/current`;
  const read = async ({ headers }: Tenant['merchant']) => mustBe(200, await call(current, { headers })).body.merchant;
  const theirs = (await read(them.merchant)).version as number;
  for (let ours = await read(us.merchant); ; ours = await read(us.merchant)) {
    const body = { version: ours.version as number, name: `Name ${(made += 1)}` };
    if (body.version > theirs) return { body };
    mustBe(200, await call(current, { method: 'PATCH', headers: us.merchant.headers, body }));
  }
};

const aRecipient = ({ service, us }: World) => recipientsOf(service, us.merchant).created();

/** The routes of a merchant's operator. */
export const merchantRows: Readonly<Record<string, Row>> = {
  'GET /v1/merchants/current': { wall: 'session', own: 200 },
  'PATCH /v1/merchants/current': { wall: 'merchant', own: 200, stranger: 'version_conflict', parts: aRenaming },
  'POST /v1/merchant-domains': { wall: 'session', own: 201, parts: () => ({ body: { ...newDomain() } }) },
  'GET /v1/merchant-domains': { wall: 'session', own: 200 },
  'GET /v1/merchant-domains/{id}': {
    wall: 'session',
    own: 200,
    parts: async (world) => ({ path: await aDomain(world) }),
  },
  'DELETE /v1/merchant-domains/{id}': {
    wall: 'session',
    own: 200,
    parts: async (world) => ({ path: await aDomain(world) }),
  },
  'POST /v1/merchant-domains/{id}/verify': {
    wall: 'session',
    own: 200,
    parts: ({ us }) => ({ path: { id: us.merchant.domainId }, body: {} }),
  },
  'POST /v1/recipients': {
    wall: 'merchant',
    own: 201,
    parts: () => ({ body: { name: 'Payee', ...TESTNET_FACTS } }),
  },
  'GET /v1/recipients': { wall: 'merchant', own: 200 },
  'GET /v1/recipients/{id}': {
    wall: 'merchant',
    own: 200,
    parts: ({ us }) => ({ path: { id: us.recipient.recipientId } }),
  },
  'POST /v1/recipients/{id}/versions': {
    wall: 'merchant',
    own: 201,
    parts: async (world) => {
      const { id, version } = await aRecipient(world);
      return { path: { id }, body: { ...TESTNET_FACTS, version } };
    },
  },
  'POST /v1/recipients/{id}/verify': {
    wall: 'merchant',
    own: 200,
    parts: async (world) => {
      const { id, version, versionId } = await aRecipient(world);
      const source_id = world.us.merchant.domainId;
      return { path: { id }, body: { recipient_version_id: versionId, type: 'domain_proof', source_id, version } };
    },
    references: {
      recipient_version_id: theirs('rcv', ({ recipient }) => recipient.recipientVersionId, 'validation_failed'),
      source_id: theirs('dom', ({ merchant }) => merchant.domainId, 'validation_failed'),
    },
  },
  'POST /v1/recipients/{id}/versions/{versionId}/activate': {
    wall: 'merchant',
    own: 200,
    parts: async (world) => {
      const payee = recipientsOf(world.service, world.us.merchant);
      const made = await payee.created();
      const body = payee.evidenceIn(mustBe(200, await payee.verify(made)));
      return { path: { id: made.id, versionId: made.versionId }, body };
    },
    references: { evidence_id: theirs('evd', ({ evidence }) => evidence.id, 'validation_failed') },
  },
  'POST /v1/recipients/{id}/versions/{versionId}/retire': {
    wall: 'merchant',
    own: 200,
    parts: async (world) => {
      const { id, version, versionId } = await aRecipient(world);
      return { path: { id, versionId }, body: { version } };
    },
  },
  // It is not paid yet, which only its owner may learn.
  'POST /v1/payment-requests/{id}/settlement-checks': {
    wall: 'merchant',
    own: 'transaction_not_reported',
    parts: ({ us }) => ({ path: { id: us.requestId } }),
  },
  'POST /v1/agents': {
    wall: 'merchant',
    own: 201,
    parts: () => ({
      body: { name: 'Agent', runtime: 'node', environment: 'testnet', allowed_scopes: ['payment.requests.read'] },
    }),
  },
  'GET /v1/agents': { wall: 'merchant', own: 200 },
  'GET /v1/agents/{id}': { wall: 'merchant', own: 200, parts: ({ us }) => ({ path: { id: us.agent.agentId } }) },
  'PATCH /v1/agents/{id}': {
    wall: 'merchant',
    own: 200,
    parts: async (world) => ({ path: await anAgent(world), body: { version: 1, name: 'Another name' } }),
  },
  'POST /v1/agents/{id}/credentials': {
    wall: 'merchant',
    own: 201,
    parts: async (world) => {
      const { publicKey } = newKeyPair();
      const now = world.furnishing.clock.now();
      const times = { not_before: now.toISOString(), expires_at: new Date(now.getTime() + 86_400_000).toISOString() };
      return { path: await anAgent(world), body: { kid: 'key-1', alg: 'Ed25519', public_key: publicKey, ...times } };
    },
  },
  'POST /v1/agents/{id}/credentials/{credentialId}/activate': {
    wall: 'merchant',
    own: 200,
    parts: async (world) => {
      const made = await aCredential(world);
      const { challenge, keyPair } = made;
      return { path: credentialPath(made), body: { challenge, signature: signChallenge(keyPair, challenge) } };
    },
  },
  'POST /v1/agents/{id}/credentials/{credentialId}/revoke': {
    wall: 'merchant',
    own: 200,
    parts: async (world) => ({ path: credentialPath(await aCredential(world)), body: {} }),
  },
  'POST /v1/api-keys': { wall: 'merchant', own: 201, parts: () => ({ body: { name: 'Key' } }) },
  'GET /v1/api-keys': { wall: 'merchant', own: 200 },
  'GET /v1/api-keys/{id}': { wall: 'merchant', own: 200, parts: anApiKey },
  'DELETE /v1/api-keys/{id}': { wall: 'merchant', own: 200, parts: anApiKey },
  'POST /v1/webhook-endpoints': {
    wall: 'merchant',
    own: 201,
    parts: ({ furnishing }) => ({ body: { url: furnishing.hook } }),
  },
  'GET /v1/webhook-endpoints': { wall: 'merchant', own: 200 },
  'GET /v1/webhook-endpoints/{id}': {
    wall: 'merchant',
    own: 200,
    parts: ourEndpoint,
  },
  'PATCH /v1/webhook-endpoints/{id}': {
    wall: 'merchant',
    own: 200,
    parts: async (world) => {
      const { path } = ourEndpoint(world);
      const { headers } = world.us.merchant;
      const { body } = mustBe(200, await call(`${world.service.url}/v1/webhook-endpoints/${path.id}`, { headers }));
      return { path, body: { version: body.webhook_endpoint.version, description: newDescription() } };
    },
  },
  'DELETE /v1/webhook-endpoints/{id}': { wall: 'merchant', own: 200, parts: aPendingEndpoint },
  'POST /v1/webhook-endpoints/{id}/verify': {
    wall: 'merchant',
    own: 200,
    parts: (world) => ({ ...ourEndpoint(world), body: {} }),
  },
  'POST /v1/webhook-endpoints/{id}/rotate-secret': {
    wall: 'merchant',
    own: 200,
    parts: (world) => ({ ...ourEndpoint(world), body: {} }),
  },
  'POST /v1/webhook-endpoints/{id}/recover': {
    wall: 'merchant',
    own: 202,
    parts: ({ us }) => ({ path: { id: us.endpointId }, body: { since: '2030-01-01T00:00:00Z' } }),
  },
  'POST /v1/webhook-endpoints/{id}/test': {
    wall: 'merchant',
    own: 200,
    parts: (world) => ({ ...ourEndpoint(world), body: {} }),
  },
  'POST /v1/webhook-endpoints/{id}/rewind': {
    wall: 'merchant',
    own: 202,
    parts: (world) => ({ ...ourEndpoint(world), body: { from_cursor: 0, to_cursor: 0 } }),
  },
  'GET /v1/webhook-endpoints/{id}/rewinds/{rewindId}': { wall: 'merchant', own: 200, parts: aRewind },
  'DELETE /v1/webhook-endpoints/{id}/rewinds/{rewindId}': {
    wall: 'merchant',
    own: 200,
    parts: async (world) => ({ ...(await aRewind(world)), body: {} }),
  },
  'GET /v1/events': { wall: 'merchant', own: 200, parts: () => ({ query: { limit: '5' } }) },
  'GET /v1/webhook-deliveries': {
    wall: 'merchant',
    own: 200,
    parts: ({ us }) => ({ query: { endpoint_id: us.endpointId } }),
    // A merchant chooses its own request ids; another merchant's ids are not considered.
    references: { endpoint_id: theirs('whe', ({ endpointId }) => endpointId, 200), subject_id: 'free' },
  },
  'GET /v1/webhook-deliveries/{id}': {
    wall: 'merchant',
    own: 200,
    parts: ({ us }) => ({ path: { id: us.deliveryId } }),
  },
  'POST /v1/webhook-deliveries/{id}/redeliver': {
    wall: 'merchant',
    own: 202,
    parts: ({ us }) => ({ path: { id: us.deliveryId }, body: {} }),
  },
};
