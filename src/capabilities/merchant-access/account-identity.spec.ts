import { ServiceSecret } from '../../platform/secrets/service-secret';
import { AccountIdentity } from './account-identity';

describe('an account’s identity', () => {
  const secret = new ServiceSecret('s'.repeat(32));
  const identity = new AccountIdentity(secret);

  it('follows from the address and the service secret', () => {
    const id = identity.idOf('a@example.com');
    expect(id).toMatch(/^mac_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    expect(new AccountIdentity(secret).idOf('a@example.com')).toBe(id);
    expect(identity.idOf('b@example.com')).not.toBe(id);
    expect(new AccountIdentity(new ServiceSecret('t'.repeat(32))).idOf('a@example.com')).not.toBe(id);
  });
});
