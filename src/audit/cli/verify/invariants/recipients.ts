import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../../kernel/canonical-json';
import { type DataOf, is } from '../../../../events';
import { endedProof } from './domains';
import { type Breach, type Invariant } from '../invariant';

type Facts = DataOf<'RecipientVersionAdded'>['facts'];

export const evidence: Invariant = {
  name: 'evidence',
  says: 'every verified version has the digest of its facts and proof, and the domain behind it was proven before',
  categories: ['recipient'],
  async *breaches(events, log): AsyncGenerator<Breach> {
    const facts = new Map<string, Facts>();
    const digests = new Map<string, string>();
    for (const event of events) {
      if (is(event, 'RecipientVersionAdded')) facts.set(event.data.recipient_version_id, event.data.facts);
      if (is(event, 'RecipientVersionVerified')) {
        const { recipient_version_id: id, evidence_digest, proof, merchant_id } = event.data;
        const known = facts.get(id);
        const text = canonicalJson({ facts: known ?? null, proof });
        const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
        digests.set(id, evidence_digest);
        // A version that was never added has no facts that anything could be evidence for.
        if (known === undefined || digest !== evidence_digest)
          yield { event, what: 'the digest is not that of the facts and the proof' };
        const merchant = await log.stream('merchant', merchant_id);
        const proven = merchant.some(
          (one) =>
            is(one, 'MerchantDomainVerified') &&
            one.data.domain_id === proof.domain_id &&
            one.data.domain === proof.domain &&
            one.position < event.position,
        );
        if (!proven) yield { event, what: `the merchant had not proven ${proof.domain}` };
        const ended = await endedProof(log, merchant_id, proof.domain_id, { event, at: event.data.verified_at });
        if (ended !== undefined) yield { event, what: `the proof of ${proof.domain} had ended` };
      }
      if (is(event, 'RecipientVersionActivated')) {
        const { recipient_version_id: id, evidence_digest } = event.data;
        if (!digests.has(id) || digests.get(id) !== evidence_digest)
          yield { event, what: `version ${id} was activated with other evidence` };
      }
    }
  },
};
