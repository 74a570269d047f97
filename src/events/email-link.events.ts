// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type AccountId, type GrantId, type LinkId } from '../kernel/aggregates';
export type EmailLinkIssued = Readonly<{
  type: 'EmailLinkIssued';
  data: Readonly<{ link_id: LinkId; account_id: AccountId; token_hash: string; issued_at: string; expires_at: string }>;
}>;

export type EmailLinkSpent = Readonly<{
  type: 'EmailLinkSpent';
  data: Readonly<{ link_id: LinkId; account_id: AccountId; grant_id: GrantId; spent_at: string }>;
}>;

export type EmailLinkEvent = EmailLinkIssued | EmailLinkSpent;
