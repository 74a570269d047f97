import { given } from '../../../test/support/given';
import { type Refusal } from '../../kernel/errors';
import { evidenceDigest } from './evidence';
import { recipient } from './recipient';
import { type RecipientCommand } from './recipient-commands';
import { type RecipientEvent } from '../../events/recipient.events';
import {
  activate,
  addVersion,
  create,
  created,
  mainnetFacts,
  otherFacts,
  otherProof,
  proof,
  retire,
  verify,
  versionActivated,
  versionAdded,
  versionRetired,
  versionVerified,
} from './recipient.fixtures';

const past = given(recipient);
const atFirst = [created, versionAdded(1)];
const verified = [...atFirst, versionVerified(1)];
const active = [...verified, versionActivated(1, null)];
const stranger = { merchantId: 'mer_01JZZZZZZZZZZZZZZZZZZZZZZY' } as const;

const issuesOf = (events: readonly RecipientEvent[], command: RecipientCommand): readonly (readonly string[])[] => {
  try {
    recipient.decide(command, events.reduce(recipient.evolve, recipient.initial));
  } catch (error) {
    return ((error as Refusal).issues ?? []).map(({ field, code }) => [field, code]);
  }
  return [];
};

describe('a recipient', () => {
  it('is created together with its first version', () =>
    past()
      .when(create)
      .then(...atFirst));
  it('gets another version', () =>
    past(...atFirst)
      .when(addVersion)
      .then(versionAdded(2, otherFacts)));
  it('gets a version only from who saw the newest state', () =>
    past(...verified)
      .when(addVersion)
      .thenRefused('version_conflict', { current_version: 2 }));
  it('has a bounded number of versions', () => {
    const many = Array.from({ length: 500 }, (_, index) => versionAdded(index + 1));
    const command = { ...addVersion, recipientVersionId: 'rcv_new', version: 500 } as const;
    expect(issuesOf([created, ...many], command)).toEqual([['', 'too_many']]);
  });

  for (const command of [addVersion, verify, activate, retire]) {
    it(`is unknown to another merchant that wants to ${command.kind}`, () =>
      past(...verified)
        .when({ ...command, ...stranger })
        .thenRefused('resource_not_found'));
    it(`cannot ${command.kind} before it exists`, () => past().when(command).thenRefused('resource_not_found'));
  }
});

describe('verifying a recipient version', () => {
  it('records evidence with its digest', () =>
    past(...atFirst)
      .when(verify)
      .then(versionVerified(1)));
  it('is refused for a state that has passed', () =>
    past(...atFirst)
      .when({ ...verify, version: 0 })
      .thenRefused('version_conflict', { current_version: 1 }));
  it('once more on the same proof adds nothing', () =>
    past(...verified)
      .when({ ...verify, version: 2, evidenceId: 'evd_2' })
      .thenNothing());
  it('once more on the same proof adds nothing while it is in use', () =>
    past(...active)
      .when({ ...verify, version: 3, evidenceId: 'evd_2' })
      .thenNothing());
  it('on another proof replaces the evidence', () =>
    past(...atFirst, versionVerified(1, undefined, otherProof))
      .when({ ...verify, version: 2, evidenceId: 'evd_2' })
      .then({
        type: 'RecipientVersionVerified',
        data: { ...(versionVerified(1).data as object), evidence_id: 'evd_2' },
      } as unknown as RecipientEvent));
  it('on another proof is refused while it is in use', () =>
    expect(issuesOf(active, { ...verify, version: 3, evidenceId: 'evd_2', proof: otherProof })).toEqual([
      ['recipient_version_id', 'already_active'],
    ]));
  it('lists an unknown version and an unknown source together', () =>
    expect(issuesOf(atFirst, { ...verify, recipientVersionId: 'rcv_9', proof: undefined })).toEqual([
      ['recipient_version_id', 'unknown_version'],
      ['source_id', 'not_a_verified_domain'],
    ]));
});

describe('activating a recipient version', () => {
  // A repeat names a version that has passed, so it is refused instead of doing nothing.
  const decide = (events: readonly RecipientEvent[], command: RecipientCommand) =>
    recipient.decide(command, events.reduce(recipient.evolve, recipient.initial));

  it('puts it to use', () => expect(decide(verified, activate)).toEqual([versionActivated(1, null)]));
  it('a second time from the same state is a conflict', () =>
    past(...active)
      .when(activate)
      .thenRefused('version_conflict', { current_version: 3 }));
  it('that is in use, from the present state, adds nothing', () =>
    past(...active)
      .when({ ...activate, version: 3 })
      .thenNothing());
  it('supersedes the one before', () => {
    const both = [...active, versionAdded(2, otherFacts), versionVerified(2, otherFacts)];
    const evidence = { evidenceId: 'evd_2', evidenceDigest: evidenceDigest(otherFacts, proof) } as const;
    const second = { ...activate, recipientVersionId: 'rcv_2', version: 5, ...evidence } as const;
    expect(decide(both, second)).toEqual([versionActivated(2, 1, otherFacts)]);
  });
  it('can go back to a superseded one on its old evidence', () => {
    const both = [...active, versionAdded(2, otherFacts), versionVerified(2, otherFacts)];
    const turned = [...both, versionActivated(2, 1, otherFacts)];
    expect(decide(turned, { ...activate, version: 6 })).toEqual([versionActivated(1, 2)]);
  });
  it('needs evidence', () =>
    expect(issuesOf(atFirst, { ...activate, version: 1 })).toEqual([['evidence_id', 'not_verified']]));
  it('needs the very evidence, and says all that is wrong with it', () =>
    expect(issuesOf(verified, { ...activate, evidenceId: 'evd_2', evidenceDigest: 'sha256:00' })).toEqual([
      ['evidence_id', 'mismatch'],
      ['evidence_digest', 'mismatch'],
    ]));
  it('compares the digest with one made anew, not with the one that was recorded', () => {
    const tampered = {
      type: 'RecipientVersionVerified',
      data: { ...versionVerified(1).data, evidence_digest: 'sha256:ff' },
    } as RecipientEvent;
    expect(issuesOf([...atFirst, tampered], { ...activate, evidenceDigest: 'sha256:ff' })).toEqual([
      ['evidence_digest', 'mismatch'],
    ]);
  });
  it('is refused where the network is not enabled', () => {
    const evidence = { evidenceDigest: evidenceDigest(mainnetFacts, proof) };
    past(created, versionAdded(1, mainnetFacts), versionVerified(1, mainnetFacts))
      .when({ ...activate, ...evidence })
      .thenRefused('network_not_enabled');
  });
  it('knows no version of another recipient', () =>
    past(...verified)
      .when({ ...activate, recipientVersionId: 'rcv_9' })
      .thenRefused('resource_not_found'));
});

describe('retiring a recipient version', () => {
  // As with an activation, a repeat names a version that has passed.
  const decide = (events: readonly RecipientEvent[], command: RecipientCommand) =>
    recipient.decide(command, events.reduce(recipient.evolve, recipient.initial));
  const retired = [...active, versionRetired(1, true)];

  it('leaves the recipient without an active one', () => {
    expect(decide(active, retire)).toEqual([versionRetired(1, true)]);
    expect(retired.reduce(recipient.evolve, recipient.initial)?.activeVersionId).toBeNull();
  });
  it('leaves the active one alone where it is another', () => {
    const both = [...active, versionAdded(2, otherFacts), versionVerified(2, otherFacts)];
    const turned = [...both, versionActivated(2, 1, otherFacts)];
    expect(decide(turned, { ...retire, version: 6 })).toEqual([versionRetired(1, false)]);
    const after = [...turned, versionRetired(1, false)].reduce(recipient.evolve, recipient.initial);
    expect(after?.activeVersionId).toBe('rcv_2');
  });
  it('is possible before it was ever verified', () =>
    expect(decide(atFirst, { ...retire, version: 1 })).toEqual([versionRetired(1, false)]));
  it('from a state that has passed is a conflict', () =>
    past(...retired)
      .when(retire)
      .thenRefused('version_conflict', { current_version: 4 }));
  it('once more adds nothing', () =>
    past(...retired)
      .when({ ...retire, version: 4 })
      .thenNothing());
  it('may be asked later to withdraw what is pending, once', () => {
    const command = { ...retire, withdrawPending: true };
    expect(decide(retired, { ...command, version: 4 })).toEqual([versionRetired(1, false, true)]);
    expect(decide([...retired, versionRetired(1, false, true)], { ...command, version: 5 })).toEqual([]);
    expect(decide([...retired, versionRetired(1, false, true)], { ...retire, version: 5 })).toEqual([]);
  });
  it('spends its evidence: it is never active again', () =>
    past(...retired)
      .when({ ...activate, version: 4 })
      .thenRefused('recipient_version_not_active', { status: 'retired', active_version_id: null }));
  it('ends its verification, on whatever proof', () =>
    past(...retired)
      .when({ ...verify, version: 4, evidenceId: 'evd_2', proof: otherProof })
      .thenRefused('recipient_version_not_active', { status: 'retired', active_version_id: null }));
  it('knows no version of another recipient', () =>
    past(...active)
      .when({ ...retire, recipientVersionId: 'rcv_9' })
      .thenRefused('resource_not_found'));
});
