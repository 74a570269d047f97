// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type AccountId } from '../kernel/aggregates';

/** No longer written. The address is sealed with a key shared by all such events. */
export type MerchantAccountRegistered = Readonly<{
  type: 'MerchantAccountRegistered';
  data: Readonly<{ account_id: AccountId; email_sealed: string; registered_at: string }>;
}>;

/**
 * How an account begins since people have keys of their own, and how it continues when a person returns after their key
 * was destroyed: the address, sealed with the key named here.
 */
export type MerchantAccountAddressSealed = Readonly<{
  type: 'MerchantAccountAddressSealed';
  data: Readonly<{ account_id: AccountId; key_id: string; email_sealed: string; sealed_at: string }>;
}>;

export type MerchantAccountEvent = MerchantAccountRegistered | MerchantAccountAddressSealed;
