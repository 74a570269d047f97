import { type Fold } from '../../kernel/decider';
import { type DomainMethod, type MerchantEvent } from '../../events/merchant.events';

export type VerifiedDomain = Readonly<{ domain: string; method: DomainMethod; verifiedAt: string }>;

/** What a recipient needs to know about its merchant: its verified domains, by domain id. */
export const merchantDomains: Fold<ReadonlyMap<string, VerifiedDomain>, MerchantEvent> = {
  category: 'merchant',
  initial: new Map(),
  evolve(domains, event) {
    if (event.type !== 'MerchantDomainVerified') return domains;
    const { domain_id: id, domain, method, verified_at: verifiedAt } = event.data;
    return new Map(domains).set(id, { domain, method, verifiedAt });
  },
};
