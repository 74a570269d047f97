import { type AgentEvent } from '../capabilities/agents/agent.events';
import { agentInUse, mayAct } from './agent-in-use';

const ids = { agent_id: 'agt_1', merchant_id: 'mer_1' };
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
const registered = (credential_id: string): AgentEvent => ({
  type: 'AgentCredentialRegistered',
  data: {
    ...ids,
    credential_id,
    kid: credential_id,
    alg: 'Ed25519',
    public_key: '',
    // Written with an offset on purpose: times are moments, not texts.
    not_before: '2030-01-01T02:00:00+01:00',
    expires_at: '2030-01-01T03:00:00.000Z',
    challenge_hash: '',
    challenge_expires_at: at,
    registered_at: at,
  },
});
const activated = (credential_id: string): AgentEvent => ({
  type: 'AgentCredentialActivated',
  data: { ...ids, credential_id, activated_at: at },
});
const revoked = (credential_id: string): AgentEvent => ({
  type: 'AgentCredentialRevoked',
  data: { ...ids, credential_id, revoked_at: at },
});

const after = (...events: AgentEvent[]) => events.reduce(agentInUse.evolve, agentInUse.initial);
const working = [created, registered('a'), activated('a'), becomes('active')];
const during = new Date('2030-01-01T02:00:00.000Z');

describe('whether an agent may act', () => {
  it('with an active credential', () => expect(mayAct(after(...working), during)).toBe(true));
  it.each([
    ['unknown', []],
    ['pending', [created, registered('a'), activated('a')]],
    ['suspended', [...working, becomes('suspended')]],
    ['revoked', [...working, becomes('revoked')]],
    ['without a proven credential', [created, registered('a'), becomes('active')]],
    ['without its only credential', [...working, revoked('a')]],
  ])('not when %s', (_, events) => expect(mayAct(after(...events), during)).toBe(false));

  it('with the credential that is left', () => {
    const two = [...working, registered('b'), activated('b')];
    expect(mayAct(after(...two, revoked('a')), during)).toBe(true);
    expect(mayAct(after(...two, revoked('b')), during)).toBe(true);
    expect(mayAct(after(...two, revoked('a'), revoked('b')), during)).toBe(false);
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
  });
});
