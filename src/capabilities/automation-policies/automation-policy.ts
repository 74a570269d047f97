import { assertNever } from '../../kernel/assert-never';
import { canonicalJson } from '../../kernel/canonical-json';
import { type Decider } from '../../kernel/decider';
import { type MaybeUnderKey, repeated, underKey } from '../../kernel/made-under-key';
import { type Refusal, refuse, refuseInput } from '../../kernel/errors';
import {
  type Activations,
  type AutomationPolicyCreated,
  type AutomationPolicyEvent,
  type AutomationPolicyOptedIn,
  type Payees,
  type PolicyTerms,
} from '../../events/automation-policy.events';
import { looserIssues, termIssues } from './policy-terms';
import { type ConnectionId, type WalletDeviceId, type MerchantId, type PolicyId } from '../../kernel/aggregates';

type Agreed = AutomationPolicyOptedIn['data'];
type ByMerchant = Readonly<{ policyId: PolicyId; merchantId: MerchantId; at: string }>;
type ByDevice = Readonly<{ policyId: PolicyId; deviceId: WalletDeviceId; at: string }>;

export type AutomationPolicyCommand = Readonly<
  /** With `agreed`, the wallet's owner created it and thereby agreed to it. */
  | { kind: 'create'; policyId: PolicyId; created: AutomationPolicyCreated['data']; agreed?: Agreed }
  | (ByMerchant & { kind: 'change'; version: number; terms: PolicyTerms })
  | (ByMerchant & { kind: 'revoke' })
  /** What was agreed to, at the version that the person agreed to, once the slot was taken for it. */
  | { kind: 'confirm'; policyId: PolicyId; agreed: Agreed; turn: number; version: number; at: string }
  /** `turn`: the one that replaces it. */
  | { kind: 'replace'; policyId: PolicyId; by: PolicyId; turn: number; at: string }
  /** With the version the person was shown, if the wallet sends it: nobody agrees to terms that changed meanwhile. */
  | (ByDevice & {
      kind: 'opt-in';
      version: number | undefined;
      /** The recipient versions that the person was shown, if the wallet sends them. */
      shownVersions?: readonly string[] | undefined;
      terms: Partial<PolicyTerms>;
      payees: Payees;
      activations: Activations;
    })
  | (ByDevice & { kind: 'opt-out' | 'decline' })
>;

export const POLICY_STATUSES = ['awaiting_opt_in', 'active', 'opted_out', 'declined', 'replaced', 'revoked'] as const;
export type PolicyStatus = (typeof POLICY_STATUSES)[number];

export type KnownPolicy = Readonly<{
  status: PolicyStatus;
  merchantId: MerchantId;
  connectionId: ConnectionId;
  deviceId: WalletDeviceId;
  network: string;
  asset: string;
  /** The terms that apply once agreed to. */
  terms: PolicyTerms;
  /** The loosest terms that may be agreed to. */
  proposed: PolicyTerms;
  payees: Payees | undefined;
  activations: Activations | undefined;
  /** Counts changes to the policy itself, not reservations: otherwise an operator could never name the current one. */
  version: number;
  /** The last turn of the slot that was taken for it, and whether it came to count by that. */
  turn: Readonly<{ number: number; lapsed: boolean }>;
  under: MaybeUnderKey;
}>;
export type AutomationPolicyState = KnownPolicy | null;

/** What an agent may do alone, as proposed by its merchant and agreed to by the wallet's owner. */
export const automationPolicy: Decider<AutomationPolicyState, AutomationPolicyCommand, AutomationPolicyEvent> = {
  category: 'automation_policy',
  initial: null,

  decide(command, state) {
    if (command.kind === 'create') {
      if (state !== null) return repeated(state.under, command.created);
      const { created: made, agreed } = command;
      const isAgreed = agreed === undefined ? [] : [{ type: 'AutomationPolicyOptedIn', data: agreed } as const];
      return [{ type: 'AutomationPolicyCreated', data: made }, ...isAgreed];
    }
    if (command.kind === 'confirm') return confirm(command, created(state));
    if (command.kind === 'replace') return replace(command, created(state));
    // Treat what belongs to someone else as nonexistent.
    const known = state !== null && isOf(command, state) ? state : undefined;
    if (known === undefined) throw refuse('resource_not_found');
    const names = { policy_id: command.policyId, merchant_id: known.merchantId };
    switch (command.kind) {
      case 'change':
        if (isEnded(known)) throw cannotMove(known);
        if (command.version !== known.version) throw changedMeanwhile(known);
        if (canonicalJson(command.terms) === canonicalJson(known.terms)) return [];
        return [{ type: 'AutomationPolicyChanged', data: { ...names, terms: command.terms, changed_at: command.at } }];
      case 'revoke':
        if (isEnded(known)) return [];
        return [{ type: 'AutomationPolicyRevoked', data: { ...names, revoked_at: command.at } }];
      case 'opt-in':
        if (isEnded(known)) throw cannotMove(known);
        return optIn(command, known);
      case 'opt-out':
        if (isEnded(known)) throw cannotMove(known);
        if (known.status === 'opted_out') return [];
        return [
          {
            type: 'AutomationPolicyOptedOut',
            data: { ...names, device_id: command.deviceId, opted_out_at: command.at },
          },
        ];
      case 'decline': {
        if (known.status === 'declined') return [];
        // What a person has agreed to is ended by opting out.
        if (isEnded(known) || known.status === 'active') throw cannotMove(known);
        const { deviceId: device_id, at: declined_at } = command;
        return [{ type: 'AutomationPolicyDeclined', data: { ...names, device_id, declined_at } }];
      }
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case 'AutomationPolicyCreated': {
        const { merchant_id: merchantId, connection_id: connectionId, device_id: deviceId } = event.data;
        const { network, asset, terms } = event.data;
        const about = { merchantId, connectionId, deviceId, network, asset };
        return {
          ...about,
          status: 'awaiting_opt_in',
          terms,
          proposed: terms,
          payees: undefined,
          activations: undefined,
          version: 1,
          turn: { number: 0, lapsed: false },
          under: underKey(event.data),
        };
      }
      case 'AutomationPolicyChanged':
        return { ...moved(state), status: 'awaiting_opt_in', terms: event.data.terms, proposed: event.data.terms };
      case 'AutomationPolicyOptedIn': {
        const policy = moved(state);
        const { terms = policy.terms, payees, activations, turn: number = policy.turn.number } = event.data;
        return { ...policy, status: 'active', terms, payees, activations, turn: { number, lapsed: false } };
      }
      case 'AutomationPolicyOptedOut':
        return { ...moved(state), status: 'opted_out' };
      case 'AutomationPolicyRevoked':
        return { ...moved(state), status: 'revoked' };
      case 'AutomationPolicyReplaced':
        return { ...moved(state), status: 'replaced' };
      case 'AutomationPolicyDeclined':
        return { ...moved(state), status: 'declined' };
      case 'AutomationPolicyOptInLapsed':
        return { ...created(state), turn: { number: event.data.turn, lapsed: true } };
      case 'AmountReserved':
      case 'AmountReleased':
      case 'AmountSettled':
      case 'AmountBroadcasted':
      case 'AmountSpentLate':
        return state;
      default:
        return assertNever(event);
    }
  },
};

/**
 * Agreeing again changes something only with other terms, or after a recipient's version changed. What a person chose
 * before stays until they choose again: agreeing without terms never loosens anything.
 */
function optIn(
  command: Extract<AutomationPolicyCommand, { kind: 'opt-in' }>,
  known: KnownPolicy,
): readonly AutomationPolicyEvent[] {
  const { policyId, deviceId, at } = command;
  const terms = { ...known.terms, ...command.terms };
  const payees = Object.fromEntries(terms.allowlist.map((id) => [id, command.payees[id] ?? null]));
  const isOther = canonicalJson(terms) !== canonicalJson(known.terms);
  const activations = Object.fromEntries(terms.allowlist.map((id) => [id, command.activations[id] ?? 0]));
  const inForce = { payees, activations };
  const hasMoved =
    canonicalJson(inForce) !== canonicalJson({ payees: known.payees ?? null, activations: known.activations ?? null });
  if (known.status === 'active' && !isOther && !hasMoved) return [];
  if (command.version !== undefined && command.version !== known.version) throw changedMeanwhile(known);
  const { shownVersions } = command;
  // The policy's version does not cover a payee's address: nobody agrees to one that they have not seen.
  const isUnseen = (id: string | null): boolean => id !== null && shownVersions?.includes(id) === false;
  if (Object.values(payees).some(isUnseen)) throw payeeChanged(known);
  const wrong = isOther ? termIssues(terms, known.network, at) : [];
  const issues = [...looserIssues(command.terms, known.proposed), ...wrong];
  if (issues.length > 0) throw refuseInput(issues);
  const names = { policy_id: policyId, merchant_id: known.merchantId, device_id: deviceId };
  const data = { ...names, opted_in_at: at, ...(isOther ? { terms } : {}), ...inForce };
  return [{ type: 'AutomationPolicyOptedIn', data }];
}

type CommandOf<Kind extends AutomationPolicyCommand['kind']> = Extract<AutomationPolicyCommand, { kind: Kind }>;

/** Whoever finishes an opt-in after others have changed the policy finds that nobody agreed to what it is now. */
function confirm(
  { policyId, agreed, turn, version, at }: CommandOf<'confirm'>,
  known: KnownPolicy,
): readonly AutomationPolicyEvent[] {
  if (turn <= known.turn.number) return [];
  if (!isEnded(known) && known.version === version) return [{ type: 'AutomationPolicyOptedIn', data: agreed }];
  const data = { policy_id: policyId, merchant_id: known.merchantId, turn, lapsed_at: at };
  return [{ type: 'AutomationPolicyOptInLapsed', data }];
}

/** A turn that is finished late does not end what was agreed to again in a later one. */
function replace(
  { policyId, by, turn, at }: CommandOf<'replace'>,
  known: KnownPolicy,
): readonly AutomationPolicyEvent[] {
  if (known.status !== 'active' || turn <= known.turn.number) return [];
  const data = { policy_id: policyId, merchant_id: known.merchantId, replaced_by: by, replaced_at: at };
  return [{ type: 'AutomationPolicyReplaced', data }];
}

const ENDS: ReadonlySet<PolicyStatus> = new Set(['declined', 'replaced', 'revoked']);

/** For good: an opted-out policy may be agreed to again. */
export const isEnded = ({ status }: KnownPolicy): boolean => ENDS.has(status);

type OfSomebody = Exclude<AutomationPolicyCommand, { kind: 'create' | 'confirm' | 'replace' }>;

const isOf = (command: OfSomebody, state: KnownPolicy): boolean =>
  'deviceId' in command ? state.deviceId === command.deviceId : state.merchantId === command.merchantId;

function created(state: AutomationPolicyState): KnownPolicy {
  if (state === null) throw new Error('a policy changed before it was created');
  return state;
}

const moved = (state: AutomationPolicyState): KnownPolicy => ({
  ...created(state),
  version: created(state).version + 1,
});

export const cannotMove = ({ status }: KnownPolicy): Refusal =>
  refuse('invalid_status_transition', { details: { current_status: status } });

const payeeChanged = ({ version }: KnownPolicy): Refusal =>
  refuse('version_conflict', {
    field: 'recipient_version_ids',
    message:
      'A payee of this policy has changed since it was shown. Read the policy again, and show it before it is agreed to.',
    details: { current_version: version },
  });

export const changedMeanwhile = ({ version }: KnownPolicy): Refusal =>
  refuse('version_conflict', { details: { current_version: version } });
