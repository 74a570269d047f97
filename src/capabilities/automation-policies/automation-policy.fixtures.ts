import { type AutomationPolicyCommand } from './automation-policy';
import { type AutomationPolicyEvent, type PolicyTerms } from '../../events/automation-policy.events';

export const policyId = 'pol_01JZZZZZZZZZZZZZZZZZZZZZZZ';
export const merchantId = 'mer_01JZZZZZZZZZZZZZZZZZZZZZZZ';
export const deviceId = 'dev_01JZZZZZZZZZZZZZZZZZZZZZZZ';
export const recipientId = 'rcp_01JZZZZZZZZZZZZZZZZZZZZZZZ';
export const at = '2030-01-01T00:00:00.000Z';
const names = { policy_id: policyId, merchant_id: merchantId } as const;

export const terms: PolicyTerms = {
  single_tx_limit: '3',
  cumulative_limit: '5',
  valid_from: '2029-01-01T00:00:00.000Z',
  valid_until: '2031-01-01T00:00:00.000Z',
  allowlist: [recipientId],
};
export const otherTerms: PolicyTerms = { ...terms, cumulative_limit: '50' };

type Of<Kind extends AutomationPolicyCommand['kind']> = Extract<AutomationPolicyCommand, { kind: Kind }>;

const data = {
  ...names,
  connection_id: 'con_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  device_id: deviceId,
  agent_id: 'agt_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  network: 'stellar_testnet',
  asset: 'XLM',
  terms,
  created_at: at,
} as const;

export const create: Of<'create'> = { kind: 'create', policyId, created: data };
export const change: Of<'change'> = { kind: 'change', policyId, merchantId, version: 1, terms: otherTerms, at };
export const revoke: Of<'revoke'> = { kind: 'revoke', policyId, merchantId, at };
export const optIn: Of<'opt-in'> = {
  kind: 'opt-in',
  policyId,
  deviceId,
  version: undefined,
  terms: {},
  payees: { [recipientId]: 'rcv_1' },
  activations: { [recipientId]: 1 },
  at,
};
export const optOut = { kind: 'opt-out', policyId, deviceId, at } as const;
export const decline = { kind: 'decline', policyId, deviceId, at } as const;

export const created: AutomationPolicyEvent = { type: 'AutomationPolicyCreated', data };
export const changed: AutomationPolicyEvent = {
  type: 'AutomationPolicyChanged',
  data: { ...names, terms: otherTerms, changed_at: at },
};
export const revoked: AutomationPolicyEvent = { type: 'AutomationPolicyRevoked', data: { ...names, revoked_at: at } };
export const optedIn = {
  type: 'AutomationPolicyOptedIn',
  data: { ...names, device_id: deviceId, opted_in_at: at, payees: optIn.payees, activations: optIn.activations },
} as const satisfies AutomationPolicyEvent;
export const optedOut: AutomationPolicyEvent = {
  type: 'AutomationPolicyOptedOut',
  data: { ...names, device_id: deviceId, opted_out_at: at },
};
export const settled: AutomationPolicyEvent = {
  type: 'AmountSettled',
  data: { ...names, payment_id: 'ap_1', reservation_id: 'rsv_1', amount: '1', settled_at: at },
};
