import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { evidenceDigest, type Proof } from './evidence';
import { type RecipientFacts } from '../../events/recipient.events';
import { facts, proof } from './recipient.fixtures';
import { type DomainId } from '../../kernel/aggregates';

const textOrNull = fc.option(fc.string(), { nil: null });
const anyFacts = fc.record<RecipientFacts>({
  rail: fc.string(),
  network: fc.string(),
  asset: fc.string(),
  address: fc.string(),
  memo: textOrNull,
  contract: textOrNull,
  issuer: textOrNull,
  decimals: fc.nat(255),
  chain_id: fc.option(fc.nat(), { nil: null }),
});
const anyProof = fc.record<Proof>({
  type: fc.constant('domain_proof' as const),
  domain_id: fc.string().map((end): DomainId => `dom_${end}`),
  domain: fc.string(),
  method: fc.constantFrom('dns', 'https'),
  verified_at: fc.string(),
});

describe('the evidence digest', () => {
  it('is sha256 over the canonical JSON of facts and proof, as anyone can make it again', () => {
    const canonical =
      `{"facts":{"address":"${facts.address}","asset":"XLM","chain_id":null,"contract":null,"decimals":7,` +
      `"issuer":null,"memo":null,"network":"stellar_testnet","rail":"stellar_xlm"},` +
      `"proof":{"domain":"shop.example","domain_id":"${proof.domain_id}","method":"dns","type":"domain_proof",` +
      `"verified_at":"2030-01-01T00:00:00.000Z"}}`;
    expect(evidenceDigest(facts, proof)).toBe(`sha256:${createHash('sha256').update(canonical).digest('hex')}`);
  });

  it('changes with any change of any one fact', () => {
    fc.assert(
      fc.property(anyFacts, anyFacts, anyProof, (one, other, by) => {
        for (const name of Object.keys(one) as (keyof RecipientFacts)[]) {
          const changed = { ...one, [name]: other[name] };
          const same = other[name] === one[name];
          expect(evidenceDigest(changed, by) === evidenceDigest(one, by)).toBe(same);
        }
      }),
    );
  });

  it('changes with any change of the proof', () => {
    fc.assert(
      fc.property(anyFacts, anyProof, anyProof, (of, one, other) => {
        for (const name of Object.keys(one) as (keyof Proof)[]) {
          const changed = { ...one, [name]: other[name] };
          expect(evidenceDigest(of, changed) === evidenceDigest(of, one)).toBe(other[name] === one[name]);
        }
      }),
    );
  });

  it('does not change with the order in which facts were written down', () => {
    fc.assert(
      fc.property(anyFacts, anyProof, (of, by) => {
        const turned = Object.fromEntries(Object.entries(of).reverse()) as RecipientFacts;
        return evidenceDigest(turned, by) === evidenceDigest(of, by);
      }),
    );
  });
});
