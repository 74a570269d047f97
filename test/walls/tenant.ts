import { type Clock } from '../../src/kernel/clock';
import { type AgentPaymentScene, createApiKey, createIntent, proposePolicy } from '../support/agent-payments';
import { type ActiveAgent, createActiveAgent, createActiveRecipient } from '../support/agents';
import {
  bearing,
  type Claimed,
  claimInvitation,
  connectAgent,
  mustBe,
  type StartedPairing,
  startPairing,
} from '../support/connections';
import { registerDevice } from '../support/devices';
import { eventually } from '../support/eventually';
import { call } from '../support/http';
import { grantFor, type SignedUpMerchant } from '../support/merchant';
import { createPayment } from '../support/payments';
import { type TestService } from '../support/service';
import { activeEndpoint, deliveriesOf } from '../support/webhook-receiver';

/** One merchant with one of everything it can have, and the wallet connected to it. */
export type Tenant = AgentPaymentScene &
  Readonly<{
    merchant: SignedUpMerchant;
    otherAgent: ActiveAgent;
    sessionToken: string;
    endpointId: string;
    deliveryId: string;
    policyId: string;
    agentPaymentId: string;
    requestId: string;
    transactionId: string;
    claimed: Claimed;
    pairing: StartedPairing;
    evidence: Readonly<{ id: string; digest: string; recipientVersion: number }>;
  }>;

export type Furnishing = Readonly<{ service: TestService; clock: Clock; hook: string }>;

export async function furnish(
  { service, clock, hook }: Furnishing,
  merchant: SignedUpMerchant,
  otherAgent: ActiveAgent,
): Promise<Tenant> {
  const { headers } = merchant;
  const device = await registerDevice(service);
  const agent = await createActiveAgent(service, merchant, { clock });
  const recipient = await createActiveRecipient(service, merchant);
  const key = await createApiKey(service, merchant);
  const { endpointId } = await activeEndpoint(service, merchant, hook);
  const connection = await connectAgent(service, agent, device);
  const project = { 'x-svc-api-key': key.secret };
  const scene: AgentPaymentScene = { merchant, agent, recipient, device, connection, ...key, headers: project };

  const withToken = { ...scene, headers: bearing(connection.connectionToken) };
  const request = mustBe(201, await createPayment(service, withToken)).body.payment_request;
  const context = await call(`${service.url}/v1/transaction-contexts`, {
    headers: withToken.headers,
    body: { title: 'Order 7' },
  });
  const policy = mustBe(201, await proposePolicy(service, scene)).body.data;
  const intent = mustBe(201, await createIntent(service, scene)).body.data;
  const [delivery] = await eventually(
    () => deliveriesOf(service, merchant),
    (found) => found.length > 0,
    'a delivery',
  );
  const payee = mustBe(200, await call(`${service.url}/v1/recipients/${recipient.recipientId}`, { headers })).body;
  const [version] = payee.recipient.versions;

  return {
    ...scene,
    otherAgent,
    sessionToken: await openBearerSession(service, merchant),
    endpointId,
    deliveryId: delivery?.['webhook_delivery_id'] as string,
    policyId: policy.id,
    agentPaymentId: intent.id,
    requestId: request.request_id,
    transactionId: mustBe(201, context).body.transaction_context.transaction_id,
    claimed: await claimInvitation(service, agent, device),
    pairing: await startPairing(service, agent),
    evidence: {
      id: version.evidence.evidence_id,
      digest: version.evidence.evidence_digest,
      recipientVersion: payee.recipient.version,
    },
  };
}

/** A session of the same operator with a bearer token, as a program uses it. */
export async function openBearerSession(
  service: TestService,
  { email, merchantId }: Pick<SignedUpMerchant, 'email' | 'merchantId'>,
): Promise<string> {
  const { grant, merchants } = await grantFor(service, email);
  const choice = merchants.find(({ merchant_id }) => merchant_id === merchantId)?.choice;
  const body = { grant, choice, delivery: 'bearer' };
  return mustBe(201, await call(`${service.url}/v1/merchant-sessions`, { body })).body.session_token as string;
}

const ID = /\b[a-z]{2,3}_[0-9A-HJKMNP-TV-Z]{26}\b/g;

/** Every id of a tenant; none may appear in a response to a stranger. */
export const idsOf = (tenant: Tenant): readonly string[] => [...new Set(JSON.stringify(tenant).match(ID) ?? [])];
