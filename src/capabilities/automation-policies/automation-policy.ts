import { assertNever } from '../../kernel/assert-never';
import { canonicalJson } from '../../kernel/canonical-json';
import { type Decider } from '../../kernel/decider';
import { type Refusal, refuse } from '../../kernel/errors';
import { type AutomationPolicyCreated, type AutomationPolicyEvent, type PolicyTerms } from './automation-policy.events';

type ByMerchant = Readonly<{ policyId: string; merchantId: string; at: string }>;
type ByDevice = Readonly<{ policyId: string; deviceId: string; at: string }>;

export type AutomationPolicyCommand = Readonly<
  | { kind: 'create'; policyId: string; created: AutomationPolicyCreated['data'] }
  | (ByMerchant & { kind: 'change'; version: number; terms: PolicyTerms })
  | (ByMerchant & { kind: 'revoke' })
  /** With the version the person was shown, if the wallet says which: nobody agrees to terms that changed meanwhile. */
  | (ByDevice & { kind: 'opt-in'; version: number | undefined })
  | (ByDevice & { kind: 'opt-out' })
>;

export const POLICY_STATUSES = ['awaiting_opt_in', 'active', 'opted_out', 'revoked'] as const;
export type PolicyStatus = (typeof POLICY_STATUSES)[number];

export type KnownPolicy = Readonly<{
  status: PolicyStatus;
  merchantId: string;
  connectionId: string;
  deviceId: string;
  network: string;
  terms: PolicyTerms;
  /** Counts changes of the policy itself. What is reserved under it does not count: an operator could never name it then. */
  version: number;
}>;
export type AutomationPolicyState = KnownPolicy | null;

/** What an agent may do alone, as its merchant proposes it and the wallet's owner agrees to it. */
export const automationPolicy: Decider<AutomationPolicyState, AutomationPolicyCommand, AutomationPolicyEvent> = {
  category: 'automation_policy',
  initial: null,

  decide(command, state) {
    if (command.kind === 'create') {
      return state === null ? [{ type: 'AutomationPolicyCreated', data: command.created }] : [];
    }
    // What is another's is as if it did not exist.
    const known = state !== null && isOf(command, state) ? state : undefined;
    if (known === undefined) throw refuse('resource_not_found');
    const names = { policy_id: command.policyId, merchant_id: known.merchantId };
    switch (command.kind) {
      case 'change':
        if (known.status === 'revoked') throw cannotMove(known);
        if (canonicalJson(command.terms) === canonicalJson(known.terms)) return [];
        if (command.version !== known.version) throw changedMeanwhile(known);
        return [{ type: 'AutomationPolicyChanged', data: { ...names, terms: command.terms, changed_at: command.at } }];
      case 'revoke':
        if (known.status === 'revoked') return [];
        return [{ type: 'AutomationPolicyRevoked', data: { ...names, revoked_at: command.at } }];
      case 'opt-in':
        if (known.status === 'revoked') throw cannotMove(known);
        if (known.status === 'active') return [];
        if (command.version !== undefined && command.version !== known.version) throw changedMeanwhile(known);
        return [
          {
            type: 'AutomationPolicyOptedIn',
            data: { ...names, device_id: command.deviceId, opted_in_at: command.at },
          },
        ];
      case 'opt-out':
        if (known.status === 'revoked') throw cannotMove(known);
        if (known.status === 'opted_out') return [];
        return [
          {
            type: 'AutomationPolicyOptedOut',
            data: { ...names, device_id: command.deviceId, opted_out_at: command.at },
          },
        ];
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case 'AutomationPolicyCreated': {
        const { merchant_id: merchantId, connection_id: connectionId, device_id: deviceId } = event.data;
        const { network, terms } = event.data;
        return { status: 'awaiting_opt_in', merchantId, connectionId, deviceId, network, terms, version: 1 };
      }
      case 'AutomationPolicyChanged':
        return { ...moved(state), status: 'awaiting_opt_in', terms: event.data.terms };
      case 'AutomationPolicyOptedIn':
        return { ...moved(state), status: 'active' };
      case 'AutomationPolicyOptedOut':
        return { ...moved(state), status: 'opted_out' };
      case 'AutomationPolicyRevoked':
        return { ...moved(state), status: 'revoked' };
      case 'AmountReserved':
      case 'AmountReleased':
      case 'AmountSettled':
        return state;
      default:
        return assertNever(event);
    }
  },
};

const isOf = (command: Exclude<AutomationPolicyCommand, { kind: 'create' }>, state: KnownPolicy): boolean =>
  'deviceId' in command ? state.deviceId === command.deviceId : state.merchantId === command.merchantId;

function moved(state: AutomationPolicyState): KnownPolicy {
  if (state === null) throw new Error('a policy changed before it was created');
  return { ...state, version: state.version + 1 };
}

const cannotMove = ({ status }: KnownPolicy): Refusal =>
  refuse('invalid_status_transition', { details: { current_status: status } });

const changedMeanwhile = ({ version }: KnownPolicy): Refusal =>
  refuse('version_conflict', { details: { current_version: version } });
