import { refuse } from '../../kernel/errors';
import { type Threshold } from '../../events/agent-payment.events';
import { asHitlRefusal, nearestRefusal, type PolicyRefusal, policyRefusalIn } from './nearest-refusal';
import { type PolicyId } from '../../kernel/aggregates';

const of = (policyId: PolicyId, ...triggered: Threshold[]): PolicyRefusal => ({ policyId, triggered });

describe('what is reported when every policy refuses', () => {
  it.each<[string, PolicyRefusal[], string]>([
    ['the fewest reasons', [of('pol_a', 'single_tx_limit', 'allowlist'), of('pol_b', 'allowlist')], 'pol_b'],
    ['the first asked of equals', [of('pol_a', 'single_tx_limit'), of('pol_b', 'cumulative_limit')], 'pol_a'],
    [
      'what is valid now before what is not',
      [of('pol_a', 'validity_window'), of('pol_b', 'single_tx_limit', 'cumulative_limit', 'allowlist')],
      'pol_b',
    ],
    [
      'what is active before what is not',
      [of('pol_a', 'no_active_policy'), of('pol_b', 'single_tx_limit', 'allowlist')],
      'pol_b',
    ],
    [
      'the fewest reasons of those that are not valid',
      [of('pol_a', 'allowlist', 'validity_window'), of('pol_b', 'validity_window')],
      'pol_b',
    ],
  ])('is %s', (_, refusals, policyId) => expect(nearestRefusal(refusals).policyId).toBe(policyId));

  it('is that there is none, without one', () => {
    const { code, details } = asHitlRefusal(nearestRefusal([]));
    expect([code, details]).toEqual(['HC_NC_5_HITL_REQUIRED', { triggered_thresholds: ['no_active_policy'] }]);
  });

  it('is read from nothing but a refusal of a policy', () => {
    const refusal = of('pol_a', 'allowlist');
    expect(policyRefusalIn(asHitlRefusal(refusal))).toEqual(refusal);
    expect([refuse('IDEMPOTENCY_KEY_REUSED'), new Error('x')].map(policyRefusalIn)).toEqual([undefined, undefined]);
  });
});
