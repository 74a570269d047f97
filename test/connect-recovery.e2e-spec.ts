import { join } from 'node:path';
import { openEmbeddedEventStore } from '../src/platform/event-store/embedded/open-embedded-event-store';
import { encodeEvent } from '../src/platform/event-store/event-codec';
import { EVENT_STORE, type EventStore, type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { type DomainEvent } from '../src/kernel/decider';
import { derivedId, newId } from '../src/kernel/ids';
import { subjectOf } from '../src/platform/secrets/bound-tokens';
import { type ActiveAgent, createActiveAgent } from './support/agents';
import { type ConnectScene, startConnectScene } from './support/connect-scene';
import {
  bearing,
  type Claimed,
  claimInvitation,
  connectAgent,
  exchange,
  issueConnectKey,
  mustBe,
  type StartedPairing,
  startPairing,
} from './support/connections';
import { type Device, registerDevice } from './support/devices';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { startTestService, type TestService } from './support/service';
import { useConnection } from './support/use-connection';

/**
 * A process that dies between a decision and its effect leaves only the deciding event behind. The tests write that
 * event into the log while no service runs, and the next service has to complete it, once.
 */
describe('work that was begun before a crash', () => {
  let scene: ConnectScene;
  let service: TestService;
  let agent: ActiveAgent;
  let device: Device;
  let lost: Device;
  let busy: Device;
  let now = Date.now();
  const clock = { now: () => new Date(now) };
  const begun: { claimed?: Claimed; paired?: StartedPairing; early?: string; late?: Claimed } = {};
  const hundred = Array.from({ length: 100 }, () => newId('inv'));

  /** Stops the service, writes to its log, and starts another on the same directory. */
  async function meanwhile(write: (store: EventStore) => Promise<void>): Promise<void> {
    await service.stop();
    const store = await openEmbeddedEventStore(join(service.dataDir, 'events'));
    await write(store);
    await store.close();
    service = await startTestService({ clock, dataDir: service.dataDir });
  }

  beforeAll(async () => {
    scene = await startConnectScene(undefined, { clock });
    service = scene.service;
    // Refers to whichever service is running at the time of the call.
    const here = {
      get url() {
        return service.url;
      },
    };
    agent = await createActiveAgent(here, scene.merchant, { clock, name: scene.agentName });
    device = await registerDevice(service);
    lost = await registerDevice(service);
    busy = await registerDevice(service);
    begun.claimed = await claimInvitation(service, agent, device, ['payment.requests.read']);
    begun.paired = await startPairing(service, agent);
    begun.early = (await connectAgent(service, agent, lost)).connectionId;
    begun.late = await claimInvitation(service, agent, lost);
    const { claimed, paired, late } = begun;
    const removed = { device_id: lost.deviceId, removed_at: clock.now().toISOString() };
    await meanwhile(async (store) => {
      await append(store, `connect_invitation-${claimed.invitationId}`, approvalOf(claimed.invitationId, device));
      await append(store, `pairing_session-${paired.sessionId}`, pairingApproval(paired.sessionId));
      for (const id of hundred) await append(store, `connect_invitation-${id}`, ...beginnings(id));
      await append(store, `wallet_device-${lost.deviceId}`, { type: 'WalletDeviceRemoved', data: removed });
      await append(store, `connect_invitation-${late.invitationId}`, approvalOf(late.invitationId, lost));
    });
  });
  afterAll(async () => {
    await service.stopAndForget();
    await scene.dns.close();
  });

  const append = async (store: EventStore, stream: string, ...events: DomainEvent[]): Promise<void> => {
    const version = (await store.readStream(stream)).length;
    const context = { requestId: 'req_crashed', actor: { kind: 'wallet_device', id: device.deviceId } };
    const encoded = events.map((event) => encodeEvent(event, context, clock.now().toISOString()));
    if ((await store.append(stream, version, encoded)).kind !== 'appended') throw new Error(`${stream} moved`);
  };
  const approvalOf = (invitationId: string, by: Device): DomainEvent => ({
    type: 'ConnectInvitationApproved',
    data: { invitation_id: invitationId, ...agreedBy(by, invitationId) },
  });
  const pairingApproval = (sessionId: string): DomainEvent => ({
    type: 'PairingSessionApproved',
    data: { pairing_session_id: sessionId, ...agreedBy(device, sessionId) },
  });
  const agreedBy = ({ deviceId }: Device, origin: string) => ({
    device_id: deviceId,
    agent_id: agent.agentId,
    merchant_id: scene.merchant.merchantId,
    connection_id: derivedId('con', origin),
    scopes: ['payment.requests.read'],
    approved_at: clock.now().toISOString(),
  });
  /** The events of an invitation from its key to its approval. */
  const beginnings = (invitation_id: string): DomainEvent[] => {
    const [at, expires_at] = [clock.now().toISOString(), new Date(now + 600_000).toISOString()];
    const named = { invitation_id, device_id: busy.deviceId };
    const claimed = {
      ...named,
      agent_id: agent.agentId,
      agent_name: scene.agentName,
      merchant_id: scene.merchant.merchantId,
      merchant_name: scene.merchantName,
      merchant_domain: scene.merchant.domain,
      requested_scopes: ['payment.requests.read'],
      claim_token_hash: 'c',
      claimed_at: at,
      expires_at,
    };
    return [
      { type: 'ConnectKeyIssued', data: { ...named, label: null, key_hash: 'k', issued_at: at, expires_at } },
      { type: 'ConnectInvitationClaimed', data: claimed },
      approvalOf(invitation_id, busy),
    ];
  };

  const read = (stream: string): Promise<readonly RecordedEvent[]> =>
    service.app.get<EventStore>(EVENT_STORE).readStream(stream);
  /** Waits until the stream has this many events. */
  const reaching = (stream: string, count: number): Promise<readonly RecordedEvent[]> =>
    eventually(
      () => read(stream),
      (events) => events.length >= count,
      `event ${count} of ${stream}`,
    );
  const typesReaching = async (stream: string, count: number): Promise<readonly string[]> =>
    (await reaching(stream, count)).map(({ type }) => type);
  const ranOut = {
    key: ['ConnectKeyIssued', 'ConnectInvitationExpired'],
    invitation: ['ConnectKeyIssued', 'ConnectInvitationClaimed', 'ConnectInvitationExpired'],
    session: ['PairingSessionStarted', 'PairingSessionExpired'],
  };

  it('an approved invitation gets its connection', async () => {
    const { claimed } = begun as Required<typeof begun>;
    const [created] = await reaching(`connection-${derivedId('con', claimed.invitationId)}`, 1);
    const approved = (await read(`connect_invitation-${claimed.invitationId}`)).at(-1);
    expect(created?.data).toMatchObject({
      device_id: device.deviceId,
      agent_name: scene.agentName,
      merchant_name: scene.merchantName,
      merchant_domain: scene.merchant.domain,
      scopes: ['payment.requests.read'],
      origin_id: claimed.invitationId,
    });
    expect(created?.metadata).toMatchObject({
      request_id: 'req_crashed',
      actor: { kind: 'wallet_device', id: device.deviceId },
      causation_id: approved?.metadata.event_id,
    });
    const { body } = mustBe(200, await exchange(service, claimed));
    expect(await useConnection(service, body.connection_token as string)).toBe('accepted');
  });

  it('an approved pairing gets its connection, and its agent the token', async () => {
    const { sessionId, code } = (begun as Required<typeof begun>).paired;
    await reaching(`connection-${derivedId('con', sessionId)}`, 1);
    const url = `${service.url}/v1/pairing/sessions/${sessionId}?code=${code}`;
    const { body } = mustBe(200, await call(url, { headers: bearing(await agent.token()) }));
    expect(await useConnection(service, body.connection_token as string)).toBe('accepted');
  });

  it('a hundred approvals get a hundred connections', async () => {
    const streams = hundred.map((id) => `connection-${derivedId('con', id)}`);
    const types = await Promise.all(streams.map((stream) => typesReaching(stream, 1)));
    expect(types).toEqual(hundred.map(() => ['ConnectionCreated']));
  });

  it('a removed device loses its connections, even one that was approved too late', async () => {
    const { early, late } = begun as Required<typeof begun>;
    for (const id of [early, derivedId('con', late.invitationId)]) {
      const [created, revoked, ...more] = await reaching(`connection-${id}`, 2);
      expect([created?.type, revoked?.type, more]).toEqual(['ConnectionCreated', 'ConnectionRevoked', []]);
      expect(revoked?.data).toMatchObject({ reason: 'device_removed', device_id: lost.deviceId });
    }
    // The guard does not check devices, so the late connection's token must never be handed out.
    const { status, body } = await exchange(service, late);
    expect([status, body.error.code]).toEqual([403, 'connection_revoked']);
    expect(JSON.stringify(body)).not.toContain('svc_ct_');
  });

  it('what expires without a call is recorded', async () => {
    const claimed = await claimInvitation(service, agent, device);
    const { sessionId } = await startPairing(service, agent);
    now += 600_000;
    const stream = `connect_invitation-${claimed.invitationId}`;
    expect(await typesReaching(stream, 3)).toEqual(ranOut.invitation);
    expect(await typesReaching(`pairing_session-${sessionId}`, 2)).toEqual(ranOut.session);
  });

  it('what expired while no service was running is recorded at the next start, and nothing is done twice', async () => {
    const key = await issueConnectKey(service, device);
    const claimed = await claimInvitation(service, agent, device);
    const { sessionId } = await startPairing(service, agent);
    await meanwhile(async () => void (now += 601_000));
    const keyStream = `connect_invitation-${subjectOf('connectKey', 'inv', key)}`;
    expect(await typesReaching(keyStream, 2)).toEqual(ranOut.key);
    const expired = await reaching(`connect_invitation-${claimed.invitationId}`, 3);
    expect(expired.map(({ type }) => type)).toEqual(ranOut.invitation);
    expect(expired.at(-1)?.metadata.actor).toEqual({ kind: 'service', id: 'expiry' });
    expect(await typesReaching(`pairing_session-${sessionId}`, 2)).toEqual(ranOut.session);
    const { body } = await call(`${service.url}/v1/connections?limit=200`, { headers: busy.headers });
    expect(body.connections).toHaveLength(hundred.length);
    for (const id of hundred) expect(await read(`connection-${derivedId('con', id)}`)).toHaveLength(1);
  });
});
