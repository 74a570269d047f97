import { type MerchantAccountCommand } from './merchant-account';
import { type MerchantAccountEvent } from '../../events/merchant-account.events';

const accountId = 'mac_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const at = '2030-01-01T00:00:00.000Z';

export const register: MerchantAccountCommand = {
  kind: 'register',
  accountId,
  keyId: 'pdk_1',
  emailSealed: 'sealed',
  at,
};

export const sealed: MerchantAccountEvent = {
  type: 'MerchantAccountAddressSealed',
  data: { account_id: accountId, key_id: 'pdk_1', email_sealed: 'sealed', sealed_at: at },
};

export const registeredLongAgo: MerchantAccountEvent = {
  type: 'MerchantAccountRegistered',
  data: { account_id: accountId, email_sealed: 'sealed under the common key', registered_at: at },
};
