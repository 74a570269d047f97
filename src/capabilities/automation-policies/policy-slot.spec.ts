import { given } from '../../../test/support/given';
import { deviceId, merchantId, policyId } from './automation-policy.fixtures';
import { type HolderNow, policySlot, type TakeSlot } from './policy-slot';
import { type PolicySlotEvent } from '../../events/policy-slot.events';
import { type PolicyId } from '../../kernel/aggregates';

const at = '2030-01-01T00:00:00.000Z';
const slotId = 'psl_1';
const connectionId = 'con_1';
const other = 'pol_other';
const past = given(policySlot);

const taking = (policy_id: PolicyId): TakeSlot['taking'] => ({
  merchant_id: merchantId,
  connection_id: connectionId,
  network: 'stellar_testnet',
  asset: 'XLM',
  policy_id,
  created: null,
  agreed: { policy_id, merchant_id: merchantId, device_id: deviceId, opted_in_at: at },
  policy_version: 1,
  taken_at: at,
});
const take = (seen: number, holder: HolderNow, replaces?: PolicyId): TakeSlot => ({
  slotId,
  seen,
  holder,
  replaces,
  taking: taking(policyId),
});
const taken = (turn: number, policy: PolicyId = policyId, replaces: PolicyId | null = null): PolicySlotEvent => ({
  type: 'PolicySlotTaken',
  data: { slot_id: slotId, ...taking(policy), turn, replaces },
});
const counting = { policyId: other, counts: true, isOver: false } as const;

describe('the slot of a connection, network and asset', () => {
  it('is free at first', () => past().when(take(0, null)).then(taken(1)));
  it('is refused while another policy counts', () =>
    past(taken(1, other)).when(take(1, counting)).thenRefused('policy_already_active', { policy_id: other }));
  it('is refused while another than the named one counts', () =>
    past(taken(1, other))
      .when(take(1, counting, 'pol_third'))
      .thenRefused('policy_already_active', { policy_id: other }));
  it('passes on to the policy that replaces the one that counts', () =>
    past(taken(1, other))
      .when(take(1, counting, other))
      .then(taken(2, policyId, other)));
  it('passes on when the policy has ended, which needs no replacing', () =>
    past(taken(1, other))
      .when(take(1, { ...counting, counts: false }, other))
      .then(taken(2)));
  it('passes on when the time of the policy is over, which ends it', () =>
    past(taken(1, other))
      .when(take(1, { policyId: other, counts: false, isOver: true }))
      .then(taken(2, policyId, other)));
  it('is taken again by the same policy, for other terms', () =>
    past(taken(1))
      .when(take(1, { policyId, counts: true, isOver: false }))
      .then(taken(2)));
  it('is not taken by a call that has not seen the last turn', () =>
    past(taken(1, other), taken(2, 'pol_third'))
      .when(take(1, { ...counting, counts: false }))
      .thenNothing());
  it('is not refused to a call that has not seen the last turn: it looks again', () =>
    past(taken(1, other), taken(2)).when(take(1, counting)).thenNothing());
});
