import { type CallOptions, type KeyedOptions, path } from '../transport.ts';
import { type NextCursor, type Page } from '../types/common.ts';
import { type DomainChallenge, type Merchant, type MerchantDomain } from '../types/merchant.ts';
import { type MerchantSession } from './session.ts';

export class MerchantDomains {
  constructor(private readonly session: MerchantSession) {}

  /** Returns what to publish; then call `verify`. */
  create(input: Readonly<{ domain: string; method: 'dns' | 'https' }>, options?: KeyedOptions) {
    type Created = Readonly<{ domain: MerchantDomain; challenge: DomainChallenge }>;
    return this.session.make<Created>('/v1/merchant-domains', input, options);
  }

  /**
   * The first verified domain makes the merchant active. A verified one is looked up again (`last_seen_at`), one that
   * another merchant has proven since is proven again.
   */
  verify(id: string, options?: CallOptions) {
    type Verified = Readonly<{ domain: MerchantDomain; merchant: Merchant }>;
    return this.session.post<Verified>(path`/v1/merchant-domains/${id}/verify`, {}, options);
  }

  /** It is no evidence any more; recipients stay active, and new payments to them carry `payee.verified: false`. */
  async giveUp(id: string, options?: CallOptions): Promise<MerchantDomain> {
    const { domain } = await this.session.delete<{ domain: MerchantDomain }>(path`/v1/merchant-domains/${id}`, options);
    return domain;
  }

  list(query: Page = {}, options?: CallOptions) {
    type Domains = NextCursor & Readonly<{ domains: readonly MerchantDomain[] }>;
    return this.session.get<Domains>('/v1/merchant-domains', query, options);
  }

  read(id: string, options?: CallOptions) {
    type Found = Readonly<{ domain: MerchantDomain; challenge: DomainChallenge | null }>;
    return this.session.get<Found>(path`/v1/merchant-domains/${id}`, {}, options);
  }
}
