// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type AccountId } from '../kernel/aggregates';
export type MerchantAccountRegistered = Readonly<{
  type: 'MerchantAccountRegistered';
  /** Written no more. The address is sealed under a key that all such events share. */
  data: Readonly<{ account_id: AccountId; email_sealed: string; registered_at: string }>;
}>;

/**
 * How an account begins since persons have keys of their own, and how it goes on when the person comes back after the key
 * was destroyed: the address, sealed under the key named here.
 */
export type MerchantAccountAddressSealed = Readonly<{
  type: 'MerchantAccountAddressSealed';
  data: Readonly<{ account_id: AccountId; key_id: string; email_sealed: string; sealed_at: string }>;
}>;

export type MerchantAccountEvent = MerchantAccountRegistered | MerchantAccountAddressSealed;
