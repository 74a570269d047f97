import { type Fold } from '../../kernel/decider';
import { isTestnet } from '../../networks';
import { type RecipientEvent, type RecipientFacts } from '../../events/recipient.events';
import { type DomainId, type MerchantId, type RecipientVersionId } from '../../kernel/aggregates';

type VouchingProof = Readonly<{ domainId: DomainId; domain: string }>;

export type PayableRecipient = Readonly<{
  merchantId: MerchantId;
  name: string;
  /** Every version's facts, and, once it is verified, the domain that vouches for it. */
  versions: ReadonlyMap<string, Readonly<{ facts: RecipientFacts; proof: VouchingProof | null }>>;
  activeVersionId: RecipientVersionId | null;
  /** How many times a version became the active one, again or for the first time. */
  activations: number;
}> | null;

export type PinnedVersion = Readonly<{
  versionId: RecipientVersionId;
  name: string;
  domain: string;
  /** The merchant's domain of that name, whose proof may not hold any more. */
  domainId: DomainId;
  facts: RecipientFacts;
  activations: number;
}>;

/** The part of a recipient that a payment pins: the facts in force, and the domain that vouches for them. */
export const payableRecipient: Fold<PayableRecipient, RecipientEvent> = {
  category: 'recipient',
  initial: null,

  evolve(state, event) {
    if (event.type === 'RecipientCreated') {
      const { merchant_id: merchantId, name } = event.data;
      return { merchantId, name, versions: new Map(), activeVersionId: null, activations: 0 };
    }
    if (state === null) return state;
    const id = event.data.recipient_version_id;
    switch (event.type) {
      case 'RecipientVersionAdded':
        return { ...state, versions: new Map(state.versions).set(id, { facts: event.data.facts, proof: null }) };
      case 'RecipientVersionVerified': {
        const version = state.versions.get(id);
        if (version === undefined) return state;
        const { domain_id: domainId, domain } = event.data.proof;
        const verified = { ...version, proof: { domainId, domain } };
        return { ...state, versions: new Map(state.versions).set(id, verified) };
      }
      case 'RecipientVersionActivated':
        return { ...state, activeVersionId: id, activations: state.activations + 1 };
      case 'RecipientVersionRetired':
        return state.activeVersionId === id ? { ...state, activeVersionId: null } : state;
      default:
        return state;
    }
  },
};

/** The id of the version in force, for the merchant's own agents. */
export const activeVersionOf = (recipient: PayableRecipient): string | null =>
  (recipient === null ? undefined : versionInForce(recipient)?.versionId) ?? null;

/** The active version, if it is verified; a recipient has at most one such version. */
export function versionInForce(recipient: NonNullable<PayableRecipient>): PinnedVersion | undefined {
  const { activeVersionId: versionId, versions, name, activations } = recipient;
  const version = versionId === null ? undefined : versions.get(versionId);
  if (versionId === null || version === undefined || version.proof === null) return undefined;
  return { versionId, name, ...version.proof, facts: version.facts, activations };
}

/** By the version in force or, before there is one, by the version added last. */
export function isOnMainNetwork(recipient: PayableRecipient): boolean {
  if (recipient === null) return false;
  const facts = (versionInForce(recipient) ?? [...recipient.versions.values()].at(-1))?.facts;
  return facts !== undefined && !isTestnet(facts.network);
}
