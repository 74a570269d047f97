import { newId } from '../src/kernel/ids';
import { DerivedTokens } from '../src/platform/secrets/derived-tokens';
import { type ActiveAgent, changeAgent, revokeCredential } from './support/agents';
import {
  bearing,
  claimInvitation,
  connectAgent,
  type Connected,
  decide,
  exchange,
  mustBe,
} from './support/connections';
import { type Device, registerDevice } from './support/devices';
import { type Answer, call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { askGuard, useConnection } from './support/use-connection';
import { useConnectScene } from './support/use-service';

const refusal = ({ status, body }: Answer): [number, string] => [status, body.error?.code];

describeOnEachPair('connections', (start) => {
  let device: Device;
  let now = Date.now();

  const scene = useConnectScene(start, { clock: { now: () => new Date(now) } });
  beforeEach(async () => {
    device = await registerDevice(scene.service);
  });

  const at = (path: string): string => `${scene.service.url}/v1/${path}`;
  const connect = (scopes?: readonly string[]): Promise<Connected> =>
    connectAgent(scene.service, scene.agent, device, scopes === undefined ? {} : { scopes });
  const read = (id: string): Promise<Answer> => call(at(`connections/${id}`), { headers: device.headers });
  const set = (id: string, status: string, { headers } = device): Promise<Answer> =>
    call(at(`connections/${id}`), { method: 'PATCH', headers, body: { status } });
  const revoke = (id: string, { headers } = device): Promise<Answer> =>
    call(at(`connections/${id}`), { method: 'DELETE', headers });
  const change = async ({ agentId }: ActiveAgent, changes: object): Promise<Answer> =>
    mustBe(200, await changeAgent(scene.service, scene.merchant, agentId, changes));
  const rotate = (id: string, { headers } = device): Promise<Answer> =>
    call(at(`connections/${id}/rotate-token`), { headers, body: {} });

  it('are listed for their wallet, newest first', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      ids.unshift((await connect()).connectionId);
      now += 5;
    }
    const first = await call(at(`connections?limit=2&device_id=${device.deviceId}&token=${device.token}`));
    const next = await call(at(`connections?limit=2&cursor=${first.body.next_cursor}`), { headers: device.headers });
    const listed = [...first.body.connections, ...next.body.connections] as { connection_id: string }[];
    expect(listed.map(({ connection_id }) => connection_id)).toEqual(ids);
    expect(next.body.next_cursor).toBeNull();
    expect((await read(ids[0] ?? '')).body.connection).toEqual(listed[0]);
  });

  it('show the current names of merchant and agent, and those at the time the person agreed', async () => {
    const { connectionId, connectionToken } = await connect();
    const before = (await read(connectionId)).body.connection;
    const { headers } = scene.merchant;
    const { merchant } = (await call(at('merchants/current'), { headers })).body;
    const renamed = { version: merchant.version, name: 'Corner Coffee & Cake' };
    const rename = async (body: object): Promise<Answer> =>
      mustBe(200, await call(at('merchants/current'), { method: 'PATCH', headers, body }));
    await rename(renamed);
    const half = (await read(connectionId)).body.connection;
    const { agent_name, merchant_name } = before;
    const agreed_names = { agent_name, merchant_name };
    expect(half).toEqual({ ...before, merchant_name: renamed.name, agreed_names });

    await change(scene.agent, { name: 'Barista' });
    const expected = { ...half, agent_name: 'Barista' };
    const [one, mine, theirs, current] = await Promise.all([
      read(connectionId),
      call(at('connections'), { headers: device.headers }),
      call(at('connections'), { headers }),
      call(at('connections/current'), { headers: bearing(connectionToken) }),
    ]);
    expect([
      one.body.connection,
      mine.body.connections[0],
      theirs.body.connections[0],
      current.body.connection,
    ]).toEqual([expected, expected, expected, expected]);
    expect([current.body.agent.name, current.body.merchant.name]).toEqual(['Barista', renamed.name]);
    // A person who agrees now sees only the new names.
    const { connectionId: next } = await connect();
    expect((await read(next)).body.connection).not.toHaveProperty('agreed_names');
    await rename({ version: merchant.version + 1, name: merchant_name });
    await change(scene.agent, { name: agent_name });
    expect((await read(connectionId)).body.connection).toEqual(before);
  });

  it('are paused and resumed', async () => {
    const { connectionId, connectionToken } = await connect();
    const paused = await set(connectionId, 'paused');
    expect([paused.status, paused.body.connection.status, paused.body.connection.version]).toEqual([200, 'paused', 2]);
    expect(await useConnection(scene.service, connectionToken)).toBe('connection_paused');
    expect((await set(connectionId, 'paused')).body).toEqual(paused.body);
    expect((await set(connectionId, 'active')).body.connection.status).toBe('active');
    expect(await useConnection(scene.service, connectionToken)).toBe('accepted');
    const wrong = await set(connectionId, 'revoked');
    expect(refusal(wrong)).toEqual([400, 'validation_failed']);
  });

  it('that were revoked before their token was fetched no longer hand one out', async () => {
    const claimed = await claimInvitation(scene.service, scene.agent, device);
    const approved = mustBe(200, await decide(scene.service, device, claimed.invitationId, 'approve'));
    mustBe(200, await revoke(approved.body.connection.connection_id as string));
    expect(refusal(await exchange(scene.service, claimed))).toEqual([403, 'connection_revoked']);
  });

  it('are revoked permanently', async () => {
    const { connectionId, connectionToken } = await connect();
    const revoked = await revoke(connectionId);
    expect([revoked.status, revoked.body.connection.status]).toEqual([200, 'revoked']);
    expect(await useConnection(scene.service, connectionToken)).toBe('connection_revoked');
    expect((await revoke(connectionId)).body).toEqual(revoked.body);
    for (const status of ['active', 'paused']) {
      const back = await set(connectionId, status);
      expect(refusal(back)).toEqual([409, 'invalid_status_transition']);
      expect(back.body.error.details).toEqual({ current_status: 'revoked' });
    }
    expect(refusal(await rotate(connectionId))).toEqual([403, 'connection_revoked']);
    const inBody = await connect();
    const body = { device_id: device.deviceId, token: device.token };
    expect((await call(at(`connections/${inBody.connectionId}`), { method: 'DELETE', body })).status).toBe(200);
    const inQuery = await connect();
    const query = `device_id=${device.deviceId}&token=${device.token}`;
    expect((await call(at(`connections/${inQuery.connectionId}?${query}`), { method: 'DELETE' })).status).toBe(200);
  });

  it('get a new token; the old one stops', async () => {
    const { connectionId, connectionToken } = await connect();
    const { status, body } = await rotate(connectionId);
    expect([status, body.connection.connection_id, body.connection.version]).toEqual([200, connectionId, 2]);
    expect(body.connection_token).toMatch(/^svc_ct_/);
    expect(await useConnection(scene.service, connectionToken)).toBe('invalid_token');
    expect(await useConnection(scene.service, body.connection_token as string)).toBe('accepted');
  });

  it('get a working token from each of many simultaneous rotations', async () => {
    const { connectionId } = await connect();
    const answers = await Promise.all(Array.from({ length: 20 }, () => rotate(connectionId)));
    const generation = mustBe(200, await read(connectionId)).body.connection.version as number;
    const current = { generation, secret: 1 };
    const derived = scene.service.app.get(DerivedTokens);
    for (const { body } of answers) expect(body.connection_token).toMatch(/^svc_ct_/);
    expect(answers.map(({ body }) => body.connection_token as string)).toContain(
      derived.of('connection', connectionId, current),
    );
    expect(await useConnection(scene.service, derived.of('connection', connectionId, current))).toBe('accepted');
  });

  it('exist only for their wallet', async () => {
    const { connectionId } = await connect();
    const other = await registerDevice(scene.service);
    const headers = { ...other.headers, 'x-request-id': 'same' };
    const ask = async (id: string): Promise<readonly Answer[]> => [
      await call(at(`connections/${id}`), { headers }),
      await call(at(`connections/${id}`), { method: 'PATCH', headers, body: { status: 'paused' } }),
      await call(at(`connections/${id}`), { method: 'DELETE', headers }),
      await call(at(`connections/${id}/rotate-token`), { headers, body: {} }),
    ];
    const [strange, absent] = [await ask(connectionId), await ask(newId('con'))];
    expect(strange.map(refusal)).toEqual(strange.map(() => [404, 'resource_not_found']));
    expect(strange.map(({ text }) => text)).toEqual(absent.map(({ text }) => text));
    expect((await call(at('connections'), { headers: other.headers })).body.connections).toEqual([]);
    expect((await read(connectionId)).body.connection.version).toBe(1);
    expect(refusal(await call(at('connections')))).toEqual([401, 'unauthenticated']);
  });

  describe('the connection token', () => {
    it('must belong to the connection', async () => {
      const [one, two] = [await connect(), await connect()];
      const swapped = one.connectionToken.slice(0, 28) + two.connectionToken.slice(28);
      const never = scene.service.app.get(DerivedTokens).of('connection', newId('con'), { generation: 0, secret: 1 });
      for (const wrong of [swapped, `${one.connectionToken}x`, 'svc_ct_nonsense', never, await scene.agent.token()]) {
        expect(await useConnection(scene.service, wrong)).toBe('invalid_token');
      }
      expect(await useConnection(scene.service, undefined)).toBe('unauthenticated');
      expect(await useConnection(scene.service, one.connectionToken)).toBe('accepted');
    });

    it('opens what was granted and is still allowed to the agent', async () => {
      const agent = await scene.newAgent();
      const granted = ['payment.requests.create', 'payment.requests.read'];
      const { connectionToken } = await connectAgent(scene.service, agent, device, { scopes: granted });
      expect(await useConnection(scene.service, connectionToken, 'payment.requests.create')).toBe('accepted');
      expect(await askGuard(scene.service, connectionToken, 'transaction_contexts.read')).toMatchObject({
        code: 'insufficient_scope',
        details: { required_scope: 'transaction_contexts.read' },
      });
      await change(agent, { allowed_scopes: ['payment.requests.read', 'transaction_contexts.read'] });
      expect(await useConnection(scene.service, connectionToken, 'payment.requests.create')).toBe('insufficient_scope');
      expect(await useConnection(scene.service, connectionToken, 'transaction_contexts.read')).toBe(
        'insufficient_scope',
      );
      expect(await useConnection(scene.service, connectionToken, 'payment.requests.read')).toBe('accepted');
      await change(agent, { allowed_scopes: granted });
      expect(await useConnection(scene.service, connectionToken, 'payment.requests.create')).toBe('accepted');
    });

    it('stops working while its agent is suspended, and works again afterwards', async () => {
      const agent = await scene.newAgent();
      const { connectionToken } = await connectAgent(scene.service, agent, device);
      await change(agent, { status: 'suspended' });
      expect(await useConnection(scene.service, connectionToken)).toBe('agent_not_active');
      await change(agent, { status: 'active' });
      expect(await useConnection(scene.service, connectionToken)).toBe('accepted');
      mustBe(200, await revokeCredential(scene.service, scene.merchant, agent.agentId, agent.credentialId));
      expect(await useConnection(scene.service, connectionToken)).toBe('credential_revoked');
      const another = await scene.newAgent();
      const second = await connectAgent(scene.service, another, device);
      await change(another, { status: 'revoked' });
      expect(await useConnection(scene.service, second.connectionToken)).toBe('agent_not_active');
    });

    it('stops working when its device is removed, along with the device’s connections', async () => {
      const [one, two] = [await connect(), await connect()];
      mustBe(200, await set(two.connectionId, 'paused'));
      const { headers } = device;
      mustBe(200, await call(at(`wallet-devices/${device.deviceId}`), { method: 'DELETE', headers, body: {} }));
      expect(await useConnection(scene.service, one.connectionToken)).toBe('connection_revoked');
      expect(await useConnection(scene.service, two.connectionToken)).toBe('connection_revoked');
      for (const { connectionId } of [one, two]) {
        const events = await scene.eventsOf(`connection-${connectionId}`, 'ConnectionRevoked');
        expect(events).toHaveLength(1);
        expect(events[0]?.data).toMatchObject({ reason: 'device_removed', merchant_id: scene.merchant.merchantId });
        expect(events[0]?.metadata).toMatchObject({ actor: { kind: 'wallet_device', id: device.deviceId } });
      }
      expect(refusal(await call(at('connections'), { headers }))).toEqual([401, 'invalid_token']);
    });

    it('shows the names the person agreed to, whatever the agent is called today', async () => {
      const agent = await scene.newAgent();
      const { connectionToken, connectionId } = await connectAgent(scene.service, agent, device);
      await change(agent, { name: 'Your bank' });
      expect(await askGuard(scene.service, connectionToken)).toEqual({
        actor: { kind: 'connection', id: connectionId },
        connection: {
          connectionId,
          deviceId: device.deviceId,
          agentId: agent.agentId,
          agentName: scene.agentName,
          merchantId: scene.merchant.merchantId,
          merchantName: scene.merchantName,
          merchantDomain: scene.merchant.domain,
          scopes: expect.arrayContaining(['payment.requests.create']),
        },
      });
    });

    it('is not accepted as a wallet’s credential', async () => {
      const { connectionId, connectionToken } = await connect();
      const { status } = await call(at(`connections/${connectionId}`), { headers: bearing(connectionToken) });
      expect(status).toBe(401);
    });
  });
});
