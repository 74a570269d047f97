import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionDocument } from '../../../projections/connections.projection';
import { type AgentEvent } from '../../events/agent.events';
import { type ConnectionEvent } from '../../events/connection.events';
import { type WalletDeviceEvent } from '../../events/wallet-device.events';
import { type AgentId, type ConnectionId, type CredentialId, type WalletDeviceId } from '../../kernel/aggregates';
import { type Decider } from '../../kernel/decider';
import { newId } from '../../kernel/ids';
import { openEmbeddedEventStore } from '../../platform/event-store/embedded/open-embedded-event-store';
import { type EventStore } from '../../platform/event-store/event-store.port';
import { CommandRunner } from '../../platform/event-store/run-command';
import { streamName } from '../../platform/event-store/stream-name';
import { type Projector } from '../../platform/projecting/projector';
import { type Reactor } from '../../platform/reacting/reactor';
import { type Reactors } from '../../platform/reacting/reactors';
import { type PageCursor, type ReadModel } from '../../platform/read-model/read-model.port';
import { created } from './connection.fixtures';
import { RevokeWithCredential } from './revoke-with-credential.reactor';
import { RevokeWithDevice } from './revoke-with-device.reactor';

type Written = AgentEvent | ConnectionEvent | WalletDeviceEvent;
type Category = 'agent' | 'connection' | 'wallet_device';

const at = '2030-01-01T00:00:00.000Z';
const context = { requestId: 'r', actor: { kind: 'test', id: 't' } } as const;
const PAGE_SIZE = 2;

describe('connections whose device or key has ended', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-revocations-'));
  const reactors: Reactor[] = [];
  let store: EventStore;
  let runner: CommandRunner;
  let listed: readonly ConnectionId[] = [];
  let deviceId: WalletDeviceId;
  let agentId: AgentId;
  let credentialId: CredentialId;

  /** Lists the connections of the test, in short pages. */
  const readModel = {
    find: (_collection: unknown, _index: unknown, _equals: unknown, { after }: { after?: PageCursor }) => {
      const from = after === undefined ? 0 : Number(after.sort);
      const documents = listed
        .slice(from, from + PAGE_SIZE)
        .map((id) => ({ id, status: 'active' }) as ConnectionDocument);
      const next = from + PAGE_SIZE < listed.length ? { sort: from + PAGE_SIZE, id: '' } : null;
      return Promise.resolve({ documents, next });
    },
  } as unknown as ReadModel;

  beforeAll(async () => {
    store = await openEmbeddedEventStore(folder);
    runner = new CommandRunner(store, { now: () => new Date(at) }, () => Promise.resolve());
    const projector = { progress: { passed: () => Promise.resolve() } } as unknown as Projector;
    const known = { add: (reactor: Reactor) => void reactors.push(reactor) } as unknown as Reactors;
    new RevokeWithDevice(known, runner, projector, readModel).onModuleInit();
    new RevokeWithCredential(known, runner, projector, readModel).onModuleInit();
  });
  beforeEach(() => {
    [deviceId, agentId, credentialId, listed] = [newId('dev'), newId('agt'), newId('crd'), []];
  });
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  const written = (category: Category): Decider<null, Written, Written> => ({
    category,
    initial: null,
    decide: (event) => [event],
    evolve: () => null,
  });
  const happened = async (category: Category, id: string, event: Written): Promise<void> =>
    void (await runner.run(written(category), id, event, context));
  /** Shows the last event of a stream to every reactor that follows it. */
  async function noticed(category: Category, id: string): Promise<void> {
    const event = (await store.readStream(streamName(category, id as never))).at(-1);
    for (const { types, react } of reactors) if (event && types.includes(event.type)) await react(event);
  }
  async function opened(by: CredentialId = credentialId): Promise<ConnectionId> {
    const connection_id = newId('con');
    const names = { connection_id, device_id: deviceId, agent_id: agentId, credential_id: by };
    await happened('connection', connection_id, { ...created, data: { ...created.data, ...names } } as ConnectionEvent);
    return connection_id;
  }
  async function compromise(reason: 'compromised' | 'rotated' = 'compromised'): Promise<void> {
    const names = { agent_id: agentId, merchant_id: newId('mer'), credential_id: credentialId };
    const key = { kid: 'k', alg: 'Ed25519', public_key: '', not_before: at, expires_at: '2031-01-01T00:00:00.000Z' };
    const registered = { ...names, ...key, registered_at: at };
    await happened('agent', agentId, { type: 'AgentCredentialRegistered', data: registered } as never);
    await happened('agent', agentId, {
      type: 'AgentCredentialRevoked',
      data: { ...names, reason, revoked_at: at },
    } as never);
  }
  const removed = (): Promise<void> =>
    happened('wallet_device', deviceId, { type: 'WalletDeviceRemoved', data: { device_id: deviceId, removed_at: at } });
  const endsOf = (ids: readonly ConnectionId[]): Promise<readonly unknown[]> =>
    Promise.all(
      ids.map(async (id) => {
        const { type, data } = (await store.readStream(streamName('connection', id))).at(-1) ?? {};
        return type === 'ConnectionRevoked' ? (data as { reason: string }).reason : 'open';
      }),
    );
  const several = async (count: number): Promise<readonly ConnectionId[]> =>
    Promise.all(Array.from({ length: count }, () => opened()));

  it('are all revoked when their device is removed, however many pages list them', async () => {
    listed = await several(2 * PAGE_SIZE + 1);
    await removed();
    await noticed('wallet_device', deviceId);
    expect(await endsOf(listed)).toEqual(listed.map(() => 'device_removed'));
  });

  it('are revoked when they appear after their device was removed', async () => {
    await removed();
    const late = await opened();
    await noticed('connection', late);
    expect(await endsOf([late])).toEqual(['device_removed']);
  });

  it('are all revoked when their key is compromised, however many pages list them, and no others', async () => {
    const others = [await opened(newId('crd'))];
    listed = [...others, ...(await several(2 * PAGE_SIZE))];
    await compromise();
    await noticed('agent', agentId);
    expect(await endsOf(listed)).toEqual(['open', ...listed.slice(1).map(() => 'credential_revoked')]);
  });

  it('stay when their key is only rotated', async () => {
    listed = await several(1);
    await compromise('rotated');
    await noticed('agent', agentId);
    expect(await endsOf(listed)).toEqual(['open']);
  });

  it('are revoked when they appear after their key was compromised', async () => {
    await compromise();
    const late = await opened();
    await noticed('connection', late);
    expect(await endsOf([late])).toEqual(['credential_revoked']);
  });

  it('are revoked when their token goes to a key that was compromised by then', async () => {
    await compromise();
    const connection_id = await opened(newId('crd'));
    await noticed('connection', connection_id);
    expect(await endsOf([connection_id])).toEqual(['open']);
    const names = { connection_id, device_id: deviceId, credential_id: credentialId };
    const data = { ...names, handed_over_at: at };
    await happened('connection', connection_id, { type: 'ConnectionTokenHandedOver', data });
    await noticed('connection', connection_id);
    expect(await endsOf([connection_id])).toEqual(['credential_revoked']);
  });
});
