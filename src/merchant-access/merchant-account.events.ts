// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
export type MerchantAccountRegistered = Readonly<{
  type: 'MerchantAccountRegistered';
  /** The address is sealed: the log is for ever, a person's address need not be. */
  data: Readonly<{ account_id: string; email_sealed: string; registered_at: string }>;
}>;

export type MerchantAccountEvent = MerchantAccountRegistered;
