import { type MerchantAccountCommand } from './merchant-account';
import { type MerchantAccountEvent } from './merchant-account.events';

const accountId = 'mac_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const at = '2030-01-01T00:00:00.000Z';

export const register: MerchantAccountCommand = { kind: 'register', accountId, emailSealed: 'sealed', at };

export const registered: MerchantAccountEvent = {
  type: 'MerchantAccountRegistered',
  data: { account_id: accountId, email_sealed: 'sealed', registered_at: at },
};
