import { notFollowed } from '../src/kernel/assert-never';
import {
  type AutomationPolicyEvent,
  type Activations,
  type Payees,
  type PolicyTerms,
} from '../src/events/automation-policy.events';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { addAmounts, subtractAmounts } from '../src/kernel/amounts';
import { change, collection, create, ignored, type Projection, type Step } from '../src/platform/read-model/projection';
import {
  type AgentId,
  type ConnectionId,
  type MerchantId,
  type PolicyId,
  type WalletDeviceId,
} from '../src/kernel/aggregates';

export type AutomationPolicyDocument = PolicyTerms &
  Readonly<{
    id: PolicyId;
    merchant_id: MerchantId;
    /** The merchant, if it made the policy; null if the wallet did: those do not count against the merchant's limit. */
    proposed_by: MerchantId | null;
    connection_id: ConnectionId;
    device_id: WalletDeviceId;
    agent_id: AgentId;
    network: string;
    asset: string;
    status: 'awaiting_opt_in' | 'active' | 'opted_out' | 'declined' | 'replaced' | 'revoked';
    /** The widest terms that may be agreed to; the document's own terms are those in force. */
    proposed: PolicyTerms;
    /** The recipient versions agreed to; null if any is, or none yet. */
    payees: Payees | null;
    /** How many versions each recipient had activated by then; null if irrelevant, or if none is agreed to yet. */
    activations: Activations | null;
    /** What may still be paid, and what was broadcasted or paid. */
    reserved: string;
    spent: string;
    /** The policy whose place it took, and the one that took its place. */
    replaces: PolicyId | null;
    replaced_by: PolicyId | null;
    /** While it is proposed or in force; null keeps it out of the indexes that limits are counted by. */
    in_use: true | null;
    opted_in_at: string | null;
    created_at: string;
    updated_at: string;
    version: number;
    /** How many times an amount was reserved. */
    reservations: number;
    /** True once its stream takes long to read; null keeps it out of the index. */
    long: true | null;
  }>;

const LONG_STREAM_RESERVATIONS = 1_000;

export const automationPolicies = collection<AutomationPolicyDocument>('automation_policies', {
  by_merchant: { equals: ['merchant_id'], sort: 'created_at' },
  by_merchant_and_connection: { equals: ['merchant_id', 'connection_id'], sort: 'created_at' },
  by_proposer: { equals: ['proposed_by'], sort: 'created_at' },
  by_device: { equals: ['device_id'], sort: 'created_at' },
  by_device_and_connection: { equals: ['device_id', 'connection_id'], sort: 'created_at' },
  in_force: { equals: ['connection_id', 'network', 'asset', 'status'], sort: 'created_at' },
  long: { equals: ['long'], sort: 'created_at' },
  in_use_of_proposer: { equals: ['proposed_by', 'in_use'], sort: 'created_at' },
  in_use_of_connection: { equals: ['connection_id', 'merchant_id', 'in_use'], sort: 'created_at' },
  in_use_of_device: { equals: ['connection_id', 'device_id', 'in_use'], sort: 'created_at' },
});

export const automationPoliciesProjection: Projection = {
  name: 'automation-policies',
  version: 6,
  collections: [automationPolicies],
  project: (recorded) => steps(recorded as RecordedEvent & AutomationPolicyEvent),
};

function steps({ type, data, metadata }: RecordedEvent & AutomationPolicyEvent): readonly Step[] {
  switch (type) {
    case 'AutomationPolicyCreated': {
      const { policy_id: id, terms, created_at, idempotency_key: _key, intent_digest: _intent, ...about } = data;
      return [
        create(automationPolicies, {
          id,
          ...about,
          ...terms,
          proposed_by: metadata.actor.kind === 'wallet_device' ? null : about.merchant_id,
          proposed: terms,
          payees: null,
          activations: null,
          status: 'awaiting_opt_in',
          reserved: '0',
          spent: '0',
          replaces: null,
          replaced_by: null,
          in_use: true,
          opted_in_at: null,
          created_at,
          updated_at: created_at,
          version: 1,
          reservations: 0,
          long: null,
        }),
      ];
    }
    case 'AutomationPolicyChanged':
      return [
        move(data.policy_id, data.changed_at, {
          ...data.terms,
          proposed: data.terms,
          payees: null,
          activations: null,
          status: 'awaiting_opt_in',
          opted_in_at: null,
          in_use: true,
        }),
      ];
    case 'AutomationPolicyOptedIn':
      return [
        move(data.policy_id, data.opted_in_at, {
          ...data.terms,
          payees: data.payees ?? null,
          activations: data.activations ?? null,
          status: 'active',
          opted_in_at: data.opted_in_at,
          ...(data.replaces === undefined ? {} : { replaces: data.replaces }),
          in_use: true,
        }),
      ];
    case 'AutomationPolicyOptedOut':
      return [move(data.policy_id, data.opted_out_at, { status: 'opted_out', opted_in_at: null, in_use: null })];
    case 'AutomationPolicyRevoked':
      return [move(data.policy_id, data.revoked_at, { status: 'revoked', in_use: null })];
    case 'AutomationPolicyReplaced': {
      const { replaced_by, replaced_at } = data;
      return [move(data.policy_id, replaced_at, { status: 'replaced', replaced_by, in_use: null })];
    }
    case 'AutomationPolicyDeclined':
      return [move(data.policy_id, data.declined_at, { status: 'declined', opted_in_at: null, in_use: null })];
    case 'AutomationPolicyOptInLapsed':
      return ignored;
    case 'AmountReserved':
      return [reserve(data.policy_id, data.amount)];
    case 'AmountReleased':
      return [giveBack(data.policy_id, data.was_broadcasted ? 'spent' : 'reserved', data.amount)];
    case 'AmountSettled':
      return data.was_broadcasted ? [] : [spend(data.policy_id, data.amount)];
    case 'AmountBroadcasted':
      return [spend(data.policy_id, data.amount)];
    case 'AmountSpentLate':
      return [
        change(automationPolicies, data.policy_id, (policy) => ({
          ...policy,
          spent: addAmounts(policy.spent, data.amount),
        })),
      ];
    default:
      return notFollowed(type, ignored);
  }
}

const move = (policyId: PolicyId, at: string, changes: Partial<AutomationPolicyDocument>): Step =>
  change(automationPolicies, policyId, (policy) => ({
    ...policy,
    ...changes,
    updated_at: at,
    version: policy.version + 1,
  }));

const reserve = (policyId: PolicyId, amount: string): Step =>
  change(automationPolicies, policyId, (policy): AutomationPolicyDocument => {
    const reservations = policy.reservations + 1;
    const reserved = addAmounts(policy.reserved, amount);
    return { ...policy, reserved, reservations, long: reservations >= LONG_STREAM_RESERVATIONS ? true : null };
  });

/** Gives the amount back from where it counted. */
const giveBack = (policyId: PolicyId, where: 'reserved' | 'spent', amount: string): Step =>
  change(automationPolicies, policyId, (policy) => ({ ...policy, [where]: subtractAmounts(policy[where], amount) }));

const spend = (policyId: PolicyId, amount: string): Step =>
  change(automationPolicies, policyId, (policy) => ({
    ...policy,
    reserved: subtractAmounts(policy.reserved, amount),
    spent: addAmounts(policy.spent, amount),
  }));
