import { given } from '../../../test/support/given';
import { merchant } from './merchant';
import {
  activated,
  created,
  expiresAt,
  givenUp,
  giveUp,
  laterOn,
  register,
  registerAgain,
  registered,
  rename,
  renamed,
  supersede,
  superseded,
  verified,
  verify,
} from './merchant.fixtures';

const past = given(merchant);
const secondDomain = { ...registerAgain, domain: 'pay.example.com' };
const secondRegistered = {
  ...registered,
  data: { ...registered.data, domain_id: 'dom_2', domain: 'pay.example.com', challenge: 'c2' },
} as const;

describe('a merchant', () => {
  it('registers a domain', () => past(created).when(register).then(registered));
  it('registers a second domain beside the first', () =>
    past(created, registered).when(secondDomain).then(secondRegistered));
  it('registers a hundred domains and no more, but one of them again', () => {
    const hundred = Array.from({ length: 100 }, (_, at) => ({
      ...registered,
      data: {
        ...registered.data,
        domain_id: `dom_${at + 1}` as const,
        domain: at === 0 ? registered.data.domain : `${at}.example.com`,
      },
    }));
    past(created, ...hundred)
      .when(secondDomain)
      .thenRefused('limit_reached', { limit: 100 });
    past(created, ...hundred.slice(1))
      .when(secondDomain)
      .then(secondRegistered);
  });
  it('does not register a domain again while its challenge holds', () =>
    past(created, registered).when(registerAgain).thenRefused('domain_already_registered', { domain_id: 'dom_1' }));
  it('does not register a verified domain again, ever', () =>
    past(created, registered, verified, activated)
      .when({ ...registerAgain, at: '2040-01-01T00:00:00.000Z', expiresAt: '2040-01-08T00:00:00.000Z' })
      .thenRefused('domain_already_registered', { domain_id: 'dom_1' }));
  it('gives a new challenge under the same id when the old one has expired, by another method if requested', () =>
    past(created, registered)
      .when({ ...registerAgain, method: 'https', at: expiresAt, expiresAt: '2030-01-15T00:00:00.000Z' })
      .then({
        ...registered,
        data: {
          ...registered.data,
          method: 'https',
          challenge: 'c2',
          registered_at: expiresAt,
          challenge_expires_at: '2030-01-15T00:00:00.000Z',
        },
      }));

  it('is activated by its first verified domain, in the same append', () =>
    past(created, registered).when(verify).then(verified, activated));
  it('stays active when another domain is verified', () =>
    past(created, registered, secondRegistered, verified, activated)
      .when({ ...verify, domainId: 'dom_2', challenge: 'c2' })
      .then({ ...verified, data: { ...verified.data, domain_id: 'dom_2', domain: 'pay.example.com' } }));
  it('verifies a domain once', () =>
    past(created, registered, verified, activated)
      .when({ ...verify, at: '2040-01-01T00:00:00.000Z' })
      .thenNothing());
  it('does not accept a proof after the challenge has expired', () =>
    past(created, registered)
      .when({ ...verify, at: expiresAt })
      .thenRefused('challenge_expired'));
  it('does not accept the proof of a challenge that was replaced', () =>
    past(created, registered, { ...registered, data: { ...registered.data, challenge: 'c2' } })
      .when(verify)
      .thenRefused('challenge_expired'));
  it('loses a proof that another merchant’s has superseded, once', () => {
    past(created, registered, verified, activated).when(supersede).then(superseded);
    past(created, registered, verified, activated, superseded).when(supersede).thenNothing();
  });
  it('keeps a proof that is newer than the one superseded', () => {
    past(created, registered, verified, activated, superseded, verified).when(supersede).thenNothing();
    past(created, registered, verified, activated, givenUp).when(supersede).thenNothing();
  });
  it('proves a superseded domain again by what is still published, however old', () =>
    past(created, registered, verified, activated, superseded)
      .when({ ...verify, at: laterOn })
      .then({ ...verified, data: { ...verified.data, verified_at: laterOn } }));
  it('gives a domain up, proven or not', () => {
    past(created, registered).when(giveUp).then(givenUp);
    past(created, registered, verified, activated).when(giveUp).then(givenUp);
    past(created, registered, verified, activated, superseded).when(giveUp).then(givenUp);
    past(created, registered, givenUp).when(giveUp).thenNothing();
    past(created, registered)
      .when({ ...giveUp, domainId: 'dom_9' })
      .thenRefused('resource_not_found');
  });
  it('verifies nothing that was given up', () =>
    past(created, registered, givenUp).when(verify).thenRefused('challenge_expired'));
  it('registers again, under the same id, what was superseded or given up', () => {
    const again = { ...registered, data: { ...registered.data, challenge: 'c2' } };
    past(created, registered, verified, activated, superseded).when(registerAgain).then(again);
    past(created, registered, givenUp).when(registerAgain).then(again);
  });
  it('does not count among its hundred domains those that were given up', () => {
    const hundred = Array.from({ length: 100 }, (_, at) => ({
      ...registered,
      data: { ...registered.data, domain_id: `dom_${at + 1}` as const, domain: `${at}.example.com` },
    }));
    past(created, ...hundred, givenUp)
      .when(secondDomain)
      .then(secondRegistered);
  });
  it('does not know other merchants’ domains', () =>
    past(created, registered)
      .when({ ...verify, domainId: 'dom_9' })
      .thenRefused('resource_not_found'));
  it('can do nothing before it exists', () => {
    past().when(register).thenRefused('resource_not_found');
    past().when(verify).thenRefused('resource_not_found');
  });

  // A change names the version it was made for, so its repeat is refused instead of doing nothing.
  it('is renamed by a caller that knows its version', () =>
    expect(merchant.decide(rename, [created].reduce(merchant.evolve, merchant.initial))).toEqual([renamed]));
  it('keeps the name it has', () =>
    past(created)
      .when({ ...rename, name: 'Shop' })
      .thenNothing());
  it('is not renamed by a caller that names another version, whatever changed meanwhile', () => {
    past(created, registered).when(rename).thenRefused('version_conflict', { current_version: 2 });
    past(created, renamed).when(rename).thenRefused('version_conflict', { current_version: 2 });
    past(created)
      .when({ ...rename, name: 'Shop', version: 2 })
      .thenRefused('version_conflict', { current_version: 1 });
  });
  it('is not renamed before it exists', () => past().when(rename).thenRefused('resource_not_found'));
});
