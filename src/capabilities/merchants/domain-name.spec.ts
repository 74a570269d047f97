import { given } from '../../../test/support/given';
import { type DomainNameCommand, domainName } from './domain-name';
import { type DomainHolder, type DomainNameEvent } from '../../events/domain-name.events';

const at = '2030-01-01T00:00:00.000Z';
const held = (merchant: string, proof_version = 3): DomainHolder => ({
  merchant_id: `mer_${merchant}`,
  domain_id: `dom_${merchant}`,
  proof_version,
});
const take = (holder: DomainHolder): DomainNameCommand => ({
  kind: 'take',
  nameId: 'dnm_1',
  domain: 'shop.example',
  holder,
  at,
});
const later = '2030-01-08T00:00:00.000Z';
const see = (holder: DomainHolder): DomainNameCommand => ({
  kind: 'see',
  nameId: 'dnm_1',
  holder,
  location: 'l',
  at: later,
});
const miss = (holder: DomainHolder): DomainNameCommand => ({
  kind: 'miss',
  nameId: 'dnm_1',
  holder,
  reason: 'r',
  at: later,
});
const proven = (holder: DomainHolder, superseded: DomainHolder | null = null): DomainNameEvent => ({
  type: 'DomainNameProven',
  data: { name_id: 'dnm_1', domain: 'shop.example', holder, superseded, proven_at: at },
});
const past = given(domainName);

describe('a domain’s name', () => {
  it('is held by who proves it first', () =>
    past()
      .when(take(held('a')))
      .then(proven(held('a'))));
  it('goes to whoever proves it after that', () =>
    past(proven(held('a')))
      .when(take(held('b')))
      .then(proven(held('b'), held('a'))));
  it('supersedes nothing of the merchant that proves it again', () =>
    past(proven(held('a')))
      .when(take(held('a', 7)))
      .then(proven(held('a', 7))));
  it('turns round when the first proves it again', () =>
    past(proven(held('a')), proven(held('b'), held('a')))
      .when(take(held('a', 7)))
      .then(proven(held('a', 7), held('b'))));
  it('is not turned round by a proof that was counted before', () =>
    past(proven(held('a')), proven(held('b'), held('a')))
      .when(take(held('a')))
      .thenNothing());
  it('is seen published for its holder', () =>
    past(proven(held('a')))
      .when(see(held('a')))
      .then({
        type: 'DomainNameSeen',
        data: { name_id: 'dnm_1', holder: held('a'), location: 'l', seen_at: later },
      }));
  it('is missed of its holder', () =>
    past(proven(held('a')))
      .when(miss(held('a')))
      .then({
        type: 'DomainNameMissed',
        data: { name_id: 'dnm_1', holder: held('a'), reason: 'r', missed_at: later },
      }));
  it('is neither seen nor missed of anyone else, or of an older proof', () => {
    const past2 = () => past(proven(held('a')), proven(held('b', 5), held('a')));
    past2()
      .when(see(held('a')))
      .thenNothing();
    past2()
      .when(miss(held('a')))
      .thenNothing();
    past2()
      .when(see(held('b', 4)))
      .thenNothing();
    past()
      .when(see(held('a')))
      .thenNothing();
  });
});
