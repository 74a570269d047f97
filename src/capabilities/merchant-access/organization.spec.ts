import { given } from '../../../test/support/given';
import { type MerchantEvent } from '../../events/merchant.events';
import { organization } from './organization';

const past = given(organization);
const at = '2030-01-01T00:00:00.000Z';
const open = { kind: 'open', merchantId: 'mer_1', accountId: 'mac_1', name: 'Shop', at } as const;
const created: MerchantEvent = {
  type: 'MerchantCreated',
  data: { merchant_id: 'mer_1', account_id: 'mac_1', name: 'Shop', created_at: at },
};

describe('an organization', () => {
  it('is opened', () => past().when(open).then(created));
  it('is opened once, whoever finishes the job', () => past(created).when(open).thenNothing());
});
