import { refuse } from '../../kernel/errors';
import { type Threshold } from '../../events/agent-payment.events';
import { asHitlRefusal, nearestRefusal, type PolicyRefusal, policyRefusalIn } from './nearest-refusal';

const of = (policyId: string, ...triggered: Threshold[]): PolicyRefusal => ({ policyId, triggered });

describe('what is told when every policy refuses', () => {
  it.each<[string, PolicyRefusal[], string]>([
    ['the fewest reasons', [of('a', 'single_tx_limit', 'allowlist'), of('b', 'allowlist')], 'b'],
    ['the first asked of equals', [of('a', 'single_tx_limit'), of('b', 'cumulative_limit')], 'a'],
    [
      'what is valid now before what is not',
      [of('a', 'validity_window'), of('b', 'single_tx_limit', 'cumulative_limit', 'allowlist')],
      'b',
    ],
    ['what is active before what is not', [of('a', 'no_active_policy'), of('b', 'single_tx_limit', 'allowlist')], 'b'],
    [
      'the fewest reasons of those that are not valid',
      [of('a', 'allowlist', 'validity_window'), of('b', 'validity_window')],
      'b',
    ],
  ])('is %s', (_, refusals, policyId) => expect(nearestRefusal(refusals).policyId).toBe(policyId));

  it('is that there is none, without one', () => {
    const { code, details } = asHitlRefusal(nearestRefusal([]));
    expect([code, details]).toEqual(['HC_NC_5_HITL_REQUIRED', { triggered_thresholds: ['no_active_policy'] }]);
  });

  it('is read from nothing but a refusal of a policy', () => {
    const refusal = of('a', 'allowlist');
    expect(policyRefusalIn(asHitlRefusal(refusal))).toEqual(refusal);
    expect([refuse('IDEMPOTENCY_KEY_REUSED'), new Error('x')].map(policyRefusalIn)).toEqual([undefined, undefined]);
  });
});
