import { given } from '../../../test/support/given';
import { type Refusal } from '../../kernel/errors';
import { agent, type AgentCommand, credentialIn, type KnownAgent } from './agent';
import { holdsItsKey } from './agent-credential';
import { type AgentEvent } from '../../events/agent.events';
import {
  at,
  created,
  credentialActivated,
  credentialRegistered,
  credentialRevoked,
  credentialRevokedBefore,
  credentialRotated,
  expiresAt,
  inFiveMinutes,
  proofFailed,
  prove,
  register,
  revoke,
} from './agent.fixtures';

const past = given(agent);
const pending = [created, credentialRegistered];
const active = [...pending, credentialActivated];
const fiveFailures = Array.from({ length: 5 }, () => proofFailed);

const fold = (events: readonly AgentEvent[]) => events.reduce(agent.evolve, agent.initial);
const issuesOf = (events: readonly AgentEvent[], command: AgentCommand): readonly (readonly string[])[] => {
  try {
    agent.decide(command, fold(events));
  } catch (error) {
    return ((error as Refusal).issues ?? []).map(({ field, code }) => [field, code]);
  }
  return [];
};

describe('registering a credential', () => {
  const second = { ...register, credentialId: 'crd_2' } as const;

  it('records key and challenge', () => past(created).when(register).then(credentialRegistered));
  it('needs a kid no other credential of the agent has', () => {
    for (const before of [pending, active, [...active, credentialRevoked]]) {
      expect(issuesOf(before, second)).toEqual([['kid', 'taken']]);
    }
    expect(issuesOf(active, { ...second, kid: 'key-2' })).toEqual([]);
  });
  it('frees a kid whose key was not proven in time or too often wrongly', () => {
    expect(issuesOf(pending, { ...second, at: inFiveMinutes })).toEqual([]);
    expect(issuesOf([...pending, ...fiveFailures], second)).toEqual([]);
  });
  it('lists everything that is wrong', () =>
    expect(
      issuesOf(active, { ...second, notBefore: '2029-12-31T00:00:00.000Z', expiresAt: '2029-12-30T00:00:00.000Z' }),
    ).toEqual([
      ['kid', 'taken'],
      ['expires_at', 'in_the_past'],
      ['expires_at', 'out_of_range'],
    ]));
  it('is for a time that begins before it ends', () => {
    expect(issuesOf([created], { ...register, notBefore: expiresAt })).toEqual([['expires_at', 'out_of_range']]);
    expect(issuesOf([created], { ...register, notBefore: '2020-01-01T00:00:00.000Z' })).toEqual([]);
  });
  it('may be for as long as its holder wishes', () => {
    expect(issuesOf([created], { ...register, expiresAt: '2099-12-31T23:59:59.000Z' })).toEqual([]);
  });
  it('stops at a bounded number', () => {
    const many = Array.from({ length: 500 }, (_, index) => ({
      ...credentialRegistered,
      data: { ...credentialRegistered.data, credential_id: `crd_many_${index}`, kid: `many-${index}` },
    })) as AgentEvent[];
    expect(issuesOf([created, ...many], register)).toEqual([['', 'too_many']]);
  });
});

describe('proving a credential', () => {
  it('activates it', () => expect(agent.decide(prove, fold(pending))).toEqual([credentialActivated]));
  it('works once', () =>
    past(...active)
      .when(prove)
      .thenRefused('challenge_expired'));
  it('notes a wrong signature', () =>
    expect(agent.decide({ ...prove, signatureValid: false }, fold(pending))).toEqual([proofFailed]));
  it('notes a wrong challenge, even with a signature that fits it', () =>
    expect(agent.decide({ ...prove, challengeHash: 'h2' }, fold(pending))).toEqual([proofFailed]));
  it('still works after four failures, not after five', () => {
    expect(agent.decide(prove, fold([...pending, ...fiveFailures.slice(1)]))).toEqual([credentialActivated]);
    past(...pending, ...fiveFailures)
      .when(prove)
      .thenRefused('challenge_expired');
    past(...pending, ...fiveFailures)
      .when({ ...prove, signatureValid: false })
      .thenRefused('challenge_expired');
  });
  it('ends with the challenge', () => {
    const lastMoment = { ...prove, at: '2030-01-01T00:04:59.999Z' };
    expect(agent.decide(lastMoment, fold(pending))).toHaveLength(1);
    past(...pending)
      .when({ ...prove, at: inFiveMinutes })
      .thenRefused('challenge_expired');
  });
  it('is of no use after the credential itself ended', () => {
    const short = { ...credentialRegistered, data: { ...credentialRegistered.data, expires_at: at } } as AgentEvent;
    past(created, short).when(prove).thenRefused('credential_not_valid');
  });
  it('is refused for a revoked credential', () =>
    past(...pending, credentialRevoked)
      .when(prove)
      .thenRefused('credential_revoked'));
  it('is refused for a credential the agent does not have', () =>
    past(created).when(prove).thenRefused('resource_not_found'));
});

describe('revoking a credential', () => {
  it('ends an active one', () =>
    past(...active)
      .when(revoke)
      .then(credentialRevoked));
  it('ends a pending one', () =>
    past(...pending)
      .when(revoke)
      .then(credentialRevoked));
  it('says why', () =>
    past(...active)
      .when({ ...revoke, reason: 'rotated' })
      .then(credentialRotated));
  it.each([
    ['rotated', credentialRotated],
    ['of an older log', credentialRevokedBefore],
  ])('declares one that was %s compromised', (_, before) =>
    past(...active, before)
      .when(revoke)
      .then(credentialRevoked),
  );
  it('never takes that back', () =>
    past(...active, credentialRevoked)
      .when({ ...revoke, reason: 'rotated' })
      .then());
  it('needs one', () => past(created).when(revoke).thenRefused('resource_not_found'));
});

describe('a credential’s hold on its key', () => {
  const held = (events: readonly AgentEvent[], when: string): boolean =>
    holdsItsKey(credentialIn(fold(events) as KnownAgent, 'crd_1'), when);

  it('lasts while it is active and not expired', () => {
    expect(held(active, '2030-12-30T23:59:59.999Z')).toBe(true);
    expect(held(active, expiresAt)).toBe(false);
  });
  it('lasts while it may become active, and as long as that may take to be written', () => {
    expect(held(pending, '2030-01-01T00:09:59.999Z')).toBe(true);
    expect(held(pending, '2030-01-01T00:10:00.000Z')).toBe(false);
  });
  it('ends with the last try and with revocation', () => {
    expect(held([...pending, ...fiveFailures], at)).toBe(false);
    expect(held([...active, credentialRevoked], at)).toBe(false);
  });
});
