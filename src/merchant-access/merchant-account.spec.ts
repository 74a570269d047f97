import { given } from '../../test/support/given';
import { merchantAccount } from './merchant-account';
import { register, registered } from './merchant-account.fixtures';

const past = given(merchantAccount);

describe('a merchant account', () => {
  it('is registered', () => past().when(register).then(registered));
  it('is registered once, however often a link is asked for', () =>
    past(registered)
      .when({ ...register, emailSealed: 'sealed anew', at: '2031-01-01T00:00:00.000Z' })
      .thenNothing());
});
