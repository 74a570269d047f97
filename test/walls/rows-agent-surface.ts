import { newId } from '../../src/kernel/ids';
import { createIntent, intentInput, policyInput, proposePolicy } from '../support/agent-payments';
import { mustBe } from '../support/connections';
import { type Reference, type Row } from './row';
import { type World } from './world';

/** Of an asset of its own: only one policy for each can be active. */
let assets = 0;
const anAsset = () => ({ asset: `T${(assets += 1)}` });
const aPolicy = async ({ service, us }: World) => ({
  id: mustBe(201, await proposePolicy(service, us, anAsset())).body.data.id as string,
});
const anIntent = async ({ service, us }: World) => ({
  id: mustBe(201, await createIntent(service, us)).body.data.id as string,
});
const ourPolicy = ({ us }: World) => ({ path: { id: us.policyId } });

const connectionId: Reference = {
  prefix: 'con',
  theirs: ({ connection }) => connection.connectionId,
  outcome: 'resource_not_found',
};
const recipientId: Reference = {
  prefix: 'rcp',
  theirs: ({ recipient }) => recipient.recipientId,
  outcome: 'validation_failed',
};
const allowlist: Reference = { ...recipientId, list: true };

/** Agent payments and automation policies. */
export const agentSurfaceRows: Readonly<Record<string, Row>> = {
  'POST /v1/automation-policies': {
    wall: 'adminOrDevice',
    own: 201,
    // The connection determines whose recipients are meant, and a stranger's wallet has none of our connections.
    stranger: { session: 'validation_failed', device: 'resource_not_found' },
    parts: ({ us }) => ({ body: policyInput(us, anAsset()) }),
    references: { connection_id: connectionId, allowlist },
  },
  'GET /v1/automation-policies': {
    wall: 'project',
    own: 200,
    parts: ({ us }) => ({ query: { connection_id: us.connection.connectionId } }),
    references: { connection_id: { ...connectionId, outcome: 200 } },
  },
  'GET /v1/automation-policies/{id}': { wall: 'project', own: 200, parts: ourPolicy },
  'PATCH /v1/automation-policies/{id}': {
    wall: 'admin',
    own: 200,
    parts: async (world) => ({ path: await aPolicy(world), body: { version: 1, single_tx_limit: '5' } }),
    references: { allowlist },
  },
  'DELETE /v1/automation-policies/{id}': {
    wall: 'admin',
    own: 200,
    parts: async (world) => ({ path: await aPolicy(world) }),
  },
  'POST /v1/automation-policies/{id}/opt-in': {
    wall: 'device',
    own: 200,
    parts: async (world) => ({ path: await aPolicy(world), body: {} }),
    references: {
      allowlist,
      recipient_version_ids: {
        prefix: 'rcv',
        theirs: ({ recipient }) => recipient.recipientVersionId,
        outcome: 'version_conflict',
        list: true,
      },
    },
  },
  'POST /v1/automation-policies/{id}/decline': {
    wall: 'device',
    own: 200,
    parts: async (world) => ({ path: await aPolicy(world), body: {} }),
  },
  'POST /v1/automation-policies/{id}/opt-out': {
    wall: 'device',
    own: 200,
    parts: async (world) => ({ path: await aPolicy(world), body: {} }),
  },
  'POST /v1/agent-payments/{id}/withdraw': {
    wall: 'apiKeyOrAdmin',
    own: 200,
    parts: async (world) => ({ path: await anIntent(world), body: {} }),
  },
  'GET /v1/agent-payments/{id}/timeline': {
    wall: 'apiKeyOrAdmin',
    own: 200,
    parts: ({ us }) => ({ path: { id: us.agentPaymentId } }),
  },
  'GET /v1/agent-payments/{id}/proof': {
    wall: 'apiKeyOrAdmin',
    own: 200,
    parts: ({ us }) => ({ path: { id: us.agentPaymentId } }),
  },
  // It is not paid yet, which only its owner may learn.
  'POST /v1/agent-payments/{id}/settlement-checks': {
    wall: 'apiKeyOrAdmin',
    own: 'transaction_not_reported',
    parts: ({ us }) => ({ path: { id: us.agentPaymentId } }),
  },
  'POST /v1/automation-policies/evaluate': {
    wall: 'apiKey',
    own: 200,
    stranger: 'validation_failed',
    parts: ({ us }) => {
      const { initiator: _initiator, ...body } = intentInput(us) as Record<string, unknown>;
      return { body };
    },
    references: {
      recipient_id: { ...recipientId, outcome: 'resource_not_found' },
      connection_id: connectionId,
      policy_id: { prefix: 'pol', theirs: ({ policyId }) => policyId, outcome: 'resource_not_found' },
    },
  },
  'POST /v1/automation-policies/{id}/simulate': {
    wall: 'adminOrDevice',
    own: 200,
    parts: (world) => ({ ...ourPolicy(world), body: { single_tx_limit: '5' } }),
    references: { allowlist },
  },
  'POST /v1/agent-payments': {
    wall: 'apiKey',
    own: 201,
    stranger: 'validation_failed',
    parts: ({ us }) => ({ body: intentInput(us) }),
    references: {
      recipient_id: { ...recipientId, outcome: 'resource_not_found' },
      connection_id: connectionId,
      policy_id: {
        prefix: 'pol',
        theirs: ({ policyId }) => policyId,
        outcome: 'resource_not_found',
        along: { initiator: 'agent' },
      },
    },
  },
  'GET /v1/agent-payments': {
    wall: 'project',
    own: 200,
    parts: () => ({ query: {} }),
    references: { connection_id: { ...connectionId, outcome: 200 } },
  },
  'GET /v1/agent-payments/by-key/{key}': {
    wall: 'apiKey',
    own: 200,
    parts: async ({ service, us }) => {
      const key = newId('key');
      mustBe(201, await createIntent(service, us, { idempotency_key: key }));
      return { path: { key }, query: {} };
    },
    references: { connection_id: connectionId },
  },
  'GET /v1/agent-payments/{id}': {
    wall: 'project',
    own: 200,
    parts: ({ us }) => ({ path: { id: us.agentPaymentId } }),
  },
  'POST /v1/agent-payments/{id}/status': {
    wall: 'device',
    own: 200,
    parts: async (world) => ({ path: await anIntent(world), body: { status: 'signed' } }),
  },
};
