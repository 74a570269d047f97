// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type MaybeUnderKey } from '../kernel/made-under-key';
import { type AccountId, type DomainId, type MerchantId } from '../kernel/aggregates';
export type MerchantCreated = Readonly<{
  type: 'MerchantCreated';
  data: Readonly<{ merchant_id: MerchantId; account_id: AccountId; name: string; created_at: string }>;
}>;

export type DomainMethod = 'dns' | 'https';

/** The challenge is meant to be published, so it is not a secret. Registering again after expiry creates a new one. */
export type MerchantDomainRegistered = Readonly<{
  type: 'MerchantDomainRegistered';
  data: MaybeUnderKey &
    Readonly<{
      merchant_id: MerchantId;
      domain_id: DomainId;
      domain: string;
      method: DomainMethod;
      challenge: string;
      registered_at: string;
      challenge_expires_at: string;
    }>;
}>;

/** What was found, as evidence of why the domain was accepted. */
export type MerchantDomainVerified = Readonly<{
  type: 'MerchantDomainVerified';
  data: Readonly<{
    merchant_id: MerchantId;
    domain_id: DomainId;
    domain: string;
    method: DomainMethod;
    /** Where the challenge was found: the record's name or the URL. */
    location: string;
    verified_at: string;
    /** Absent in older logs: what they hold has no place in the merchant's feed, whose numbers have been used. */
    in_feed?: true;
  }>;
}>;

/** Another merchant has proven the name since: this proof is no evidence any more. Proving it again ends that. */
export type MerchantDomainSuperseded = Readonly<{
  type: 'MerchantDomainSuperseded';
  data: Readonly<{
    merchant_id: MerchantId;
    domain_id: DomainId;
    domain: string;
    /** The version of this stream at which the proof was recorded. */
    proof_version: number;
    superseded_at: string;
  }>;
}>;

/** The merchant does without the domain; it may be registered again. */
export type MerchantDomainGivenUp = Readonly<{
  type: 'MerchantDomainGivenUp';
  data: Readonly<{ merchant_id: MerchantId; domain_id: DomainId; domain: string; given_up_at: string }>;
}>;

/** Appended together with the first verified domain. */
export type MerchantActivated = Readonly<{
  type: 'MerchantActivated';
  data: Readonly<{ merchant_id: MerchantId; domain_id: DomainId; activated_at: string }>;
}>;

/** Requests over a connection keep the name under which a person agreed to it. */
export type MerchantRenamed = Readonly<{
  type: 'MerchantRenamed';
  data: Readonly<{ merchant_id: MerchantId; name: string; renamed_at: string }>;
}>;

export type MerchantEvent =
  | MerchantCreated
  | MerchantDomainRegistered
  | MerchantDomainVerified
  | MerchantDomainSuperseded
  | MerchantDomainGivenUp
  | MerchantActivated
  | MerchantRenamed;
