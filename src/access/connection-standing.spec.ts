import { created, paused, revoked } from '../capabilities/connections/connection.fixtures';
import { type ConnectionCreated, type ConnectionEvent } from '../events/connection.events';
import { type Category } from '../kernel/aggregates';
import { newId } from '../kernel/ids';
import { type CommandRunner } from '../platform/event-store/run-command';
import { type AgentInUse } from './agent-in-use';
import { connectionInUse, type KnownConnection } from './connection-in-use';
import { ConnectionStandings, refusalOver, scopesOver } from './connection-standing';

const now = new Date('2030-01-01T00:00:00.000Z');
const valid = { from: 0, until: Infinity, activatedAt: 0, revokedAt: null, compromised: false };
const agent: AgentInUse = {
  status: 'active',
  name: 'Agent',
  allowedScopes: ['payment.requests.create', 'payment.requests.read'],
  credentials: new Map([['crd_1', valid]]),
  active: [valid],
};
const suspended: AgentInUse = { ...agent, status: 'suspended' };
const compromised: AgentInUse = {
  ...suspended,
  credentials: new Map([['crd_1', { ...valid, compromised: true }]]),
};
const opened = { ...created, data: { ...created.data, credential_id: 'crd_1' } } as ConnectionEvent;
const endedWith = (reason: string): ConnectionEvent =>
  ({ ...revoked, data: { ...revoked.data, reason } }) as ConnectionEvent;
const after = (...events: readonly ConnectionEvent[]): KnownConnection =>
  [opened, ...events].reduce(connectionInUse.evolve, connectionInUse.initial) as KnownConnection;

describe('a connection that is named', () => {
  it.each([
    ['nothing, while agent and connection are active', [], agent, undefined],
    ['that its agent is not active', [], suspended, 'agent_not_active'],
    ['that it is paused, before what is wrong with its agent', [paused], suspended, 'connection_paused'],
    ['that its key is compromised, before that it is paused', [paused], compromised, 'credential_revoked'],
    ['that its wallet revoked it, before anything else', [paused, revoked], compromised, 'connection_revoked'],
    ['that it ended with its key', [endedWith('credential_revoked')], agent, 'credential_revoked'],
    ['that it ended with its device', [endedWith('device_removed')], agent, 'connection_revoked'],
  ] as const)('is refused for the reason that lasts longest: %s', (_, events, its, expected) =>
    expect(refusalOver(after(...events), its, now)).toBe(expected),
  );

  // The removal is recorded before the connections end with it.
  it.each([
    ['removed', undefined, 'connection_revoked'],
    ['in use', { status: 'active' }, undefined],
  ])('may not be used once its device is removed: %s', async (_, device, refusal) => {
    const log: Partial<Record<Category, unknown>> = { connection: after(), agent, wallet_device: device };
    const fold = async ({ category }: { category: Category }) => ({ state: log[category] });
    const standings = new ConnectionStandings({ fold } as unknown as CommandRunner, { now: () => now });
    const { connection_id, device_id, merchant_id } = opened.data as ConnectionCreated['data'];
    expect(await standings.ofDevice(connection_id, device_id)).toMatchObject({ refusal });
    expect(await standings.of(connection_id, merchant_id)).toMatchObject({ refusal });
    expect(await standings.of(connection_id, newId('mer'))).toBeUndefined();
    expect(await standings.ofDevice(connection_id, newId('dev'))).toBeUndefined();
  });

  it('may do what both the person and the merchant allow', () => {
    const scopes = ['payment.requests.create', 'transaction_contexts.read'];
    const granted = { ...opened, data: { ...opened.data, scopes } } as ConnectionEvent;
    expect(scopesOver(after(granted), agent)).toEqual(['payment.requests.create']);
  });
});
