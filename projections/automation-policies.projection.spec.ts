import { type AutomationPolicyCreated } from '../src/events/automation-policy.events';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { someMetadata } from '../test/support/events';
import { type AutomationPolicyDocument, automationPoliciesProjection } from './automation-policies.projection';

const created: AutomationPolicyCreated = {
  type: 'AutomationPolicyCreated',
  data: {
    policy_id: 'pol_1',
    merchant_id: 'mer_1',
    connection_id: 'con_1',
    device_id: 'dev_1',
    agent_id: 'agt_1',
    network: 'stellar_testnet',
    asset: 'XLM',
    terms: {
      single_tx_limit: '1',
      cumulative_limit: '1',
      valid_from: '2030-01-01T00:00:00.000Z',
      valid_until: '2030-02-01T00:00:00.000Z',
      allowlist: [],
    },
    created_at: '2030-01-01T00:00:00.000Z',
  },
};

/** The document after it was created by one of that kind. */
function createdBy(kind: string): AutomationPolicyDocument {
  const metadata = { ...someMetadata(), actor: { kind, id: 'x' } };
  const event: RecordedEvent = { ...created, metadata, stream: 'automation_policy-pol_1', version: 1, position: 1n };
  const [step] = automationPoliciesProjection.project(event);
  return step?.next(undefined).document as AutomationPolicyDocument;
}

describe('automation policies', () => {
  it('belong to the merchant that made them, and count against its quota', () => {
    expect(createdBy('merchant_account').proposed_by).toBe('mer_1');
    expect(createdBy('api_key').proposed_by).toBe('mer_1');
  });

  it('do not count if a wallet made them: it could use up the merchant’s quota', () => {
    expect(createdBy('wallet_device').proposed_by).toBeNull();
  });
});
