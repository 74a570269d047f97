import { given } from '../../../test/support/given';
import { merchantAccount } from './merchant-account';
import { register, registeredLongAgo, sealed } from './merchant-account.fixtures';

const past = given(merchantAccount);

describe('a merchant account', () => {
  it('begins with the address under a key of its own', () => past().when(register).then(sealed));
  it('is registered once, however often a link is asked for', () =>
    past(sealed)
      .when({ ...register, emailSealed: 'sealed anew', at: '2031-01-01T00:00:00.000Z' })
      .thenNothing());
  it('moves to a key of its own if it is from before there were any', () =>
    past(registeredLongAgo).when(register).then(sealed));
  it('is sealed again when the person returns after the key was destroyed', () =>
    past(sealed)
      .when({ ...register, keyId: 'pdk_2' })
      .then({ ...sealed, data: { ...sealed.data, key_id: 'pdk_2' } } as typeof sealed));
});
