import { randomBytes } from 'node:crypto';
import { type ErrorCode } from '../../src/kernel/error-catalogue';
import { type Connected } from '../support/connections';
import { type Device } from '../support/devices';
import { type Row, type WallName, walls } from './row';
import { METRICS_TOKEN, type World } from './world';

type Headers = Readonly<Record<string, string>>;

export type Family = 'session' | 'agent' | 'claim' | 'connection' | 'device' | 'key' | 'metrics';

/** How a credential is sent: a wall ignores the transports that it does not check. */
export type Transport = 'none' | 'bearer' | 'cookie' | 'device' | 'fields' | 'key';

/**
 * How a wall that accepts this family of credentials treats it: as ours, as somebody else's on our own side, as a
 * stranger's (all are let through and see what is theirs), or refused with a code.
 */
export type Standing = 'own' | 'sibling' | 'stranger' | ErrorCode;

export type Column = Readonly<{
  name: string;
  transport: Transport;
  family?: Family;
  /** Belongs to nobody, but has a recognisable prefix; `elsewhere` for kinds that no wall accepts in a header. */
  looksLike?: Family | 'elsewhere';
  standing: Standing | ((row: Row, method: string) => Standing);
  headers: Headers;
  /** Exceptions for walls with their own rule. */
  at?: Partial<Record<WallName, Standing>>;
  /** Device fields, for the body or the query. */
  fields?: Readonly<{ device_id: string; token: string }>;
}>;

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
const nonsense = (prefix: string): string => prefix + randomBytes(48).toString('base64url');
const READING = ['get', 'head'];
const RECOGNISABLE_PREFIXES = {
  svc_ms_: 'session',
  svc_at_: 'agent',
  svc_cl_: 'claim',
  svc_ct_: 'connection',
  svc_el_: 'elsewhere',
  svc_ck_: 'elsewhere',
} as const;

/** A pending merchant has only sessions and domains. */
const pending = ({ wall }: Row): Standing => (wall === 'session' ? 'stranger' : 'merchant_not_active');
const withoutProof = (_row: Row, method: string): Standing => (READING.includes(method) ? 'own' : 'csrf_failed');
const readingOnly = ({ scope }: Row): Standing =>
  scope === undefined || scope === 'payment.requests.read' ? 'sibling' : 'insufficient_scope';

/** The owner's credential for a route's wall; undefined if the wall accepts none. */
export function ownColumn(columns: readonly Column[], { wall }: Pick<Row, 'wall'>): Column | undefined {
  const { families } = walls[wall] as { families: readonly string[] };
  return columns.find(({ family, standing }) => standing === 'own' && families.includes(family ?? ''));
}

/** Every kind of credential, and every way in which one can be wrong. */
export async function columnsOf({ us, them, pending: newcomer, ended, ...world }: World): Promise<readonly Column[]> {
  const ours = us.merchant;
  const theirs = them.merchant;
  const session = (name: string, headers: Headers, standing: Column['standing']): Column => ({
    name,
    transport: 'authorization' in headers ? 'bearer' : 'cookie',
    family: 'session',
    headers,
    standing,
  });
  const held = (family: Family, name: string, token: string, standing: Column['standing']): Column => ({
    name,
    transport: 'bearer',
    family,
    headers: bearer(token),
    standing,
  });
  const device = (name: string, { deviceId, token }: Device, standing: Column['standing']): Column => ({
    name,
    transport: 'device',
    family: 'device',
    headers: { authorization: `Device ${deviceId}:${token}` },
    standing,
  });
  const inFields = (name: string, { deviceId, token }: Device, standing: Standing): Column => ({
    name,
    transport: 'fields',
    family: 'device',
    headers: {},
    fields: { device_id: deviceId, token },
    standing,
  });
  const key = (name: string, secret: string, standing: Standing): Column => ({
    name,
    transport: 'key',
    family: 'key',
    headers: { 'x-svc-api-key': secret },
    standing,
  });
  const connection = (name: string, { connectionToken }: Connected, standing: Column['standing']): Column =>
    held('connection', name, connectionToken, standing);
  const stray = (name: string, token: string, looksLike?: Column['looksLike']): Column => ({
    name,
    transport: 'bearer',
    headers: bearer(token),
    standing: 'invalid_token',
    ...(looksLike && { looksLike }),
  });

  return [
    { name: 'none', transport: 'none', headers: {}, standing: 'unauthenticated' },
    {
      name: 'scheme without a token',
      transport: 'bearer',
      headers: { authorization: 'Bearer' },
      standing: 'invalid_token',
    },
    stray('nonsense', nonsense('')),
    {
      name: 'unknown scheme',
      transport: 'none',
      headers: { authorization: 'Basic dTpw' },
      standing: 'unauthenticated',
    },
    {
      name: 'device without a token',
      transport: 'none',
      headers: { authorization: 'Device x' },
      standing: 'unauthenticated',
    },
    ...Object.entries(RECOGNISABLE_PREFIXES).map(([prefix, looksLike]) =>
      stray(`well-formed ${prefix} of nobody`, nonsense(prefix), looksLike),
    ),

    session('our session', ours.headers, 'own'),
    session('our session without a CSRF proof', { cookie: ours.cookie }, withoutProof),
    session('our session with their CSRF proof', { cookie: ours.cookie, 'x-csrf-token': theirs.csrf }, withoutProof),
    session('our session as bearer', bearer(us.sessionToken), 'own'),
    session('nonsense in the cookie', { cookie: 'svc_session=nonsense' }, 'invalid_token'),
    session('expired session', { cookie: ended.expiredCookie, 'x-csrf-token': ours.csrf }, 'token_expired'),
    session('expired session as bearer', bearer(ended.expiredSessionToken), 'token_expired'),
    session('ended session', bearer(ended.endedSessionToken), 'invalid_token'),
    session('their session', theirs.headers, 'stranger'),
    session('their session as bearer', bearer(them.sessionToken), 'stranger'),
    session('a pending merchant’s session', newcomer.headers, pending),
    session('two sessions', { ...ours.headers, ...bearer(them.sessionToken) }, 'validation_failed'),

    {
      ...session('our session with their project key', { ...ours.headers, 'x-svc-api-key': them.secret }, 'own'),
      at: {
        admin: 'validation_failed',
        adminOrDevice: 'validation_failed',
        apiKeyOrAdmin: 'validation_failed',
        project: 'validation_failed',
        apiKey: 'stranger',
      },
    },

    held('agent', 'our agent', await us.agent.token(), 'own'),
    held('agent', 'our other agent', await us.otherAgent.token(), 'sibling'),
    held('agent', 'their agent', await them.agent.token(), 'stranger'),
    held('agent', 'expired agent token', ended.expiredAgentToken, 'token_expired'),
    held('agent', 'agent with a revoked credential', ended.revokedCredentialToken, 'credential_revoked'),
    held('agent', 'suspended agent', ended.suspendedAgentToken, 'agent_not_active'),

    held('claim', 'our claim', us.claimed.claimToken, 'own'),
    held('claim', 'their claim', them.claimed.claimToken, 'stranger'),
    held('claim', 'claim of a revoked credential', ended.revokedClaim, 'credential_revoked'),

    // It may end itself, but no other connection.
    { ...connection('our connection', us.connection, 'own'), at: { anyParty: 'stranger' } },
    connection('our connection to another wallet', world.siblingConnection, 'sibling'),
    connection('a connection that may only read', world.narrowConnection, readingOnly),
    connection('their connection', them.connection, 'stranger'),
    connection('paused connection', ended.pausedConnection, 'connection_paused'),
    connection('revoked connection', ended.revokedConnection, 'connection_revoked'),
    connection('rotated connection token', ended.rotatedConnection, 'invalid_token'),
    connection('connection of a suspended agent', ended.suspendedConnection, 'agent_not_active'),
    connection('connection opened with a compromised credential', ended.compromisedConnection, 'credential_revoked'),
    connection('connection of a removed wallet', ended.removedDeviceConnection, 'connection_revoked'),

    device('our wallet', us.device, 'own'),
    inFields('our wallet, in fields', us.device, 'own'),
    device('another wallet', them.device, 'stranger'),
    inFields('another wallet, in fields', them.device, 'stranger'),
    device('our wallet with another’s token', { ...us.device, token: them.device.token }, 'invalid_token'),
    device('a wallet nobody knows', { ...us.device, deviceId: 'dev_01JZ5Y0W3X0000000000000000' }, 'invalid_token'),
    device('removed wallet', ended.removedDevice, 'invalid_token'),
    device('rotated device token', ended.rotatedDevice, ({ rotated }) => rotated ?? 'invalid_token'),

    key('our project key', us.secret, 'own'),
    key('their project key', them.secret, 'stranger'),
    key('revoked project key', ended.revokedApiKey, 'invalid_token'),
    key('nonsense as a project key', 'nonsense', 'invalid_token'),
    held('metrics', 'the metrics token', METRICS_TOKEN, 'own'),
    stray('our project key as bearer', us.secret, 'elsewhere'),
    stray('our device token as bearer', us.device.token, 'elsewhere'),
    stray('our CSRF proof as bearer', ours.csrf),
  ];
}
