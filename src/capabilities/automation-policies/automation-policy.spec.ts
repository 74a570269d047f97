import { given } from '../../../test/support/given';
import { type Refusal } from '../../kernel/errors';
import { type AutomationPolicyEvent } from '../../events/automation-policy.events';
import { automationPolicy, type AutomationPolicyCommand } from './automation-policy';
import {
  at,
  change,
  changed,
  create,
  created,
  decline,
  deviceId,
  merchantId,
  optedIn,
  optedOut,
  optIn,
  optOut,
  policyId,
  recipientId,
  revoke,
  revoked,
  settled,
  terms,
} from './automation-policy.fixtures';
import { termIssues } from './policy-terms';

const past = given(automationPolicy);

function issuesOf(decide: () => unknown): [string, string][] {
  try {
    decide();
  } catch (error) {
    return ((error as Refusal).issues ?? []).map(({ code, field }) => [code, field]);
  }
  return [];
}

// A change names the version it was made for, so its repeat is refused instead of doing nothing.
const decide = (events: readonly AutomationPolicyEvent[], command: AutomationPolicyCommand) =>
  automationPolicy.decide(command, events.reduce(automationPolicy.evolve, automationPolicy.initial));

describe('an automation policy', () => {
  it('is proposed', () => past().when(create).then(created));
  it('is agreed to', () => past(created).when(optIn).then(optedIn));
  it('is agreed to anew after it was declined', () => past(created, optedOut).when(optIn).then(optedIn));
  it('is made by the wallet’s owner, who agrees to it with that', () =>
    past()
      .when({ ...create, agreed: optedIn.data })
      .then(created, optedIn));

  const tight = { single_tx_limit: '2', valid_until: '2030-06-01T00:00:00.000Z' };
  const tightened = { ...optedIn, data: { ...optedIn.data, terms: { ...terms, ...tight } } };
  it('is agreed to more tightly than proposed', () =>
    past(created)
      .when({ ...optIn, terms: tight })
      .then(tightened));
  it('is tightened while it is in force', () =>
    past(created, optedIn)
      .when({ ...optIn, terms: tight })
      .then(tightened));
  it('keeps what a person chose when they agree again without a word about it', () => {
    past(created, tightened).when(optIn).thenNothing();
    past(created, tightened, optedOut).when(optIn).then(optedIn);
  });
  it('may be agreed to as widely as proposed by a person who tightened it before', () =>
    past(created, tightened)
      .when({ ...optIn, terms: { ...terms } })
      .then({ ...optedIn, data: { ...optedIn.data, terms } }));
  it('is never agreed to more loosely than proposed, and every such term is reported', () => {
    const looser = {
      single_tx_limit: '3.0000001',
      cumulative_limit: '5.1',
      valid_from: '2028-12-31T23:59:59.999Z',
      valid_until: '2031-01-01T00:00:00.001Z',
      allowlist: [recipientId, 'rcp_other'],
    } as const;
    for (const events of [[created], [created, tightened], [created, optedOut]]) {
      const state = events.reduce(automationPolicy.evolve, automationPolicy.initial);
      expect(issuesOf(() => automationPolicy.decide({ ...optIn, terms: looser }, state))).toEqual(
        ['single_tx_limit', 'cumulative_limit', 'valid_from', 'valid_until', 'allowlist.1'].map((field) => [
          'looser_than_proposed',
          field,
        ]),
      );
    }
  });
  it('is not agreed to with terms that contradict each other', () => {
    const state = automationPolicy.evolve(automationPolicy.initial, created);
    const wish = { valid_from: '2030-05-01T00:00:00.000Z', valid_until: '2030-04-01T00:00:00.000Z' };
    expect(issuesOf(() => automationPolicy.decide({ ...optIn, terms: wish }, state))).toEqual([
      ['out_of_order', 'valid_until'],
    ]);
  });
  it('is agreed to anew when a recipient moved', () => {
    const payees = { [recipientId]: 'rcv_2' } as const;
    past(created, optedIn)
      .when({ ...optIn, payees })
      .then({ ...optedIn, data: { ...optedIn.data, payees } });
    past(created, optedIn)
      .when({ ...optIn, payees, version: 2 })
      .then({ ...optedIn, data: { ...optedIn.data, payees } });
    past(created, optedIn)
      .when({ ...optIn, payees, version: 1 })
      .thenRefused('version_conflict', { current_version: 2 });
  });
  it('is agreed to anew when a recipient moved and came back, and once where an older log does not tell', () => {
    const { activations: _none, ...before } = optedIn.data;
    const activations = { [recipientId]: 3 } as const;
    for (const agreed of [optedIn, { ...optedIn, data: before }]) {
      past(created, agreed)
        .when({ ...optIn, activations })
        .then({ ...optedIn, data: { ...optedIn.data, activations } });
    }
  });
  it('agrees to no version of a recipient that has none, or that nobody looked up', () =>
    past(created)
      .when({ ...optIn, payees: {} })
      .then({ ...optedIn, data: { ...optedIn.data, payees: { [recipientId]: null } } }));

  it('is declined', () => past(created).when(optOut).then(optedOut));
  it('is taken back', () => past(created, optedIn).when(optOut).then(optedOut));
  it('is revoked', () => past(created, optedIn).when(revoke).then(revoked));
  it('stays revoked', () => past(created, revoked).when(revoke).thenNothing());

  it('is changed', () => expect(decide([created], change)).toEqual([changed]));
  it('needs a new opt-in after a change', () => past(created, optedIn, changed).when(optIn).then(optedIn));
  it('is not changed by terms it has', () =>
    past(created, optedIn)
      .when({ ...change, terms, version: 2 })
      .thenNothing());
  it.each([
    ['the opt-in', [created, optedIn], { ...change, terms }],
    ['that it was made before', [created, changed], change],
  ])('refuses a change from an old version even to terms it has: who sends it has not seen %s', (_, events, command) =>
    past(...events)
      .when(command)
      .thenRefused('version_conflict', { current_version: 2 }),
  );
  it('is changed only from the version the operator saw', () =>
    past(created, optedIn).when(change).thenRefused('version_conflict', { current_version: 2 }));
  it('has the same version whatever is paid under it', () =>
    expect(decide([created, settled], change)).toEqual([changed]));
  it('is agreed to only as the person saw it', () =>
    past(created, changed)
      .when({ ...optIn, version: 1 })
      .thenRefused('version_conflict', { current_version: 2 }));

  it.each([change, optIn, optOut])('stays revoked ($kind)', (command) =>
    past(created, revoked).when(command).thenRefused('invalid_status_transition', { current_status: 'revoked' }),
  );
  it.each([change, revoke, optIn, optOut])('does not exist before it is proposed ($kind)', (command) =>
    past().when(command).thenRefused('resource_not_found'),
  );
  it.each([
    { ...change, merchantId: 'mer_other' },
    { ...revoke, merchantId: 'mer_other' },
    { ...optIn, deviceId: 'dev_other' },
    { ...optOut, deviceId: 'dev_other' },
  ] as const)('is not there for others ($kind)', (command) =>
    past(created).when(command).thenRefused('resource_not_found'),
  );

  const agreed = { ...optedIn.data, turn: 1 };
  const confirm = { kind: 'confirm', policyId, agreed, turn: 1, version: 1, at } as const;
  const counted = { type: 'AutomationPolicyOptedIn', data: agreed } as const;
  const replaced = {
    type: 'AutomationPolicyReplaced',
    data: { policy_id: policyId, merchant_id: merchantId, replaced_by: 'pol_new', replaced_at: at },
  } as const;
  const declined = {
    type: 'AutomationPolicyDeclined',
    data: { policy_id: policyId, merchant_id: merchantId, device_id: deviceId, declined_at: at },
  } as const;
  const lapsed = {
    type: 'AutomationPolicyOptInLapsed',
    data: { policy_id: policyId, merchant_id: merchantId, turn: 1, lapsed_at: at },
  } as const;

  it('is in force once the slot was taken for it', () => past(created).when(confirm).then(counted));
  it('is not agreed to as what it has become meanwhile', () => past(created, changed).when(confirm).then(lapsed));
  it('is agreed to once in a turn', () => {
    past(created, counted, optedOut).when(confirm).thenNothing();
    past(created, changed, lapsed).when(confirm).thenNothing();
  });
  it('is replaced while it is active, and ended by that', () => {
    const replace = { kind: 'replace', policyId, by: 'pol_new', turn: 2, at } as const;
    past(created, counted).when(replace).then(replaced);
    // Whoever finishes an earlier turn late does not end what was agreed to since.
    past(created, counted)
      .when({ ...replace, turn: 1 })
      .thenNothing();
    past(created, counted, optedOut).when(replace).thenNothing();
    for (const command of [change, optIn, optOut, decline])
      past(created, counted, replaced)
        .when(command)
        .thenRefused('invalid_status_transition', { current_status: 'replaced' });
    past(created, counted, replaced).when(revoke).thenNothing();
    past(created, counted, replaced)
      .when({ ...confirm, turn: 2, version: 3 })
      .then({
        ...lapsed,
        data: { ...lapsed.data, turn: 2 },
      });
  });
  it('is declined while nobody has agreed to it', () => {
    past(created).when(decline).then(declined);
    past(created, counted).when(decline).thenRefused('invalid_status_transition', { current_status: 'active' });
    past(created, declined).when(optIn).thenRefused('invalid_status_transition', { current_status: 'declined' });
    past(created)
      .when({ ...decline, deviceId: 'dev_other' })
      .thenRefused('resource_not_found');
  });
});

describe('the terms of a policy', () => {
  const at = '2030-01-01T00:00:00.000Z';
  const fields = (changes: object): [string, string][] =>
    termIssues({ ...terms, ...changes }, 'stellar_testnet', at).map(({ code, field }) => [code, field]);

  it('may be like this', () => expect(fields({})).toEqual([]));
  it('are all told what is wrong with them', () =>
    expect(fields({ single_tx_limit: '0.00000001', cumulative_limit: '1.12345678', valid_until: at })).toEqual([
      ['in_the_past', 'valid_until'],
      ['too_many_fraction_digits', 'single_tx_limit'],
      ['too_many_fraction_digits', 'cumulative_limit'],
    ]));
  it('do not end before they begin', () =>
    expect(fields({ valid_from: terms.valid_until })).toEqual([['out_of_order', 'valid_until']]));
});
