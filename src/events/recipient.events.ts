// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type MaybeUnderKey } from '../kernel/made-under-key';
import {
  type DomainId,
  type EvidenceId,
  type MerchantId,
  type RecipientId,
  type RecipientVersionId,
} from '../kernel/aggregates';

/** What is paid, where, and how: fixed with the version, forever. */
export type RecipientFacts = Readonly<{
  rail: string;
  network: string;
  asset: string;
  address: string;
  memo: string | null;
  contract: string | null;
  issuer: string | null;
  /** Null for a token whose contract we do not know: the wallet asks the chain. */
  decimals: number | null;
  chain_id: number | null;
}>;

export type RecipientCreated = Readonly<{
  type: 'RecipientCreated';
  data: MaybeUnderKey &
    Readonly<{ recipient_id: RecipientId; merchant_id: MerchantId; name: string; created_at: string }>;
}>;

/** The first version is appended together with RecipientCreated. */
export type RecipientVersionAdded = Readonly<{
  type: 'RecipientVersionAdded';
  data: MaybeUnderKey &
    Readonly<{
      recipient_id: RecipientId;
      merchant_id: MerchantId;
      recipient_version_id: RecipientVersionId;
      number: number;
      facts: RecipientFacts;
      added_at: string;
    }>;
}>;

export type RecipientVersionVerified = Readonly<{
  type: 'RecipientVersionVerified';
  data: Readonly<{
    recipient_id: RecipientId;
    merchant_id: MerchantId;
    recipient_version_id: RecipientVersionId;
    evidence_id: EvidenceId;
    evidence_digest: string;
    /** The underlying proof, as digested. */
    proof: Readonly<{ type: 'domain_proof'; domain_id: DomainId; domain: string; method: string; verified_at: string }>;
    verified_at: string;
  }>;
}>;

/** Supersedes the version that was active before, if any. */
export type RecipientVersionActivated = Readonly<{
  type: 'RecipientVersionActivated';
  data: Readonly<{
    recipient_id: RecipientId;
    merchant_id: MerchantId;
    recipient_version_id: RecipientVersionId;
    superseded_version_id: RecipientVersionId | null;
    evidence_id: EvidenceId;
    evidence_digest: string;
    activated_at: string;
    /** Absent in older logs: what they hold has no place in the merchant's feed, whose numbers have been used. */
    in_feed?: true;
  }>;
}>;

/** It is never active again, and its evidence is spent. Where it was the active one, the recipient has none now. */
export type RecipientVersionRetired = Readonly<{
  type: 'RecipientVersionRetired';
  data: Readonly<{
    recipient_id: RecipientId;
    merchant_id: MerchantId;
    recipient_version_id: RecipientVersionId;
    number: number;
    was_active: boolean;
    /** Whether what is still pending on it is withdrawn. */
    withdraw_pending: boolean;
    retired_at: string;
  }>;
}>;

export type RecipientEvent =
  | RecipientCreated
  | RecipientVersionAdded
  | RecipientVersionVerified
  | RecipientVersionActivated
  | RecipientVersionRetired;
