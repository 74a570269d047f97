import { type RecordedEvent } from '../../../../platform/event-store/event-store.port';
import { is } from '../../../../events';
import { type DomainHolder } from '../../../../events/domain-name.events';
import { type DomainId, type MerchantId } from '../../../../kernel/aggregates';
import { type Creation, wasKnownTo } from '../clock';
import { type Breach, type Invariant, type Log } from '../invariant';

export const domainHolders: Invariant = {
  name: 'domain-holders',
  says: 'a domain’s holder is the merchant that proved it last, and each proof supersedes the one before it',
  categories: ['domain_name'],
  async *breaches(events, log): AsyncGenerator<Breach> {
    let before: DomainHolder | null = null;
    for (const event of events) {
      if (is(event, 'DomainNameProven')) {
        const { holder, superseded, domain } = event.data;
        if (!(await hasProven(log, holder, domain)))
          yield { event, what: `${holder.merchant_id} had not proven ${domain}` };
        const expected = before === null || before.merchant_id === holder.merchant_id ? null : before;
        if (!isSame(superseded, expected)) yield { event, what: 'it does not supersede the proof before it' };
        before = holder;
      }
      if ((is(event, 'DomainNameSeen') || is(event, 'DomainNameMissed')) && !isSame(event.data.holder, before))
        yield { event, what: 'it is not about the holder' };
    }
  },
};

async function hasProven(log: Log, { merchant_id, domain_id, proof_version }: DomainHolder, domain: string) {
  const proof = (await log.stream('merchant', merchant_id)).find(({ version }) => version === proof_version);
  return is(proof, 'MerchantDomainVerified') && proof.data.domain_id === domain_id && proof.data.domain === domain;
}

const isSame = (one: DomainHolder | null, other: DomainHolder | null): boolean =>
  one?.merchant_id === other?.merchant_id && one?.proof_version === other?.proof_version;

/**
 * The event that ended a domain's proof before something was decided upon it, if it must have been known then: it was
 * superseded or given up, and not proven again until too late.
 */
export async function endedProof(
  log: Log,
  merchantId: MerchantId,
  domainId: DomainId,
  decided: Creation,
): Promise<RecordedEvent | undefined> {
  const merchant = await log.stream('merchant', merchantId);
  const about = merchant.filter(
    (one) =>
      (is(one, 'MerchantDomainVerified') || is(one, 'MerchantDomainSuperseded') || is(one, 'MerchantDomainGivenUp')) &&
      one.data.domain_id === domainId,
  );
  const last = about.findLast(({ position }) => position < decided.event.position);
  if (last === undefined || is(last, 'MerchantDomainVerified')) return undefined;
  return (await wasKnownTo(log, last, decided)) ? last : undefined;
}
