import { type RecordedEvent } from '../../../../platform/event-store/event-store.port';
import { domainHolders, endedProof } from './domains';
import { saidBy } from './said.fixtures';

const at = (minute: number): string => new Date(Date.parse('2030-01-01T00:00:00.000Z') + minute * 60_000).toISOString();
const event = (stream: string, version: number, type: string, data: object, minute = version): RecordedEvent =>
  ({
    ...{ stream, version, type, data, position: BigInt(minute) },
    metadata: { event_id: `evt_${stream}_${version}`, occurred_at: at(minute) },
  }) as unknown as RecordedEvent;
const held = (merchant: string, proof_version = 3) => ({
  ...{ merchant_id: `mer_${merchant}`, domain_id: `dom_${merchant}`, proof_version },
});
const domain = 'shop.example';
const proof = (merchant: string, version = 3): RecordedEvent =>
  event(`merchant-mer_${merchant}`, version, 'MerchantDomainVerified', { domain_id: `dom_${merchant}`, domain });
const name = (version: number, type: string, data: object) => event('domain_name-dnm_1', version, type, data);
const proven = (version: number, holder: object, superseded: object | null = null) =>
  name(version, 'DomainNameProven', { domain, holder, superseded });

describe('what verify says of the holders of a domain', () => {
  const proofs = [proof('a'), proof('b')];

  it('is nothing where each proof supersedes the one before it', async () => {
    const seen = name(3, 'DomainNameSeen', { holder: held('b') });
    const events = [proven(1, held('a')), proven(2, held('b'), held('a')), seen];
    expect(await saidBy(domainHolders, events, proofs)).toEqual([]);
  });

  it('finds a holder that proved nothing, or at another version', async () => {
    expect(await saidBy(domainHolders, [proven(1, held('c'))], proofs)).toEqual([`mer_c had not proven ${domain}`]);
    expect(await saidBy(domainHolders, [proven(1, held('a', 4))], proofs)).toEqual([`mer_a had not proven ${domain}`]);
  });

  it('finds a proof that was not superseded, and a look at another than the holder', async () => {
    const kept = [proven(1, held('a')), proven(2, held('b'))];
    expect(await saidBy(domainHolders, kept, proofs)).toEqual(['it does not supersede the proof before it']);
    const other = [proven(1, held('a')), name(2, 'DomainNameMissed', { holder: held('b') })];
    expect(await saidBy(domainHolders, other, proofs)).toEqual(['it is not about the holder']);
  });
});

describe('whether a proof had ended', () => {
  const stream = 'merchant-mer_a';
  const ended = event(stream, 4, 'MerchantDomainSuperseded', { domain_id: 'dom_a', domain }, 4);
  const again = event(stream, 5, 'MerchantDomainVerified', { domain_id: 'dom_a', domain }, 6);
  const look = (minute: number, ...events: readonly RecordedEvent[]) =>
    endedProof({ stream: async () => [proof('a'), ...events], next: async () => undefined }, 'mer_a', 'dom_a', {
      event: event('payment_request-1', 1, 'PaymentRequestCreated', {}, minute),
      at: at(minute),
    });

  it('is known from its end until it is proven again', async () => {
    expect(await look(3)).toBeUndefined();
    expect(await look(5, ended)).toBe(ended);
    expect(await look(7, ended, again)).toBeUndefined();
  });
});
