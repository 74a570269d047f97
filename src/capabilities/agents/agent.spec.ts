import { given } from '../../../test/support/given';
import { agent, type AgentCommand } from './agent';
import { type AgentEvent } from '../../events/agent.events';
import {
  change,
  create,
  created,
  credentialActivated,
  credentialRegistered,
  credentialRevoked,
  detailsChanged,
  expiresAt,
  prove,
  register,
  proofFailed,
  revoke,
  statusChanged,
} from './agent.fixtures';

const past = given(agent);
const proven = [created, credentialRegistered, credentialActivated];
const active = [...proven, statusChanged('active')];

// A change names the version it was made for, so its repeat is refused instead of doing nothing.
const decide = (events: readonly AgentEvent[], command: AgentCommand) =>
  agent.decide(command, events.reduce(agent.evolve, agent.initial));

describe('an agent', () => {
  it('is created', () => past().when(create).then(created));
  it('is unknown to another merchant', () => {
    for (const command of [change, register, prove, revoke]) {
      const stranger = { ...command, merchantId: 'mer_01JZZZZZZZZZZZZZZZZZZZZZZY' } as const;
      past(...active)
        .when(stranger)
        .thenRefused('resource_not_found');
      past().when(command).thenRefused('resource_not_found');
    }
  });

  it('becomes active once it has an active credential', () =>
    expect(decide(proven, { ...change, status: 'active' })).toEqual([statusChanged('active')]));
  it('does not become active without a credential', () =>
    past(created)
      .when({ ...change, status: 'active' })
      .thenRefused('agent_credential_required'));
  it('does not become active on a credential that was never proven', () =>
    past(created, credentialRegistered)
      .when({ ...change, status: 'active' })
      .thenRefused('agent_credential_required'));
  it('does not become active on a revoked credential', () =>
    past(...proven, credentialRevoked)
      .when({ ...change, status: 'active' })
      .thenRefused('agent_credential_required'));
  it('does not become active on an expired credential', () =>
    past(...proven)
      .when({ ...change, status: 'active', at: expiresAt })
      .thenRefused('agent_credential_required'));
  it('is suspended and resumed', () => {
    expect(decide(active, { ...change, version: 2, status: 'suspended' })).toEqual([statusChanged('suspended')]);
    const suspended = [...active, statusChanged('suspended')];
    expect(decide(suspended, { ...change, version: 3, status: 'active' })).toEqual([statusChanged('active')]);
  });

  it('changes name and scopes', () => {
    expect(decide([created], { ...change, name: 'Billing' })).toEqual([detailsChanged('Billing')]);
    const allowedScopes = ['payment.requests.read'];
    expect(decide([created], { ...change, allowedScopes })).toEqual([detailsChanged('Checkout', allowedScopes)]);
  });
  it('changes everything in one go', () =>
    expect(decide(active, { ...change, version: 2, name: 'Billing', status: 'revoked' })).toEqual([
      detailsChanged('Billing'),
      statusChanged('revoked'),
    ]));
  it('changes nothing when all is as it should be', () =>
    past(...active)
      .when({ ...change, version: 2, status: 'active', name: 'Checkout', allowedScopes: create.allowedScopes })
      .thenNothing());
  it('refuses a change made for another version, whatever it is', () => {
    for (const version of [1, 3, 4]) {
      past(...active)
        .when({ ...change, version, status: 'active' })
        .thenRefused('version_conflict', { current_version: 2 });
    }
  });

  it('keeps its version while keys come and go, also when a proof fails', () => {
    const state = [...proven, proofFailed, credentialRevoked].reduce(agent.evolve, agent.initial);
    expect(state?.version).toBe(1);
  });

  describe('once revoked', () => {
    const revoked = [...active, statusChanged('revoked')];
    const final = { current_status: 'revoked' };
    for (const wish of [{ status: 'active' }, { status: 'suspended' }, { name: 'Other' }] as const) {
      it(`does not take ${JSON.stringify(wish)}`, () =>
        past(...revoked)
          .when({ ...change, version: 3, ...wish })
          .thenRefused('invalid_status_transition', final));
    }
    it('stays revoked', () =>
      past(...revoked)
        .when({ ...change, version: 3, status: 'revoked' })
        .thenNothing());
    it('gets no more credentials', () =>
      past(...revoked)
        .when({ ...register, credentialId: 'crd_2', kid: 'key-2' })
        .thenRefused('invalid_status_transition', final));
    it('activates no credential', () =>
      past(created, credentialRegistered, statusChanged('revoked'))
        .when(prove)
        .thenRefused('invalid_status_transition'));
    it('can still have its credentials revoked', () =>
      past(...revoked)
        .when(revoke)
        .then(credentialRevoked));
  });
});
