// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
export type EmailLinkIssued = Readonly<{
  type: 'EmailLinkIssued';
  data: Readonly<{ link_id: string; account_id: string; token_hash: string; issued_at: string; expires_at: string }>;
}>;

export type EmailLinkSpent = Readonly<{
  type: 'EmailLinkSpent';
  data: Readonly<{ link_id: string; account_id: string; grant_id: string; spent_at: string }>;
}>;

export type EmailLinkEvent = EmailLinkIssued | EmailLinkSpent;
