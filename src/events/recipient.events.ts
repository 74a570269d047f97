// These names and shapes are on disk and on the wire: add a new event, never edit an old one.

/** What is paid, where, and how: fixed with the version, for ever. */
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
  data: Readonly<{ recipient_id: string; merchant_id: string; name: string; created_at: string }>;
}>;

/** The first one is appended together with RecipientCreated. */
export type RecipientVersionAdded = Readonly<{
  type: 'RecipientVersionAdded';
  data: Readonly<{
    recipient_id: string;
    merchant_id: string;
    recipient_version_id: string;
    number: number;
    facts: RecipientFacts;
    added_at: string;
  }>;
}>;

export type RecipientVersionVerified = Readonly<{
  type: 'RecipientVersionVerified';
  data: Readonly<{
    recipient_id: string;
    merchant_id: string;
    recipient_version_id: string;
    evidence_id: string;
    evidence_digest: string;
    /** The proof behind it, as digested. */
    proof: Readonly<{ type: 'domain_proof'; domain_id: string; domain: string; method: string; verified_at: string }>;
    verified_at: string;
  }>;
}>;

/** Whatever version was active before is superseded by it. */
export type RecipientVersionActivated = Readonly<{
  type: 'RecipientVersionActivated';
  data: Readonly<{
    recipient_id: string;
    merchant_id: string;
    recipient_version_id: string;
    superseded_version_id: string | null;
    evidence_id: string;
    evidence_digest: string;
    activated_at: string;
  }>;
}>;

export type RecipientEvent =
  RecipientCreated | RecipientVersionAdded | RecipientVersionVerified | RecipientVersionActivated;
