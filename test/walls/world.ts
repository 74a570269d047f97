import { type Clock } from '../../src/kernel/clock';
import { type ActiveAgent, changeAgent, createActiveAgent, revokeCredential } from '../support/agents';
import { claimInvitation, connectAgent, type Connected, issueConnectKey, mustBe } from '../support/connections';
import { type Device, registerDevice } from '../support/devices';
import { startDnsResponder } from '../support/dns-responder';
import { call } from '../support/http';
import {
  grantFor,
  linkTokenFor,
  type Operator,
  signIn,
  signUpMerchant,
  signUpPendingMerchant,
} from '../support/merchant';
import { startTestService, type TestService } from '../support/service';
import { startWebhookReceiver } from '../support/webhook-receiver';
import { type Furnishing, furnish, openBearerSession, type Tenant } from './tenant';

export const METRICS_TOKEN = 'metrics-token-of-the-walls';

/** Credentials that used to be valid, all of the first tenant. */
export type Ended = Readonly<{
  expiredCookie: string;
  expiredSessionToken: string;
  endedSessionToken: string;
  expiredAgentToken: string;
  expiredLink: string;
  expiredGrant: string;
  expiredConnectKey: string;
  revokedCredentialToken: string;
  suspendedAgentToken: string;
  removedDevice: Device;
  rotatedDevice: Device;
  revokedApiKey: string;
  pausedConnection: Connected;
  revokedConnection: Connected;
  rotatedConnection: Connected;
  suspendedConnection: Connected;
  compromisedConnection: Connected;
  revokedClaim: string;
  removedDeviceConnection: Connected;
}>;

export type World = Readonly<{
  service: TestService;
  furnishing: Furnishing;
  /** The tenant whose walls are tested. */
  us: Tenant;
  /** The tenant that tries to get in, as does everyone without a credential. */
  them: Tenant;
  pending: Operator;
  /** Our agent's connection to another wallet, and one with read scope only. */
  siblingConnection: Connected;
  narrowConnection: Connected;
  ended: Ended;
  stop(): Promise<void>;
}>;

/** Time moves only in jumps, so that responses that contain a time can be compared byte by byte. */
class StandingClock implements Clock {
  private time = Date.parse('2030-01-01T00:00:00.000Z');
  now = (): Date => new Date(this.time);
  jump(hours: number): void {
    this.time += hours * 3_600_000;
  }
}

export async function buildWorld(): Promise<World> {
  const clock = new StandingClock();
  const [dns, receiver] = await Promise.all([startDnsResponder(), startWebhookReceiver()]);
  const env = { DNS_SERVERS: dns.server, ALLOW_PRIVATE_NETWORKS: 'true', LOG_LEVEL: 'warn', METRICS_TOKEN };
  const service = await startTestService({ clock, env });
  const furnishing = { service, clock, hook: receiver.url };

  const before = await signUpMerchant(service, { dns, name: 'Our shop' });
  const otherAgent = await createActiveAgent(service, before, { clock });
  const expired = {
    expiredCookie: before.cookie,
    expiredSessionToken: await openBearerSession(service, before),
    expiredAgentToken: await otherAgent.token(),
    expiredLink: await linkTokenFor(service, before.email),
    expiredGrant: (await grantFor(service, before.email)).grant,
    expiredConnectKey: await issueConnectKey(service, await registerDevice(service)),
  };
  clock.jump(9);

  const us = await furnish(furnishing, { ...before, ...(await signInAgain(service, before)) }, otherAgent);
  const stranger = await signUpMerchant(service, { dns, name: 'Their shop' });
  const them = await furnish(furnishing, stranger, await createActiveAgent(service, stranger, { clock }));
  return {
    service,
    furnishing,
    us,
    them,
    pending: await signUpPendingMerchant(service),
    siblingConnection: await connectAgent(service, us.agent, await registerDevice(service)),
    narrowConnection: await connectAgent(service, us.agent, us.device, { scopes: ['payment.requests.read'] }),
    ended: { ...expired, ...(await endedSessions(service, us)), ...(await endedConnections(furnishing, us)) },
    stop: async () => {
      await service.stopAndForget();
      await Promise.all([dns.close(), receiver.close()]);
    },
  };
}

export async function signInAgain(service: TestService, { email, merchantId }: Operator): Promise<Operator> {
  const { grant, merchants } = await grantFor(service, email);
  const choice = merchants.find(({ merchant_id }) => merchant_id === merchantId)?.choice;
  return signIn(service, email, { grant, choice });
}

async function endedSessions(service: TestService, us: Tenant) {
  const endedSessionToken = await openBearerSession(service, us.merchant);
  const headers = { authorization: `Bearer ${endedSessionToken}` };
  mustBe(200, await call(`${service.url}/v1/merchant-sessions/current`, { method: 'DELETE', headers }));
  const created = await call(`${service.url}/v1/api-keys`, { headers: us.merchant.headers, body: { name: 'old' } });
  const { api_key, secret: revokedApiKey } = mustBe(201, created).body;
  const key = `${service.url}/v1/api-keys/${api_key.api_key_id}`;
  mustBe(200, await call(key, { method: 'DELETE', headers: us.merchant.headers }));
  return { endedSessionToken, revokedApiKey: revokedApiKey as string };
}

async function endedConnections({ service, clock }: Furnishing, { merchant, agent, device }: Tenant) {
  const connect = (by: ActiveAgent = agent, to = device): Promise<Connected> => connectAgent(service, by, to);
  const at = ({ connectionId }: Connected): string => `${service.url}/v1/connections/${connectionId}`;
  const { headers } = device;
  const pausedConnection = await connect();
  mustBe(200, await call(at(pausedConnection), { method: 'PATCH', headers, body: { status: 'paused' } }));
  const revokedConnection = await connect();
  mustBe(200, await call(at(revokedConnection), { method: 'DELETE', headers }));
  const rotatedConnection = await connect();
  mustBe(200, await call(`${at(rotatedConnection)}/rotate-token`, { headers, body: {} }));

  const suspended = await createActiveAgent(service, merchant, { clock });
  const suspendedConnection = await connect(suspended);
  const suspendedAgentToken = await suspended.token();
  mustBe(200, await changeAgent(service, merchant, suspended.agentId, { status: 'suspended' }));
  const revoked = await createActiveAgent(service, merchant, { clock });
  const revokedCredentialToken = await revoked.token();
  const compromisedConnection = await connect(revoked);
  const { claimToken: revokedClaim } = await claimInvitation(service, revoked, await registerDevice(service));
  mustBe(200, await revokeCredential(service, merchant, revoked.agentId, revoked.credentialId));

  const removedDevice = await registerDevice(service);
  const removedDeviceConnection = await connect(agent, removedDevice);
  const devices = `${service.url}/v1/wallet-devices`;
  const removal = { method: 'DELETE', headers: removedDevice.headers };
  mustBe(200, await call(`${devices}/${removedDevice.deviceId}`, removal));
  const rotatedDevice = await registerDevice(service);
  const rotation = { headers: rotatedDevice.headers, body: {} };
  mustBe(200, await call(`${devices}/${rotatedDevice.deviceId}/rotate-token`, rotation));
  return {
    pausedConnection,
    revokedConnection,
    rotatedConnection,
    suspendedConnection,
    compromisedConnection,
    revokedClaim,
    suspendedAgentToken,
    revokedCredentialToken,
    removedDevice,
    removedDeviceConnection,
    rotatedDevice,
  };
}
