import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/config';
import { type EgressPolicy } from '../../platform/egress/destination';
import { createResolver, type Resolver } from '../../platform/egress/resolver';
import { type Challenge, wellKnownUrl } from './challenge';
import { type Proof, proveByDns, proveByHttps } from './domain-proof';

const TIMEOUT_MS = 10_000;

/** Where to fetch the https proof, and an additional CA to trust: injected, so that tests can replace the internet. */
@Injectable()
export class HttpsProofTarget {
  of(domain: string): Readonly<{ url: string; ca?: string }> {
    return { url: wellKnownUrl(domain) };
  }
}

/** Checks whether a challenge is published. The decision based on the result is made elsewhere. */
@Injectable()
export class DomainProver {
  private readonly resolver: Resolver;
  private readonly policy: EgressPolicy;

  constructor(
    @Inject(CONFIG) { dnsServers, allowPrivateNetworks, baseUrl }: Config,
    private readonly target: HttpsProofTarget,
  ) {
    this.resolver = createResolver({ servers: dnsServers, timeoutMs: TIMEOUT_MS });
    this.policy = { allowPrivateNetworks, ownHosts: [new URL(baseUrl).hostname] };
  }

  prove(published: Challenge): Promise<Proof> {
    const { resolver, policy } = this;
    if (published.method === 'dns') return proveByDns(published, resolver);
    const target = this.target.of(published.domain);
    return proveByHttps(published, { ...target, resolver, policy, timeoutMs: TIMEOUT_MS });
  }
}
