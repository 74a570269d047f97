// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type AccountId, type GrantId, type MerchantId, type SessionId } from '../kernel/aggregates';
export type GrantIssued = Readonly<{
  type: 'GrantIssued';
  data: Readonly<{
    grant_id: GrantId;
    account_id: AccountId;
    /** The one merchant it is for; null for a grant from an e-mail link, which lets the person choose. */
    merchant_id: MerchantId | null;
    token_hash: string;
    issued_at: string;
    expires_at: string;
  }>;
}>;

/** Holds everything its effect needs, so that any reader of this event can complete it. */
export type GrantSpentOnMerchant = Readonly<{
  type: 'GrantSpentOnMerchant';
  data: Readonly<{ grant_id: GrantId; account_id: AccountId; merchant_id: MerchantId; name: string; spent_at: string }>;
}>;

export type GrantSpentOnSession = Readonly<{
  type: 'GrantSpentOnSession';
  data: Readonly<{
    grant_id: GrantId;
    account_id: AccountId;
    merchant_id: MerchantId;
    session_id: SessionId;
    spent_at: string;
  }>;
}>;

export type GrantEvent = GrantIssued | GrantSpentOnMerchant | GrantSpentOnSession;
