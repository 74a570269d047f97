import fc from 'fast-check';
import { given } from '../../../test/support/given';
import { compareAmounts, addAmounts } from '../../kernel/amounts';
import { Refusal } from '../../kernel/errors';
import { countedIn } from '../../kernel/policy-totals';
import { type AutomationPolicyEvent } from '../../events/automation-policy.events';
import { policyBudget, type PolicyBudget } from './policy-budget';
import {
  changedTo,
  optedIn,
  optedOut,
  proposed,
  release,
  released,
  reserve,
  reserved,
  revokedPolicy,
  settle,
  settled,
  terms,
} from './policy-budget.fixtures';

const past = given(policyBudget);
const triggered = (...names: string[]) => ['HC_NC_5_HITL_REQUIRED', { triggered_thresholds: names }] as const;
const other = { payment_id: 'ap_other', intent_digest: 'sha256:2' } as const;

describe('the budget of a policy', () => {
  it('takes what fits', () => past(proposed, optedIn).when(reserve()).then(reserved()));
  it('takes up to the limits, to the last digit', () => {
    past(proposed, optedIn)
      .when(reserve({ amount: '3' }))
      .then(reserved({ amount: '3' }));
    past(proposed, optedIn, reserved())
      .when(reserve({ ...other, amount: '2.5000000' }, 'rsv_2'))
      .then(reserved({ ...other, amount: '2.5000000' }, 'rsv_2'));
  });

  it.each([
    [{ amount: '3.0000001' }, ['single_tx_limit']],
    [{ amount: '5.0000001' }, ['single_tx_limit', 'cumulative_limit']],
    [{ created_at: '2028-12-31T23:59:59.999Z' }, ['validity_window']],
    [{ created_at: terms.valid_until }, ['validity_window']],
    [{ recipient_id: 'rcp_other' }, ['allowlist']],
    [{ connection_id: 'con_other', amount: '99' }, ['no_active_policy']],
    [{ merchant_id: 'mer_other' }, ['no_active_policy']],
    [{ facts: { ...reserve().payment.facts, network: 'stellar_public' } }, ['no_active_policy']],
    [{ facts: { ...reserve().payment.facts, asset: 'USDC' } }, ['no_active_policy']],
    [
      { amount: '6', created_at: '2040-01-01T00:00:00.000Z', recipient_id: 'rcp_other' },
      ['single_tx_limit', 'cumulative_limit', 'validity_window', 'allowlist'],
    ],
  ] as const)('refuses %j and says all of why', (changes, names) =>
    past(proposed, optedIn)
      .when(reserve(changes))
      .thenRefused(...triggered(...names)),
  );
  it('refuses what no longer fits beside the rest', () =>
    past(proposed, optedIn, reserved())
      .when(reserve({ ...other, amount: '2.5000001' }))
      .thenRefused(...triggered('cumulative_limit')));
  it.each([
    ['nobody proposed', []],
    ['nobody opted in to', [proposed]],
    ['somebody opted out of', [proposed, optedIn, optedOut]],
    ['was revoked', [proposed, optedIn, revokedPolicy]],
    ['has other terms since', [proposed, optedIn, changedTo({ cumulative_limit: '50' })]],
  ])('is not there of a policy that %s', (_, events) =>
    past(...events)
      .when(reserve())
      .thenRefused(...triggered('no_active_policy')),
  );
  it('reports that the policy is not active along with the other reasons', () =>
    past(proposed)
      .when(reserve({ amount: '4' }))
      .thenRefused(...triggered('single_tx_limit', 'no_active_policy')));

  const agreedTo = (data: object): typeof optedIn =>
    ({ ...optedIn, data: { ...optedIn.data, ...data } }) as typeof optedIn;
  it('keeps to what a person chose, not to what was proposed', () =>
    past(proposed, agreedTo({ terms: { ...terms, single_tx_limit: '1' } }))
      .when(reserve())
      .thenRefused(...triggered('single_tx_limit')));
  it('pays the version of a recipient that was agreed to, and no other', () => {
    const { recipient_id, recipient_version_id } = reserve().payment;
    past(proposed, agreedTo({ payees: { [recipient_id]: recipient_version_id } }))
      .when(reserve())
      .then(reserved());
    for (const version of ['rcv_other', null]) {
      past(proposed, agreedTo({ payees: { [recipient_id]: version } }))
        .when(reserve())
        .thenRefused(...triggered('allowlist'));
    }
  });

  it('pays no version that was replaced since, even if it came back', () => {
    const { recipient_id, recipient_version_id } = reserve().payment;
    const agreed = agreedTo({
      payees: { [recipient_id]: recipient_version_id },
      activations: { [recipient_id]: 1 },
    });
    past(proposed, agreed)
      .when(reserve({ recipient_activations: 1 }))
      .then(reserved({ recipient_activations: 1 }));
    past(proposed, agreed)
      .when(reserve({ recipient_activations: 3 }))
      .thenRefused(...triggered('allowlist'));
  });

  it('keeps what is spent over a change of terms', () =>
    past(proposed, optedIn, reserved(), changedTo({ single_tx_limit: '4' }), optedIn)
      .when(reserve({ ...other, amount: '2.6' }))
      .thenRefused(...triggered('cumulative_limit')));

  it('takes one amount for one payment', () =>
    past(proposed, optedIn, reserved()).when(reserve({}, 'rsv_2')).thenNothing());
  it('does not take it for another intent under the same key', () =>
    past(proposed, optedIn, reserved())
      .when(reserve({ intent_digest: 'sha256:2' }))
      .thenRefused('IDEMPOTENCY_KEY_REUSED'));

  it('gets an amount back', () => past(proposed, optedIn, reserved()).when(release).then(released));
  it('takes it again afterwards', () =>
    past(proposed, optedIn, reserved({ ...other, amount: '3' }), reserved(), released)
      .when(reserve({ amount: '2.0000000' }, 'rsv_2'))
      .then(reserved({ amount: '2.0000000' }, 'rsv_2')));
  it('gets it back once', () => past(proposed, optedIn, reserved(), released).when(release).thenNothing());
  it('gets back only what this reservation took', () =>
    past(proposed, optedIn, reserved({}, 'rsv_2')).when(release).thenNothing());
  it('gets it back also after the policy has ended', () =>
    past(proposed, optedIn, reserved(), revokedPolicy).when(release).then(released));
  it('settles what is paid', () => past(proposed, optedIn, reserved()).when(settle).then(settled));
  it('gets nothing back of what is settled', () =>
    past(proposed, optedIn, reserved(), settled).when(release).thenNothing());

  const first = reserved() as Extract<AutomationPolicyEvent, { type: 'AmountReserved' }>;
  const closing = {
    policy_id: first.data.policy_id,
    merchant_id: first.data.merchant_id,
    payment_id: first.data.payment_id,
    reservation_id: first.data.reservation_id,
    amount: first.data.amount,
  };
  const broadcast = { ...settle, kind: 'broadcast' } as const;
  const spendLate = { ...settle, kind: 'spend-late', amount: '2' } as const;
  const event = (type: 'AmountBroadcasted' | 'AmountSpentLate', at: object): AutomationPolicyEvent =>
    ({ type, data: { ...closing, ...at } }) as AutomationPolicyEvent;
  const onItsWay = event('AmountBroadcasted', { broadcasted_at: settle.at });
  const spentLate = event('AmountSpentLate', { spent_at: settle.at });
  const totals = (...events: readonly AutomationPolicyEvent[]) => {
    const state = events.reduce(policyBudget.evolve, policyBudget.initial);
    return [state?.reserved, state?.spent];
  };
  it('counts what is on its way as spent, and gives it back if it fails after all', () => {
    past(proposed, optedIn, first).when(broadcast).then(onItsWay);
    expect(totals(proposed, optedIn, first)).toEqual(['2.5', '0']);
    expect(totals(proposed, optedIn, first, onItsWay)).toEqual(['0', '2.5']);
    expect(totals(proposed, optedIn, first, settled)).toEqual(['0', '2.5']);
    const failed = { ...released, data: { ...released.data, was_broadcasted: true } } as AutomationPolicyEvent;
    past(proposed, optedIn, first, onItsWay).when(release).then(failed);
    expect(totals(proposed, optedIn, first, onItsWay, failed)).toEqual(['0', '0']);
  });

  it('counts money that moved late once, although the policy has ended', () => {
    const late = { ...spendLate, amount: closing.amount };
    past(proposed, optedIn, first, released, optedOut).when(late).then(spentLate);
    past(proposed, optedIn, first, released, spentLate).when(late).thenNothing();
    past(proposed, optedIn, first).when(late).thenNothing();
    expect(totals(proposed, optedIn, first, released, optedOut, spentLate)).toEqual(['0', '2.5']);
  });

  it('refuses once it is replaced', () => {
    const by = 'pol_other' as const;
    const ids = { policy_id: closing.policy_id, merchant_id: closing.merchant_id };
    const data = { ...ids, replaced_by: by, replaced_at: settle.at };
    past(proposed, optedIn, { type: 'AutomationPolicyReplaced', data })
      .when(reserve())
      .thenRefused('HC_NC_5_HITL_REQUIRED', { triggered_thresholds: ['no_active_policy'] });
  });

  it('never goes over its limit and is always the sum of what was taken and not given back', () => {
    const step = fc.record({
      id: fc.integer({ min: 0, max: 6 }),
      cents: fc.integer({ min: 1, max: 250 }),
      what: fc.constantFrom('reserve', 'broadcast', 'release', 'settle'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const start = [proposed, optedIn].reduce(policyBudget.evolve, policyBudget.initial);
        let state = start as NonNullable<PolicyBudget>;
        const held = new Map<string, { amount: string; settled: boolean }>();
        for (const { id, cents, what } of steps) {
          const payment_id = `ap_${id}` as const;
          const amount = (cents / 100).toFixed(2);
          const known = held.get(payment_id);
          const command =
            what === 'reserve'
              ? reserve({ payment_id, amount }, `rsv_${id}`)
              : {
                  ...(what === 'release' ? release : { ...settle, kind: what }),
                  paymentId: payment_id,
                  reservationId: `rsv_${id}` as const,
                };
          // A settled payment is permanent, so its key never reserves again.
          if (what === 'reserve' && known?.settled) continue;
          try {
            const events = policyBudget.decide(command, state);
            state = events.reduce(policyBudget.evolve, state) as typeof state;
            if (events.length === 0) continue;
            if (what === 'reserve') held.set(payment_id, { amount, settled: false });
            if (what === 'release') held.delete(payment_id);
            if (what === 'settle') held.set(payment_id, { amount: known?.amount ?? '', settled: true });
          } catch (error) {
            if (!(error instanceof Refusal)) throw error;
          }
          const sum = [...held.values()].reduce((total, entry) => addAmounts(total, entry.amount), '0');
          expect(countedIn(state)).toBe(sum);
          expect(compareAmounts(sum, terms.cumulative_limit)).toBeLessThanOrEqual(0);
          expect(state.open.size).toBe([...held.values()].filter((entry) => !entry.settled).length);
        }
      }),
    );
  });
});
