import { SCOPES } from './agents';
import { type Device } from './devices';
import { type Answer, call } from './http';
import { type TestService } from './service';

type Service = Pick<TestService, 'url'>;
/** Any agent that can obtain an agent token. */
export type ConnectingAgent = Readonly<{ token(): Promise<string> }>;
export type Connected = Readonly<{ connectionId: string; connectionToken: string }>;
export type Claimed = Readonly<{ invitationId: string; claimToken: string }>;
export type StartedPairing = Readonly<{ sessionId: string; code: string; uri: string }>;

export const bearing = (token: string) => ({ authorization: `Bearer ${token}` });

/** A helper's step that fails reports it at once, with the response. */
export function mustBe(status: number, answer: Answer): Answer {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
  return answer;
}

export async function issueConnectKey({ url }: Service, { headers }: Device): Promise<string> {
  return mustBe(201, await call(`${url}/v1/connect-keys`, { headers, body: {} })).body.connect_key as string;
}

export const claimKey = async (
  { url }: Service,
  agent: ConnectingAgent,
  connectKey: string,
  scopes: readonly string[] = SCOPES,
): Promise<Answer> =>
  call(`${url}/v1/connect-invitations/claim`, {
    headers: bearing(await agent.token()),
    body: { connect_key: connectKey, requested_scopes: scopes },
  });

/** An invitation that waits for the device's decision. */
export async function claimInvitation(
  service: Service,
  agent: ConnectingAgent,
  device: Device,
  scopes?: readonly string[],
): Promise<Claimed> {
  const answer = mustBe(201, await claimKey(service, agent, await issueConnectKey(service, device), scopes));
  return {
    invitationId: answer.body.connect_invitation.connect_invitation_id as string,
    claimToken: answer.body.claim_token as string,
  };
}

export const decide = (
  { url }: Service,
  { headers }: Device,
  invitationId: string,
  decision: 'approve' | 'reject',
  body: object = {},
): Promise<Answer> => call(`${url}/v1/connect-invitations/${invitationId}/${decision}`, { headers, body });

export const exchange = ({ url }: Service, { invitationId, claimToken }: Claimed): Promise<Answer> =>
  call(`${url}/v1/connect-invitations/${invitationId}/exchange`, { headers: bearing(claimToken), body: {} });

/** The whole flow over HTTP: key, claim, approval, exchange. */
export async function connectAgent(
  service: Service,
  agent: ConnectingAgent,
  device: Device,
  { scopes }: Readonly<{ scopes?: readonly string[] }> = {},
): Promise<Connected> {
  const claimed = await claimInvitation(service, agent, device, scopes);
  mustBe(200, await decide(service, device, claimed.invitationId, 'approve'));
  const { body } = mustBe(200, await exchange(service, claimed));
  return {
    connectionId: body.connection.connection_id as string,
    connectionToken: body.connection_token as string,
  };
}

/** A pairing session whose code is on the agent's screen. */
export async function startPairing(
  { url }: Service,
  agent: ConnectingAgent,
  scopes: readonly string[] = SCOPES,
): Promise<StartedPairing> {
  const headers = bearing(await agent.token());
  const { body } = mustBe(
    201,
    await call(`${url}/v1/pairing/sessions`, { headers, body: { requested_scopes: scopes } }),
  );
  const { pairing_session_id: sessionId, code, uri } = body.pairing_session as Record<string, string>;
  return { sessionId: sessionId ?? '', code: code ?? '', uri: uri ?? '' };
}
