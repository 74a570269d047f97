import { randomBytes } from 'node:crypto';
import {
  bearing,
  claimInvitation,
  claimKey,
  connectAgent,
  decide,
  issueConnectKey,
  mustBe,
  startPairing,
} from '../support/connections';
import { newId } from '../../src/kernel/ids';
import { subjectOf } from '../../src/platform/secrets/bound-tokens';
import { registerDevice } from '../support/devices';
import { signUpPendingMerchant } from '../support/merchant';
import { createPayment, paymentInput } from '../support/payments';
import { type Row, type WrongBody } from './row';
import { openBearerSession } from './tenant';
import { type World } from './world';

const SCOPES = ['payment.requests.read'];

const aConnection = async ({ service, us }: World) => ({
  id: (await connectAgent(service, us.agent, us.device)).connectionId,
});
const anInvitation = async ({ service, us }: World) => ({
  id: (await claimInvitation(service, us.agent, us.device)).invitationId,
});
const aPairing = ({ service, us }: World) => startPairing(service, us.agent);
const ourDevice = ({ us }: World) => ({ path: { id: us.device.deviceId } });

const aRequest = async ({ service, us }: World): Promise<string> => {
  const scene = { ...us, headers: bearing(us.connection.connectionToken) };
  return mustBe(201, await createPayment(service, scene)).body.payment_request.request_id as string;
};

async function wrongConnectKeys({ service, us, ended }: World): Promise<readonly WrongBody[]> {
  const spent = await issueConnectKey(service, us.device);
  mustBe(201, await claimKey(service, us.agent, spent));
  const wrong = (name: string, connect_key: string, outcome: WrongBody['outcome']): WrongBody => ({
    name,
    body: { connect_key, requested_scopes: SCOPES },
    outcome,
  });
  return [
    wrong('nonsense', 'nonsense', 'invalid_grant'),
    wrong('nobody', `svc_ck_${randomBytes(48).toString('base64url')}`, 'invalid_grant'),
    wrong('spent', spent, 'invalid_grant'),
    wrong('expired', ended.expiredConnectKey, 'invitation_expired'),
    wrong('device token', us.device.token, 'invalid_grant'),
  ];
}

/** The routes of wallets and connected agents. */
export const walletRows: Readonly<Record<string, Row>> = {
  'GET /v1/wallet-devices/{id}': { wall: 'device', own: 200, parts: ourDevice },
  'POST /v1/connect-keys': { wall: 'device', own: 201, parts: () => ({ body: {} }) },
  'POST /v1/connect-invitations/claim': {
    wall: 'agent',
    own: 201,
    parts: async ({ service, us }) => ({
      body: { connect_key: await issueConnectKey(service, us.device), requested_scopes: SCOPES },
    }),
    wrongBodies: wrongConnectKeys,
  },
  'GET /v1/connect-invitations': { wall: 'device', own: 200 },
  'GET /v1/connect-invitations/{id}': {
    wall: 'claimOrDevice',
    own: 200,
    parts: ({ us }) => ({ path: { id: us.claimed.invitationId } }),
  },
  'POST /v1/connect-invitations/{id}/approve': {
    wall: 'device',
    own: 200,
    parts: async (world) => ({ path: await anInvitation(world), body: {} }),
  },
  'POST /v1/connect-invitations/{id}/reject': {
    wall: 'device',
    own: 200,
    parts: async (world) => ({ path: await anInvitation(world), body: {} }),
  },
  'GET /v1/wallet-devices/{id}/events': { wall: 'device', own: 200, parts: ourDevice },
  'POST /v1/pairing/sessions': {
    wall: 'agent',
    own: 201,
    parts: () => ({ body: { requested_scopes: SCOPES } }),
  },
  'GET /v1/pairing/sessions': {
    wall: 'device',
    own: 200,
    stranger: { device: 200 },
    parts: ({ us }) => ({ query: { code: us.pairing.code } }),
  },
  // Knowing the code is what counts: no wallet that has it is a stranger to a pairing session.
  'GET /v1/pairing/sessions/{id}': {
    wall: 'agentOrDevice',
    own: 200,
    stranger: { device: 200 },
    parts: ({ us }) => ({ path: { id: us.pairing.sessionId }, query: { code: us.pairing.code } }),
  },
  'POST /v1/pairing/sessions/{id}/approve': {
    wall: 'device',
    own: 200,
    stranger: { device: 200 },
    parts: async (world) => {
      const { sessionId: id, code } = await aPairing(world);
      return { path: { id }, body: { code } };
    },
    holder: async (world) => {
      const { sessionId: id, code } = await aPairing(world);
      const { headers } = await registerDevice(world.service);
      return { headers, parts: { path: { id }, body: { code } } };
    },
  },
  'POST /v1/pairing/sessions/{id}/reject': {
    wall: 'device',
    own: 200,
    stranger: { device: 200 },
    parts: async (world) => {
      const { sessionId: id, code } = await aPairing(world);
      return { path: { id }, body: { code } };
    },
  },
  'GET /v1/connections/current': { wall: 'connection', own: 200 },
  'GET /v1/payees': { wall: 'connection', own: 200 },
  'GET /v1/connections': { wall: 'deviceOrMerchant', own: 200 },
  'GET /v1/connections/{id}': {
    wall: 'deviceOrMerchant',
    own: 200,
    parts: ({ us }) => ({ path: { id: us.connection.connectionId } }),
  },
  'PATCH /v1/connections/{id}': {
    wall: 'device',
    own: 200,
    parts: async (world) => ({ path: await aConnection(world), body: { status: 'paused' } }),
  },
  'DELETE /v1/connections/{id}': {
    wall: 'anyParty',
    own: 200,
    parts: async (world) => ({ path: await aConnection(world) }),
  },
  'POST /v1/connections/{id}/rotate-token': {
    wall: 'device',
    own: 200,
    parts: async (world) => ({ path: await aConnection(world), body: {} }),
  },
  'POST /v1/transaction-contexts': {
    wall: 'connection',
    own: 201,
    scope: 'transaction_contexts.create',
    parts: () => ({ body: { title: 'Order' } }),
    references: { transaction_id: 'free' },
  },
  'GET /v1/transaction-contexts/{transactionId}': {
    wall: 'connection',
    own: 200,
    scope: 'transaction_contexts.read',
    parts: ({ us }) => ({ path: { transactionId: us.transactionId } }),
  },
  'GET /v1/payment-requests/events': { wall: 'connection', own: 200, scope: 'payment.requests.read' },
  'POST /v1/payment-requests': {
    wall: 'connection',
    own: 201,
    stranger: 'resource_not_found',
    scope: 'payment.requests.create',
    parts: ({ us }) => ({ body: paymentInput(us) }),
    references: {
      recipient_id: { prefix: 'rcp', theirs: ({ recipient }) => recipient.recipientId, outcome: 'resource_not_found' },
      recipient_version_id: {
        prefix: 'rcv',
        theirs: ({ recipient }) => recipient.recipientVersionId,
        outcome: 'recipient_version_not_active',
      },
      request_id: 'free',
      transaction_id: 'free',
    },
  },
  'GET /v1/payment-requests/by-key/{key}': {
    wall: 'connection',
    own: 200,
    scope: 'payment.requests.read',
    parts: async (world) => {
      const scene = { ...world.us, headers: bearing(world.us.connection.connectionToken) };
      const key = newId('key');
      mustBe(201, await createPayment(world.service, scene, { idempotency_key: key }));
      return { path: { key } };
    },
  },
  'GET /v1/payment-requests': {
    wall: 'party',
    own: 200,
    scope: 'payment.requests.read',
    parts: () => ({ query: {} }),
    references: {
      agent_id: { prefix: 'agt', theirs: ({ agent }) => agent.agentId, outcome: 200 },
      connection_id: { prefix: 'con', theirs: ({ connection }) => connection.connectionId, outcome: 200 },
      recipient_id: { prefix: 'rcp', theirs: ({ recipient }) => recipient.recipientId, outcome: 200 },
    },
  },
  'GET /v1/payment-requests/{id}': {
    wall: 'party',
    own: 200,
    scope: 'payment.requests.read',
    parts: ({ us }) => ({ path: { id: us.requestId }, query: {} }),
    references: {
      connection_id: {
        prefix: 'con',
        theirs: ({ connection }) => connection.connectionId,
        outcome: 'resource_not_found',
      },
    },
  },
  'POST /v1/payment-requests/{id}/withdraw': {
    wall: 'connectionOrMerchant',
    own: 200,
    scope: 'payment.requests.create',
    parts: async (world) => ({ path: { id: await aRequest(world) }, body: {} }),
  },
  'POST /v1/payment-requests/{id}/status': {
    wall: 'device',
    own: 200,
    parts: async (world) => ({ path: { id: await aRequest(world) }, body: { status: 'signed' } }),
    references: {
      connection_id: {
        prefix: 'con',
        theirs: ({ connection }) => connection.connectionId,
        outcome: 'resource_not_found',
      },
    },
  },
};

/** Calls that end sessions or credentials, mostly the one they are made with. */
export const endingRows: Readonly<Record<string, Row>> = {
  'DELETE /v1/wallet-devices/{id}': {
    wall: 'device',
    own: 200,
    parts: ourDevice,
    holder: async ({ service }) => {
      const { deviceId: id, headers } = await registerDevice(service);
      return { headers, parts: { path: { id } } };
    },
  },
  'POST /v1/wallet-devices/{id}/rotate-token': {
    wall: 'device',
    own: 200,
    rotated: 'version_conflict',
    references: { rotation_id: 'free' },
    parts: (world) => ({ ...ourDevice(world), body: {} }),
    holder: async ({ service }) => {
      const { deviceId: id, headers } = await registerDevice(service);
      return { headers, parts: { path: { id }, body: {} } };
    },
  },
  'DELETE /v1/merchant-sessions': {
    wall: 'session',
    own: 200,
    // Another operator's session, or all of ours would end.
    holder: async ({ service }) => ({
      headers: bearing(await openBearerSession(service, await signUpPendingMerchant(service))),
      parts: {},
    }),
  },
  'DELETE /v1/merchant-sessions/{id}': {
    wall: 'session',
    own: 200,
    // Another session of the same operator, opened for this call.
    parts: async ({ service, us }) => {
      const token = await openBearerSession(service, us.merchant);
      return { path: { id: subjectOf('session', 'ses', token) ?? '' } };
    },
  },
  'DELETE /v1/merchant-sessions/current': {
    wall: 'session',
    own: 200,
    holder: async ({ service, us }) => ({
      headers: bearing(await openBearerSession(service, us.merchant)),
      parts: {},
    }),
  },
  'POST /v1/connect-invitations/{id}/exchange': {
    wall: 'claim',
    own: 200,
    parts: ({ us }) => ({ path: { id: us.claimed.invitationId }, body: {} }),
    holder: async ({ service, us }) => {
      const { invitationId: id, claimToken } = await claimInvitation(service, us.agent, us.device);
      mustBe(200, await decide(service, us.device, id, 'approve'));
      return { headers: bearing(claimToken), parts: { path: { id }, body: {} } };
    },
  },
};
