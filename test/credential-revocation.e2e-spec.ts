import { type EventStore, EVENT_STORE } from '../src/platform/event-store/event-store.port';
import { encodeEvent } from '../src/platform/event-store/event-codec';
import { newId } from '../src/kernel/ids';
import { Reactors } from '../src/platform/reacting/reactors';
import { type AgentKeyPair, newKeyPair, signAssertion } from './support/agent-client';
import {
  type ActiveAgent,
  addCredential,
  BASE_URL,
  changeAgent,
  exchangeAssertion,
  revokeCredential,
} from './support/agents';
import {
  bearing,
  claimInvitation,
  claimKey,
  connectAgent,
  type ConnectingAgent,
  decide,
  exchange,
  issueConnectKey,
  mustBe,
  startPairing,
} from './support/connections';
import { type Device, registerDevice } from './support/devices';
import { eventually } from './support/eventually';
import { type Answer, call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { type TestService } from './support/service';
import { useConnectScene } from './support/use-service';
import { breaksOnPurpose } from './support/verified-log';

type Key = ConnectingAgent & Readonly<{ credentialId: string }>;
type TwoKeys = Readonly<{ agent: ActiveAgent; first: Key; second: Key }>;

describeOnEachPair('revoking one of an agent’s credentials', (start, pair) => {
  let device: Device;

  const scene = useConnectScene(start);
  beforeAll(async () => {
    device = await registerDevice(scene.service);
  });

  const tokenOf = async (agentId: string, kid: string, keyPair: AgentKeyPair): Promise<string> => {
    const parts = { kid, audience: `${BASE_URL}/v1/agent-auth/token`, agentId };
    const { body } = mustBe(200, await exchangeAssertion(scene.service, signAssertion(keyPair, parts)));
    return body.agent_token as string;
  };
  /** The agent can still act after either of its two keys is revoked. */
  const agentWithTwoKeys = async (): Promise<TwoKeys> => {
    const agent = await scene.newAgent();
    const keyPair = newKeyPair();
    const credentialId = await addCredential(scene.service, scene.merchant, agent.agentId, keyPair, { kid: 'key-2' });
    const second = { credentialId, token: () => tokenOf(agent.agentId, 'key-2', keyPair) };
    return { agent, first: agent, second };
  };
  const revoke = async ({ agentId }: ActiveAgent, { credentialId }: Key, body?: object): Promise<Answer> =>
    mustBe(200, await revokeCredential(scene.service, scene.merchant, agentId, credentialId, body));
  const use = (token: string, { url }: Pick<TestService, 'url'> = scene.service): Promise<Answer> =>
    call(`${url}/v1/payment-requests?limit=1`, { headers: bearing(token) });
  const outcome = ({ status, body }: Answer): string | number => (status < 300 ? status : (body.error.code as string));
  const pairing = (sessionId: string, code: string, headers: Record<string, string>) =>
    call(`${scene.service.url}/v1/pairing/sessions/${sessionId}?code=${code}`, { headers });
  const approvePairing = (sessionId: string, code: string) =>
    call(`${scene.service.url}/v1/pairing/sessions/${sessionId}/approve`, { headers: device.headers, body: { code } });
  const asWallet = (connectionId: string): Promise<Answer> =>
    call(`${scene.service.url}/v1/connections/${connectionId}`, { headers: device.headers });

  it.each([undefined, { reason: 'compromised' }])(
    'as %j ends the connections it opened, and no others',
    async (body) => {
      const { agent, first, second } = await agentWithTwoKeys();
      const lost = await connectAgent(scene.service, first, device);
      const kept = await connectAgent(scene.service, second, device);
      const answer = await revoke(agent, first, body);
      expect(answer.body.credential).toMatchObject({ status: 'revoked', revocation_reason: 'compromised' });
      expect(outcome(await use(lost.connectionToken))).toBe('credential_revoked');
      expect(outcome(await use(kept.connectionToken))).toBe(200);

      const seen = await eventually(
        () => asWallet(lost.connectionId),
        ({ body: { connection } }) => connection.status === 'revoked',
        'the wallet sees that it ended',
      );
      expect(seen.body.connection.revoked_reason).toBe('credential_revoked');
      expect(outcome(await use(lost.connectionToken))).toBe('credential_revoked');
      expect((await asWallet(kept.connectionId)).body.connection).toMatchObject({
        status: 'active',
        revoked_reason: null,
      });
      const rotate = await call(`${scene.service.url}/v1/connections/${lost.connectionId}/rotate-token`, {
        headers: device.headers,
        body: {},
      });
      expect(rotate.status).toBe(403);
    },
  );

  it('does not depend on what follows from it: the guard itself refuses the connection', async () => {
    const reactors = scene.service.app.get(Reactors);
    const { agent, first, second } = await agentWithTwoKeys();
    const lost = await connectAgent(scene.service, first, device);
    const kept = await connectAgent(scene.service, second, device);
    // Nobody revokes the connections one by one meanwhile.
    await reactors.stop();
    const following = jest.spyOn(reactors, 'followUp').mockResolvedValue();
    try {
      await revoke(agent, first);
      expect((await asWallet(lost.connectionId)).body.connection.status).toBe('active');
      expect(outcome(await use(lost.connectionToken))).toBe('credential_revoked');
      expect(outcome(await use(kept.connectionToken))).toBe(200);
    } finally {
      following.mockRestore();
      await reactors.start();
    }
  });

  it('as rotated leaves connections to the agent’s other keys', async () => {
    const { agent, first, second } = await agentWithTwoKeys();
    const { connectionToken, connectionId } = await connectAgent(scene.service, first, device);
    await revoke(agent, first, { reason: 'rotated' });
    expect(outcome(await use(connectionToken))).toBe(200);
    expect((await asWallet(connectionId)).body.connection.status).toBe('active');
    await revoke(agent, second, { reason: 'rotated' });
    expect(outcome(await use(connectionToken))).toBe('agent_not_active');
  });

  it('can be declared compromised after it was rotated, and not back', async () => {
    const { agent, first } = await agentWithTwoKeys();
    const { connectionToken } = await connectAgent(scene.service, first, device);
    await revoke(agent, first, { reason: 'rotated' });
    await revoke(agent, first);
    expect(outcome(await use(connectionToken))).toBe('credential_revoked');
    const back = await revoke(agent, first, { reason: 'rotated' });
    expect(back.body.credential.revocation_reason).toBe('compromised');
    expect(outcome(await use(connectionToken))).toBe('credential_revoked');
  });

  it('refuses an unknown reason', async () => {
    const { agent } = await agentWithTwoKeys();
    const { credentialId } = agent;
    const answer = await revokeCredential(scene.service, scene.merchant, agent.agentId, credentialId, { reason: 'no' });
    expect([answer.status, answer.body.error.field]).toEqual([400, 'reason']);
  });

  describe.each(['compromised', 'rotated'])('as %s', (reason) => {
    it('ends its agent tokens', async () => {
      const { agent, first, second } = await agentWithTwoKeys();
      const held: Key = {
        ...first,
        token: (
          (token) => () =>
            token
        )(first.token()),
      };
      await held.token();
      await revoke(agent, first, { reason });
      expect(outcome(await claimKey(scene.service, held, await issueConnectKey(scene.service, device)))).toBe(
        'credential_revoked',
      );
      expect(outcome(await claimKey(scene.service, second, await issueConnectKey(scene.service, device)))).toBe(201);
    });

    it.each(['before', 'after'])('ends its claim tokens, revoked %s the approval', async (when) => {
      const { agent, first } = await agentWithTwoKeys();
      const claimed = await claimInvitation(scene.service, first, device);
      const approve = () => decide(scene.service, device, claimed.invitationId, 'approve');
      if (when === 'after') mustBe(200, await approve());
      await revoke(agent, first, { reason });
      if (when === 'before') expect(outcome(await approve())).toBe('credential_revoked');
      const url = `${scene.service.url}/v1/connect-invitations/${claimed.invitationId}`;
      expect(outcome(await exchange(scene.service, claimed))).toBe('credential_revoked');
      expect(outcome(await call(url, { headers: bearing(claimed.claimToken) }))).toBe('credential_revoked');
    });

    it('ends its pairing sessions, whoever asks', async () => {
      const { agent, first, second } = await agentWithTwoKeys();
      const { sessionId, code } = await startPairing(scene.service, first);
      await revoke(agent, first, { reason });
      expect(outcome(await approvePairing(sessionId, code))).toBe('credential_revoked');
      expect(outcome(await pairing(sessionId, code, bearing(await second.token())))).toBe('credential_revoked');
      expect(outcome(await pairing(sessionId, code, device.headers))).toBe('credential_revoked');
      expect(outcome(await pairing(sessionId, '00000000', device.headers))).toBe('resource_not_found');
      const typed = `${scene.service.url}/v1/pairing/sessions?code=${code}`;
      expect(outcome(await call(typed, { headers: device.headers }))).toBe('resource_not_found');
    });
  });

  it('cuts off whoever fetched a token with it, even if another key had asked', async () => {
    const { agent, first, second } = await agentWithTwoKeys();
    const { sessionId, code } = await startPairing(scene.service, first);
    mustBe(200, await approvePairing(sessionId, code));
    const { body } = mustBe(200, await pairing(sessionId, code, bearing(await second.token())));
    const token = body.connection_token as string;
    expect(outcome(await use(token))).toBe(200);
    await revoke(agent, second);
    expect(outcome(await use(token))).toBe('credential_revoked');
  });

  it.each(['suspended', 'revoked'])('stops the exchange of an agent that is %s', async (status) => {
    const agent = await scene.newAgent();
    const claimed = await claimInvitation(scene.service, agent, device);
    mustBe(200, await decide(scene.service, device, claimed.invitationId, 'approve'));
    mustBe(200, await changeAgent(scene.service, scene.merchant, agent.agentId, { status }));
    expect(outcome(await exchange(scene.service, claimed))).toBe('agent_not_active');
  });

  /** As older versions wrote it, without the credential that opened the connection. */
  const connectionOfOlderLog = async ({ agentId }: ActiveAgent, createdAt: Date): Promise<string> => {
    breaksOnPurpose('approved-connection');
    const store = scene.service.app.get<EventStore>(EVENT_STORE);
    const { connectionId } = await connectAgent(scene.service, await scene.newAgent(), device);
    const [like] = await scene.eventsOf(`connection-${connectionId}`, 'ConnectionCreated');
    const { credential_id: _, ...data } = like?.data as Record<string, unknown>;
    const id = newId('con');
    const event = {
      type: 'ConnectionCreated',
      data: { ...data, connection_id: id, agent_id: agentId, created_at: createdAt.toISOString() },
    };
    const context = { requestId: 'older', actor: { kind: 'wallet_device', id: device.deviceId } };
    await store.append(`connection-${id}`, 0, [encodeEvent(event, context, createdAt.toISOString())]);
    await eventually(
      () => asWallet(id),
      ({ status }) => status === 200,
      'it is shown',
    );
    const url = `${scene.service.url}/v1/connections/${id}/rotate-token`;
    return mustBe(200, await call(url, { headers: device.headers, body: {} })).body.connection_token as string;
  };

  it('ends a connection from an older log if the key may have opened it', async () => {
    const { agent, first, second } = await agentWithTwoKeys();
    const [early, late] = [new Date(Date.now() - 86_400_000), new Date()];
    const [before, after] = [await connectionOfOlderLog(agent, early), await connectionOfOlderLog(agent, late)];
    await revoke(agent, first, { reason: 'rotated' });
    expect([outcome(await use(before)), outcome(await use(after))]).toEqual([200, 200]);
    await revoke(agent, second);
    // Neither key existed a day ago.
    expect([outcome(await use(before)), outcome(await use(after))]).toEqual(['agent_not_active', 'credential_revoked']);
  });

  if (pair === 'engines') {
    it('takes effect on every instance by the time it is answered', async () => {
      const other = await start({ env: { DNS_SERVERS: scene.dns.server } });
      try {
        const { agent, first } = await agentWithTwoKeys();
        const { connectionToken } = await connectAgent(scene.service, first, device);
        expect(outcome(await use(connectionToken, other))).toBe(200);
        await revoke(agent, first);
        expect(outcome(await use(connectionToken, other))).toBe('credential_revoked');
      } finally {
        await other.stopAndForget();
      }
    });
  }
});
