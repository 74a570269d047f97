import { given } from '../../../test/support/given';
import { walletDevice } from './wallet-device';
import { register, registered, remove, removed, rotate, rotated } from './wallet-device.fixtures';

const past = given(walletDevice);

describe('a wallet device', () => {
  it('is registered', () => past().when(register).then(registered));
  it('is registered once', () => past(registered).when(register).thenNothing());
  it('is not registered again after it was removed', () => past(registered, removed).when(register).thenNothing());
  it('changes its token', () => past(registered).when(rotate).then(rotated));
  it('cannot change a token before it exists', () => past().when(rotate).thenRefused('resource_not_found'));
  it('cannot change a token after it was removed', () =>
    past(registered, removed).when(rotate).thenRefused('resource_not_found'));
  it('is removed', () => past(registered, rotated).when(remove).then(removed));
  it('cannot be removed before it exists', () => past().when(remove).thenRefused('resource_not_found'));
});
