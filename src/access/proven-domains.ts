import { notFollowed } from '../kernel/assert-never';
import { type Fold } from '../kernel/decider';
import { type DomainMethod, type MerchantEvent } from '../events/merchant.events';

export type ProvenDomain = Readonly<{ domain: string; method: DomainMethod; verifiedAt: string }>;

/** A merchant's domains whose proofs hold, by domain id: neither superseded nor given up. */
export const provenDomains: Fold<ReadonlyMap<string, ProvenDomain>, MerchantEvent> = {
  category: 'merchant',
  initial: new Map(),

  evolve(domains, event) {
    switch (event.type) {
      case 'MerchantDomainVerified': {
        const { domain_id: id, domain, method, verified_at: verifiedAt } = event.data;
        return new Map(domains).set(id, { domain, method, verifiedAt });
      }
      case 'MerchantDomainSuperseded':
      case 'MerchantDomainGivenUp': {
        const left = new Map(domains);
        left.delete(event.data.domain_id);
        return left;
      }
      case 'MerchantCreated':
      case 'MerchantRenamed':
      case 'MerchantActivated':
      case 'MerchantDomainRegistered':
        return domains;
      default:
        return notFollowed(event, domains);
    }
  },
};
