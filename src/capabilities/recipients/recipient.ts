import { assertNever } from '../../kernel/assert-never';
import { type Decider } from '../../kernel/decider';
import { type Issue, type Refusal, refuse, refuseInput } from '../../kernel/errors';
import { evidenceDigest } from './evidence';
import {
  type ActivateVersion,
  type AddVersion,
  type Change,
  type CreateRecipient,
  type RecipientCommand,
  type RetireVersion,
  type VerifyVersion,
} from './recipient-commands';
import { evidenceIssues, issue, proofGone, sourceIssues, type Version } from './recipient-issues';
import { type RecipientEvent } from '../../events/recipient.events';
import { type MerchantId, type RecipientVersionId } from '../../kernel/aggregates';
import { repeated, type MaybeUnderKey, underKey } from '../../kernel/made-under-key';

type Known = Readonly<{
  merchantId: MerchantId;
  /** Counts changes as callers see them: creating the recipient with its first version is one change. */
  version: number;
  versions: ReadonlyMap<string, Version>;
  activeVersionId: RecipientVersionId | null;
  under: MaybeUnderKey;
}>;

export type RecipientState = Known | null;

/** A recipient's document holds all its versions, so their number is bounded. */
const MAX_VERSIONS = 500;

/** A payee. What is paid and where is fixed per version; a version is verified first and then activated. */
export const recipient: Decider<RecipientState, RecipientCommand, RecipientEvent> = {
  category: 'recipient',
  initial: null,

  decide(command, state) {
    switch (command.kind) {
      case 'create':
        return state === null ? create(command) : repeated(state.under, command.under);
      case 'add-version':
        return addVersion(command, ownedBy(command.merchantId, state));
      case 'verify':
        return verify(command, ownedBy(command.merchantId, state));
      case 'activate':
        return activate(command, ownedBy(command.merchantId, state));
      case 'retire':
        return retire(command, ownedBy(command.merchantId, state));
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    if (event.type === 'RecipientCreated') {
      const under = underKey(event.data);
      return { merchantId: event.data.merchant_id, version: 0, versions: new Map(), activeVersionId: null, under };
    }
    if (state === null) throw new Error(`${event.type} before the recipient was created`);
    const next = { ...state, version: state.version + 1 };
    const id = event.data.recipient_version_id;
    switch (event.type) {
      case 'RecipientVersionAdded': {
        const { number, facts } = event.data;
        const added = { number, facts, under: underKey(event.data), evidence: null };
        return { ...next, versions: new Map(state.versions).set(id, added) };
      }
      case 'RecipientVersionVerified': {
        const version = state.versions.get(id) as Version;
        const evidence = { id: event.data.evidence_id, proof: event.data.proof };
        return { ...next, versions: new Map(state.versions).set(id, { ...version, evidence }) };
      }
      case 'RecipientVersionActivated':
        return { ...next, activeVersionId: id };
      case 'RecipientVersionRetired': {
        const version = state.versions.get(id) as Version;
        const retired = { withdrawPending: event.data.withdraw_pending };
        const activeVersionId = state.activeVersionId === id ? null : state.activeVersionId;
        return { ...next, activeVersionId, versions: new Map(state.versions).set(id, { ...version, retired }) };
      }
      default:
        return assertNever(event);
    }
  },
};

function create(command: CreateRecipient): readonly RecipientEvent[] {
  const { recipientId, merchantId, name, at, under } = command;
  const data = { recipient_id: recipientId, merchant_id: merchantId, name, created_at: at, ...underKey(under) };
  return [{ type: 'RecipientCreated', data }, versionAdded(command, 1)];
}

function addVersion(command: AddVersion, state: Known): readonly RecipientEvent[] {
  const known = state.versions.get(command.recipientVersionId);
  if (known !== undefined) return repeated(known.under, command.under);
  expectVersion(command, state);
  if (state.versions.size >= MAX_VERSIONS) {
    throw refuseInput([
      issue('too_many', '', `a recipient has at most ${MAX_VERSIONS} versions; create another recipient`),
    ]);
  }
  return [versionAdded(command, state.versions.size + 1)];
}

function verify(command: VerifyVersion, state: Known): readonly RecipientEvent[] {
  const { recipientVersionId, evidenceId, proof } = command;
  const version = state.versions.get(recipientVersionId);
  if (version?.evidence?.id === evidenceId) return [];
  const issues = sourceIssues(command, state);
  expectVersion(command, state, issues);
  if (issues.length > 0 || version === undefined || proof === undefined) throw refuseInput(issues);
  if (version.retired !== undefined) throw retiredNow(state);
  const digest = evidenceDigest(version.facts, proof);
  // The same facts with the same proof are the same evidence, however often verification is requested.
  if (version.evidence !== null && evidenceDigest(version.facts, version.evidence.proof) === digest) return [];
  if (command.isStale) throw refuse('domain_proof_stale', { details: { domain_id: proof.domain_id } });
  if (state.activeVersionId === recipientVersionId) {
    throw refuseInput([issue('already_active', 'recipient_version_id', 'is active on other evidence; add a version')]);
  }
  return [
    {
      type: 'RecipientVersionVerified',
      data: {
        ...ids(command),
        recipient_version_id: recipientVersionId,
        evidence_id: evidenceId,
        evidence_digest: digest,
        proof,
        verified_at: command.at,
      },
    },
  ];
}

function activate(command: ActivateVersion, state: Known): readonly RecipientEvent[] {
  const { recipientVersionId, enabledNetworks } = command;
  const version = state.versions.get(recipientVersionId);
  if (version === undefined) throw refuse('resource_not_found');
  const isActive = state.activeVersionId === recipientVersionId;
  const gone = !isActive && command.proofNow === 'gone' && version.evidence !== null ? [proofGone] : [];
  const issues = [...evidenceIssues(command, version), ...gone];
  expectVersion(command, state, issues);
  if (version.retired !== undefined) throw retiredNow(state);
  if (issues.length > 0) throw refuseInput(issues);
  if (isActive) return [];
  if (command.proofNow === 'stale') {
    throw refuse('domain_proof_stale', { details: { domain_id: version.evidence?.proof.domain_id } });
  }
  if (!enabledNetworks.includes(version.facts.network)) throw refuse('network_not_enabled');
  return [
    {
      type: 'RecipientVersionActivated',
      data: {
        ...ids(command),
        recipient_version_id: recipientVersionId,
        superseded_version_id: state.activeVersionId,
        evidence_id: command.evidenceId,
        evidence_digest: command.evidenceDigest,
        activated_at: command.at,
        in_feed: true,
      },
    },
  ];
}

const retiredNow = ({ activeVersionId }: Known): Refusal =>
  refuse('recipient_version_not_active', { details: { status: 'retired', active_version_id: activeVersionId } });

/** Also of a version that was never used. Again only where this call first asks for what is pending to be withdrawn. */
function retire(command: RetireVersion, state: Known): readonly RecipientEvent[] {
  const { recipientVersionId, withdrawPending } = command;
  const version = state.versions.get(recipientVersionId);
  if (version === undefined) throw refuse('resource_not_found');
  expectVersion(command, state);
  if (version.retired !== undefined && (version.retired.withdrawPending || !withdrawPending)) return [];
  return [
    {
      type: 'RecipientVersionRetired',
      data: {
        ...ids(command),
        recipient_version_id: recipientVersionId,
        number: version.number,
        was_active: state.activeVersionId === recipientVersionId,
        withdraw_pending: withdrawPending,
        retired_at: command.at,
      },
    },
  ];
}

const versionAdded = (command: CreateRecipient | AddVersion, number: number): RecipientEvent => ({
  type: 'RecipientVersionAdded',
  data: {
    ...ids(command),
    recipient_version_id: command.recipientVersionId,
    number,
    facts: command.facts,
    added_at: command.at,
    ...(command.kind === 'add-version' ? underKey(command.under) : {}),
  },
});

const ids = ({ recipientId, merchantId }: Pick<Change, 'recipientId' | 'merchantId'>) => ({
  recipient_id: recipientId,
  merchant_id: merchantId,
});

/** Treat another merchant's recipient as nonexistent. */
function ownedBy(merchantId: MerchantId, state: RecipientState): Known {
  if (state?.merchantId !== merchantId) throw refuse('resource_not_found');
  return state;
}

/**
 * A change names the version it applies to, so repeating it meets a newer version and is refused. The response also
 * reports what else is wrong with it.
 */
function expectVersion({ version }: Change, state: Known, others: readonly Issue[] = []): void {
  if (version === state.version) return;
  const stale = issue('version_conflict', 'version', `is not the current one, which is ${state.version}`);
  const issues = others.length === 0 ? {} : { issues: [stale, ...others] };
  throw refuse('version_conflict', { details: { current_version: state.version }, ...issues });
}
