import { type AgentEvent } from '../events/agent.events';
import { agentInUse, isCompromised, mayAct, objectionToAsker } from './agent-in-use';
import { connectionInUse, type KnownConnection } from './connection-in-use';
import { created as connectionCreated } from '../capabilities/connections/connection.fixtures';
import { type CredentialId } from '../kernel/aggregates';

const ids = { agent_id: 'agt_1', merchant_id: 'mer_1' } as const;
const at = '2030-01-01T00:00:00.000Z';

const created: AgentEvent = {
  type: 'AgentCreated',
  data: {
    ...ids,
    name: 'Agent',
    runtime: 'node',
    environment: 'testnet',
    allowed_scopes: ['payment.requests.read'],
    created_at: at,
  },
};
const becomes = (status: 'active' | 'suspended' | 'revoked'): AgentEvent => ({
  type: 'AgentStatusChanged',
  data: { ...ids, status, changed_at: at },
});
const registered = (credential_id: CredentialId, expires_at = '2030-01-01T03:00:00.000Z'): AgentEvent => ({
  type: 'AgentCredentialRegistered',
  data: {
    ...ids,
    credential_id,
    kid: credential_id,
    alg: 'Ed25519',
    public_key: '',
    // Written with an offset on purpose: times are moments, not texts.
    not_before: '2030-01-01T02:00:00+01:00',
    expires_at,
    challenge_hash: '',
    challenge_expires_at: at,
    registered_at: at,
  },
});
const activated = (credential_id: CredentialId): AgentEvent => ({
  type: 'AgentCredentialActivated',
  data: { ...ids, credential_id, activated_at: at },
});
const revoked = (credential_id: CredentialId, reason?: 'compromised' | 'rotated'): AgentEvent => ({
  type: 'AgentCredentialRevoked',
  data: { ...ids, credential_id, revoked_at: at, ...(reason === undefined ? {} : { reason }) },
});

const after = (...events: AgentEvent[]) => events.reduce(agentInUse.evolve, agentInUse.initial);
const working = [created, registered('crd_a'), activated('crd_a'), becomes('active')];
const during = new Date('2030-01-01T02:00:00.000Z');

describe('whether an agent may act', () => {
  it('with an active credential', () => expect(mayAct(after(...working), during)).toBe(true));
  it.each([
    ['unknown', []],
    ['pending', [created, registered('crd_a'), activated('crd_a')]],
    ['suspended', [...working, becomes('suspended')]],
    ['revoked', [...working, becomes('revoked')]],
    ['without a proven credential', [created, registered('crd_a'), becomes('active')]],
    ['without its only credential', [...working, revoked('crd_a')]],
  ])('not when %s', (_, events) => expect(mayAct(after(...events), during)).toBe(false));

  it('with the credential that is left', () => {
    const two = [...working, registered('crd_b'), activated('crd_b')];
    expect(mayAct(after(...two, revoked('crd_a')), during)).toBe(true);
    expect(mayAct(after(...two, revoked('crd_b')), during)).toBe(true);
    expect(mayAct(after(...two, revoked('crd_a'), revoked('crd_b')), during)).toBe(false);
  });

  it.each([
    ['2030-01-01T00:59:59.999Z', false],
    ['2030-01-01T01:00:00.000Z', true],
    ['2030-01-01T02:59:59.999Z', true],
    ['2030-01-01T03:00:00.000Z', false],
  ])('by its credential’s times: at %s %s', (moment, expected) =>
    expect(mayAct(after(...working), new Date(moment))).toBe(expected),
  );

  it('again when it is active again', () =>
    expect(mayAct(after(...working, becomes('suspended'), becomes('active')), during)).toBe(true));

  it('with the scopes it is allowed now', () => {
    const changed: AgentEvent = {
      type: 'AgentDetailsChanged',
      data: { ...ids, name: 'Agent', allowed_scopes: ['transaction_contexts.read'], changed_at: at },
    };
    expect(after(...working).allowedScopes).toEqual(['payment.requests.read']);
    expect(after(...working, changed).allowedScopes).toEqual(['transaction_contexts.read']);
    expect(mayAct(after(...working, changed), during)).toBe(true);
  });
});

describe('a connection whose key was revoked', () => {
  const two = [...working, registered('crd_b'), activated('crd_b')];
  const openedWith = (credential_id?: string, created_at = at): KnownConnection => {
    const data = {
      ...connectionCreated.data,
      created_at,
      ...(credential_id === undefined ? {} : { credential_id }),
    } as const;
    const event = { ...connectionCreated, data } as typeof connectionCreated;
    return connectionInUse.evolve(connectionInUse.initial, event) as KnownConnection;
  };
  const verdict = (connection: KnownConnection, ...events: AgentEvent[]) =>
    isCompromised(after(...two, ...events), connection);

  it.each([
    ['compromised', [revoked('crd_a', 'compromised')], true],
    ['rotated', [revoked('crd_a', 'rotated')], false],
    ['revoked when no reason was kept', [revoked('crd_a')], false],
    ['rotated and found compromised', [revoked('crd_a', 'rotated'), revoked('crd_a', 'compromised')], true],
    ['found compromised and rotated', [revoked('crd_a', 'compromised'), revoked('crd_a', 'rotated')], true],
    ['another one', [revoked('crd_b', 'compromised')], false],
  ])('is compromised with its key: %s', (_, events, expected) =>
    expect(verdict(openedWith('crd_a'), ...events)).toBe(expected),
  );

  it('is compromised with any key that may have opened it, if the log does not say which did', () => {
    expect(verdict(openedWith(), revoked('crd_b', 'compromised'))).toBe(true);
    expect(verdict(openedWith(undefined, '2029-12-31T23:59:59.999Z'), revoked('crd_b', 'compromised'))).toBe(false);
    // Asked for with a key that still worked, and approved when it no longer did.
    expect(verdict(openedWith(undefined, '2030-01-01T00:09:59.999Z'), revoked('crd_b', 'compromised'))).toBe(true);
    expect(verdict(openedWith(undefined, '2030-01-01T00:10:00.000Z'), revoked('crd_b', 'compromised'))).toBe(false);
    expect(verdict(openedWith(), revoked('crd_b', 'rotated'))).toBe(false);
  });
});

describe('who asked for a connection', () => {
  const two = [...working, registered('crd_b'), activated('crd_b')];
  const objection = (credentialId: CredentialId | undefined, ...events: AgentEvent[]) =>
    objectionToAsker(after(...two, ...events), { credentialId, askedAt: at }, during);

  it.each([
    ['nothing happened', 'crd_a', [], undefined],
    ['its key was rotated', 'crd_a', [revoked('crd_a', 'rotated')], 'credential_revoked'],
    ['another key was compromised', 'crd_a', [revoked('crd_b', 'compromised')], undefined],
    ['the agent is suspended', 'crd_a', [becomes('suspended')], 'agent_not_active'],
    [
      'any key was revoked since, where the log does not say which asked',
      undefined,
      [revoked('crd_b')],
      'credential_revoked',
    ],
    ['nothing happened, where the log does not say', undefined, [], undefined],
  ] as const)('could ask still? %s', (_, credentialId, events, expected) =>
    expect(objection(credentialId, ...events)).toBe(expected),
  );

  it('could not once its key has expired', () => {
    const asking = { credentialId: 'crd_a', askedAt: at } as const;
    expect(objectionToAsker(after(...two), asking, new Date('2030-01-01T03:00:00.000Z'))).toBe('credential_not_valid');
  });

  it('could not once its key has expired, although the agent has another', () => {
    const later = '2030-01-01T05:00:00.000Z';
    const agent = after(...working, registered('crd_b', later), activated('crd_b'));
    const objectionTo = (credentialId: CredentialId | undefined) =>
      objectionToAsker(agent, { credentialId, askedAt: at }, new Date('2030-01-01T04:00:00.000Z'));
    expect([objectionTo('crd_a'), objectionTo('crd_b'), objectionTo(undefined)]).toEqual([
      'credential_not_valid',
      undefined,
      undefined,
    ]);
  });

  it('could still if a key was revoked before it asked, where the log does not say which asked', () => {
    const asking = { credentialId: undefined, askedAt: '2030-01-01T00:00:00.001Z' } as const;
    expect(objectionToAsker(after(...two, revoked('crd_b')), asking, during)).toBeUndefined();
  });
});
