import { given } from '../../../test/support/given';
import { apiKey } from './api-key';
import { create, created, revoke, revoked, use, usedAt } from './api-key.fixtures';

const past = given(apiKey);

describe('an API key', () => {
  it('is created', () => past().when(create).then(created));
  it('notes its first use', () => past(created).when(use).then(usedAt(use.at)));
  it('notes one use a minute', () => {
    past(created, usedAt(use.at))
      .when({ ...use, at: '2030-01-01T00:00:59.999Z' })
      .thenNothing();
    past(created, usedAt(use.at))
      .when({ ...use, at: '2030-01-01T00:01:00.000Z' })
      .then(usedAt('2030-01-01T00:01:00.000Z'));
  });
  it('notes a use again after the clock was set back, not only when its old time has come again', () => {
    past(created, usedAt('2030-06-01T00:00:00.000Z')).when(use).then(usedAt(use.at));
    past(created, usedAt('2030-01-01T00:00:59.999Z'))
      .when({ ...use, at: '2030-01-01T00:00:00.000Z' })
      .thenNothing();
  });
  it('is revoked', () => past(created).when(revoke).then(revoked));
  it('stays revoked', () => past(created, revoked).when(revoke).thenNothing());
  it('is of no use once revoked', () => past(created, revoked).when(use).thenRefused('invalid_token'));
  it('is of no use before it is created', () => past().when(use).thenRefused('invalid_token'));
  it('does not exist for another merchant', () => {
    past(created)
      .when({ ...revoke, merchantId: 'mer_other' })
      .thenRefused('resource_not_found');
    past().when(revoke).thenRefused('resource_not_found');
  });
});
