// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type DomainId, type DomainNameId, type MerchantId } from '../kernel/aggregates';

/** A merchant's proof of a name. `proof_version` is the version of the merchant's stream at which it was recorded. */
export type DomainHolder = Readonly<{ merchant_id: MerchantId; domain_id: DomainId; proof_version: number }>;

/** One stream per name, over all merchants: the order of these events is the order of the proofs. */
export type DomainNameProven = Readonly<{
  type: 'DomainNameProven';
  data: Readonly<{
    name_id: DomainNameId;
    domain: string;
    holder: DomainHolder;
    /** Another merchant's proof of the name, which holds no more. */
    superseded: DomainHolder | null;
    proven_at: string;
  }>;
}>;

/** The holder's challenge was still published. */
export type DomainNameSeen = Readonly<{
  type: 'DomainNameSeen';
  data: Readonly<{ name_id: DomainNameId; holder: DomainHolder; location: string; seen_at: string }>;
}>;

/** The service looked by itself, and the holder's challenge was not there. */
export type DomainNameMissed = Readonly<{
  type: 'DomainNameMissed';
  data: Readonly<{ name_id: DomainNameId; holder: DomainHolder; reason: string; missed_at: string }>;
}>;

export type DomainNameEvent = DomainNameProven | DomainNameSeen | DomainNameMissed;
