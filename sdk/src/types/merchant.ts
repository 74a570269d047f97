import { type Scope } from './common.ts';

export type Merchant = Readonly<{
  merchant_id: string;
  name: string;
  status: 'pending' | 'active';
  version: number;
  created_at: string;
}>;

/** `choice` selects the merchant when a session is opened; it is valid only with the grant it came with. */
export type MerchantChoice = Readonly<{
  choice: string;
  merchant_id: string;
  name: string;
  status: 'pending' | 'active';
}>;

/** The time of last use is not recorded. */
export type OpenMerchantSession = Readonly<{
  session_id: string;
  merchant_id: string;
  merchant_name: string;
  delivery: 'cookie' | 'bearer';
  opened_at: string;
  expires_at: string;
  is_current: boolean;
}>;

export type MerchantDomain = Readonly<{
  domain_id: string;
  domain: string;
  method: 'dns' | 'https';
  /** `superseded`: another merchant has proven it since. */
  status: 'pending' | 'verified' | 'superseded' | 'given_up';
  created_at: string;
  updated_at: string;
  verified_at: string | null;
  /** When its challenge was last seen published: after 30 days it is no evidence for new versions. */
  last_seen_at?: string;
  superseded_at?: string;
  given_up_at?: string;
  version: number;
}>;

/** What to publish, and where. */
export type DomainChallenge =
  | Readonly<{ type: 'dns'; record_name: string; record_type: 'TXT'; record_value: string; expires_at: string }>
  | Readonly<{ type: 'https'; url: string; content: string; expires_at: string }>;

export type RecipientFacts = Readonly<{
  network: string;
  asset: string;
  address: string;
  memo?: string | null;
  contract?: string | null;
  issuer?: string | null;
}>;

export type Evidence = Readonly<{
  evidence_id: string;
  evidence_digest: string;
  proof: Readonly<{
    type: 'domain_proof';
    domain_id: string;
    domain: string;
    method: 'dns' | 'https';
    verified_at: string;
  }>;
  verified_at: string;
}>;

export type RecipientVersion = Readonly<{
  recipient_version_id: string;
  number: number;
  status: 'created' | 'verified' | 'active' | 'superseded' | 'retired';
  rail: string;
  network: string;
  asset: string;
  address: string;
  memo: string | null;
  contract: string | null;
  issuer: string | null;
  decimals: number | null;
  chain_id: number | null;
  evidence: Evidence | null;
  created_at: string;
  activated_at: string | null;
  retired_at?: string;
}>;

export type Recipient = Readonly<{
  recipient_id: string;
  name: string;
  active_version_id: string | null;
  versions: readonly RecipientVersion[];
  created_at: string;
  updated_at: string;
  version: number;
}>;

export type RecipientWithVersion = Readonly<{ recipient: Recipient; recipient_version: RecipientVersion }>;

export type NewAgent = Readonly<{
  name: string;
  runtime: string;
  environment?: 'testnet';
  allowed_scopes: readonly Scope[];
}>;

export type RevocationReason = 'compromised' | 'rotated';

export type RegisteredCredential = Readonly<{
  credential_id: string;
  kid: string;
  alg: 'Ed25519';
  public_key: string;
  status: 'pending' | 'active' | 'revoked';
  not_before: string;
  expires_at: string;
  proof_challenge_expires_at: string;
  created_at: string;
  activated_at: string | null;
  revoked_at: string | null;
  revocation_reason: RevocationReason | null;
}>;

export type Agent = Readonly<{
  agent_id: string;
  name: string;
  runtime: string;
  environment: 'testnet';
  allowed_scopes: readonly Scope[];
  status: 'pending' | 'active' | 'suspended' | 'revoked';
  credentials: readonly RegisteredCredential[];
  created_at: string;
  updated_at: string;
  version: number;
}>;

export type AgentWithCredential = Readonly<{ agent: Agent; credential: RegisteredCredential }>;

export type ApiKey = Readonly<{
  api_key_id: string;
  name: string;
  prefix: string;
  status: 'active' | 'revoked';
  created_at: string;
  last_used_at: string | null;
}>;
