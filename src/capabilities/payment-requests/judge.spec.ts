import { payableRecipient, versionInForce } from '../payments/payable-recipient';
import { type RecipientEvent } from '../../events/recipient.events';
import { judge } from './judge';
import { type SubmittedParts } from './submission';
import { facts } from './payment-request.fixtures';
import { type MerchantId, type RecipientVersionId } from '../../kernel/aggregates';

const now = new Date('2030-01-01T00:00:00.000Z');
const about = { recipient_id: 'rcp_1', merchant_id: 'mer_1' } as const;
const at = now.toISOString();
const version = (id: RecipientVersionId, changes: object = {}): RecipientEvent[] => {
  const named = { ...about, recipient_version_id: id } as const;
  const proof = {
    type: 'domain_proof',
    domain_id: 'dom_1',
    domain: `${id.slice(4)}.example`,
    method: 'dns',
    verified_at: at,
  } as const;
  const evidence = { evidence_id: 'evd_1', evidence_digest: 'sha256:1' } as const;
  return [
    { type: 'RecipientVersionAdded', data: { ...named, number: 1, facts: { ...facts, ...changes }, added_at: at } },
    { type: 'RecipientVersionVerified', data: { ...named, ...evidence, proof, verified_at: at } },
    {
      type: 'RecipientVersionActivated',
      data: { ...named, ...evidence, superseded_version_id: null, activated_at: at },
    },
  ];
};
const created: RecipientEvent = { type: 'RecipientCreated', data: { ...about, name: 'Shop', created_at: at } };
const recipient = (...events: RecipientEvent[]) => [created, ...events].reduce(payableRecipient.evolve, null);
const parts: SubmittedParts = {
  recipientId: 'rcp_1',
  recipientVersionId: 'rcv_one',
  amount: '1.1234567',
  expiresAt: undefined as string | undefined,
  freeForm: {},
};
const codes = (
  changes: Partial<SubmittedParts>,
  events = version('rcv_one'),
  merchantId: MerchantId = 'mer_1',
): string[] => judge({ ...parts, ...changes }, recipient(...events), merchantId, now).issues.map(({ code }) => code);

describe('judging a submission', () => {
  it('pins the active version, with the domain that vouches for it', () => {
    expect(judge(parts, recipient(...version('rcv_one')), 'mer_1', now)).toEqual({
      issues: [],
      pinned: {
        versionId: 'rcv_one',
        name: 'Shop',
        domain: 'one.example',
        domainId: expect.stringMatching(/^dom_/),
        facts,
        activations: 1,
      },
    });
  });
  it('knows no recipient of another merchant', () =>
    expect(codes({}, version('rcv_one'), 'mer_2')).toEqual(['resource_not_found']));
  it('knows no recipient that is not there', () =>
    expect(judge(parts, null, 'mer_1', now).issues.map(({ code }) => code)).toEqual(['resource_not_found']));

  const [added, verified] = version('rcv_one') as [RecipientEvent, RecipientEvent];
  it.each([
    ['not there', []],
    ['only added', [added]],
    ['verified but not activated', [added, verified]],
    ['superseded', [...version('rcv_one'), ...version('rcv_two')]],
  ])('does not pin a version that is %s', (_, events) =>
    expect(codes({}, events)).toEqual(['recipient_version_not_active']),
  );
  it('pins the version that superseded it', () => {
    const state = recipient(...version('rcv_one'), ...version('rcv_two', { memo: 'x' }));
    expect(state && versionInForce(state)).toMatchObject({
      versionId: 'rcv_two',
      domain: 'two.example',
      facts: { memo: 'x' },
    });
  });

  it('does not divide an asset more finely than it can be', () =>
    expect(codes({ amount: '1.12345678' })).toEqual(['too_many_fraction_digits']));
  it('says so by the version in force, whichever version was named', () => {
    const superseded = [...version('rcv_one'), ...version('rcv_two')];
    const both = ['recipient_version_not_active', 'too_many_fraction_digits'];
    expect(codes({ amount: '1.12345678' }, superseded)).toEqual(both);
    expect(codes({ amount: '1.12345678', recipientVersionId: undefined })).toEqual(['too_many_fraction_digits']);
    expect(codes({ amount: '1.12345678' }, [added, verified])).toEqual(['recipient_version_not_active']);
  });
  it('leaves it to the wallet where the decimals are unknown', () =>
    expect(codes({ amount: '1.123456789012345678901' }, version('rcv_one', { decimals: null }))).toEqual([]));

  it.each([
    ['2029-12-31T23:59:59.999Z', ['in_the_past']],
    ['2030-01-01T00:00:00.000Z', ['in_the_past']],
    ['2030-01-01T00:00:00.001Z', []],
    ['2030-01-31T00:00:00.000Z', []],
    ['2030-01-31T00:00:00.001Z', ['too_far']],
  ])('of %s finds %j', (expiresAt, found) => expect(codes({ expiresAt })).toEqual(found));

  it('says all of it at once', () =>
    expect(codes({ expiresAt: '2020-01-01T00:00:00.000Z', amount: '0.00000001' })).toEqual([
      'in_the_past',
      'too_many_fraction_digits',
    ]));
});
