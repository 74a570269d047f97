import { type RecipientFacts } from '../../events/recipient.events';
import { type EvidenceId, type MerchantId, type RecipientId, type RecipientVersionId } from '../../kernel/aggregates';
import { type MaybeUnderKey } from '../../kernel/made-under-key';
import { type Proof } from './evidence';
import { type ProofNow } from './recipient-issues';

export type Change = Readonly<{ recipientId: RecipientId; merchantId: MerchantId; version: number; at: string }>;

export type CreateRecipient = Readonly<{
  kind: 'create';
  recipientId: RecipientId;
  merchantId: MerchantId;
  name: string;
  recipientVersionId: RecipientVersionId;
  facts: RecipientFacts;
  at: string;
  under?: MaybeUnderKey | undefined;
}>;
export type AddVersion = Change &
  Readonly<{
    kind: 'add-version';
    recipientVersionId: RecipientVersionId;
    facts: RecipientFacts;
    under?: MaybeUnderKey | undefined;
  }>;
/**
 * `proof` comes from the merchant's own domains; undefined if the source is not one whose proof holds. A stale one has
 * not been seen for too long.
 */
export type VerifyVersion = Change &
  Readonly<{
    kind: 'verify';
    recipientVersionId: RecipientVersionId;
    evidenceId: EvidenceId;
    proof: Proof | undefined;
    isStale: boolean;
  }>;
export type ActivateVersion = Change &
  Readonly<{
    kind: 'activate';
    recipientVersionId: RecipientVersionId;
    evidenceId: EvidenceId;
    evidenceDigest: string;
    /** What has become of the proof since. */
    proofNow: ProofNow;
    enabledNetworks: readonly string[];
  }>;

export type RetireVersion = Change &
  Readonly<{ kind: 'retire'; recipientVersionId: RecipientVersionId; withdrawPending: boolean }>;

export type RecipientCommand = CreateRecipient | AddVersion | VerifyVersion | ActivateVersion | RetireVersion;
