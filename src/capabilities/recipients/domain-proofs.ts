import { Injectable } from '@nestjs/common';
import { isStale, nameStanding } from '../../access/proof-age';
import { provenDomains } from '../../access/proven-domains';
import { CommandRunner } from '../../platform/event-store/run-command';
import { type DomainId, idFor, type MerchantId } from '../../kernel/aggregates';
import { type Proof } from './evidence';

/** The proofs of a merchant's domains, as evidence for its recipients. */
@Injectable()
export class DomainProofs {
  constructor(private readonly commands: CommandRunner) {}

  /**
   * Undefined if it is none of the merchant's own domains, or its proof holds no more: anyone else's is as unknown as
   * one that does not exist. What the name's own stream says about its holder counts before the merchant is told.
   */
  async of(
    merchantId: MerchantId,
    domainId: DomainId,
    now: string,
  ): Promise<Readonly<{ proof: Proof; isStale: boolean }> | undefined> {
    const { state: domains } = await this.commands.fold(provenDomains, merchantId);
    const found = domains.get(domainId);
    if (found === undefined) return undefined;
    const { domain, method, verifiedAt } = found;
    const { state: standing } = await this.commands.fold(nameStanding, idFor.domainName(domain));
    if (standing !== null && standing.holder.merchant_id !== merchantId) return undefined;
    const proof = { type: 'domain_proof', domain_id: domainId, domain, method, verified_at: verifiedAt } as const;
    return { proof, isStale: isStale(standing?.lastSeenAt ?? verifiedAt, now) };
  }
}
