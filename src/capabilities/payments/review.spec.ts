import { type AgentDocument } from '../../../projections/agents.projection';
import { assetKey, type PayeeHistoryDocument } from '../../../projections/payee-history.projection';
import { type MerchantDomainDocument } from '../../../projections/merchants.projection';
import { type RecipientDocument } from '../../../projections/recipients.projection';
import { creation, facts } from '../payment-requests/payment-request.fixtures';
import { type Known, type Reviewed, reviewOf } from './review';
import { type Notice } from './review-notice';

const now = '2030-01-10T00:00:00.000Z';
const longAgo = '2029-01-01T00:00:00.000Z';
const anHourAgo = '2030-01-09T23:00:00.000Z';
const aMonthAgo = '2029-12-11T00:00:00.000Z';
const aDayAgo = '2030-01-09T00:00:00.000Z';

const reviewed: Reviewed = { id: creation.request_id, ...creation, facts, amount: '10' };

const history: PayeeHistoryDocument = {
  id: 'h',
  device_id: 'dev_d',
  recipient_id: creation.recipient_id,
  name: 'shop',
  confirmed: 3,
  last_confirmed_at: longAgo,
  last_facts: facts,
  amounts: [{ asset: assetKey(facts), last: ['5', '2'] }],
};

const recipientAt = (activated_at: string, provenAt: string): RecipientDocument => ({
  id: creation.recipient_id,
  merchant_id: 'mer_m',
  name: 'Shop',
  active_version_id: creation.recipient_version_id,
  activations: 1,
  payable: true,
  versions: [
    {
      ...facts,
      recipient_version_id: creation.recipient_version_id,
      number: 1,
      status: 'active',
      evidence: {
        evidence_id: 'evd_1',
        evidence_digest: 'sha256:1',
        verified_at: longAgo,
        proof: {
          type: 'domain_proof',
          domain_id: 'dom_d',
          domain: 'shop.example',
          method: 'dns',
          verified_at: provenAt,
        },
      },
      created_at: longAgo,
      activated_at,
    },
  ],
  created_at: longAgo,
  updated_at: longAgo,
  version: 1,
});

const agentWith = (...keys: readonly (readonly [string | null, 'active' | 'pending' | 'revoked'])[]): AgentDocument =>
  ({
    id: creation.agent_id,
    name: 'Agent',
    credentials: keys.map(([activated_at, status]) => ({ created_at: activated_at ?? now, activated_at, status })),
  }) as unknown as AgentDocument;

/** Keys in order of registration, each with the times of its registration and of its proof. */
const agentWithProofs = (
  ...keys: readonly (readonly [created_at: string, activated_at: string, status: 'active' | 'revoked'])[]
): AgentDocument =>
  ({
    ...agentWith(),
    credentials: keys.map(([created_at, activated_at, status]) => ({ created_at, activated_at, status })),
  }) as unknown as AgentDocument;

const at = (time: string): string => `2030-01-09T${time}:00.000Z`;

const known: Known = {
  now,
  history,
  recipient: recipientAt(longAgo, longAgo),
  agent: agentWith([longAgo, 'active']),
  connection: undefined,
  same: [],
  paid: undefined,
  manySince: null,
  outsidePolicy: false,
  isOpen: true,
  namesakes: [],
  domain: undefined,
};

const noticesFor = (changes: Partial<Known>, payment: Partial<Reviewed> = {}): readonly Notice[] =>
  reviewOf({ ...reviewed, ...payment }, { ...known, ...changes }).notices;
const codes = (notices: readonly Notice[]): string[] => notices.map(({ code }) => code);

/** The version under review is no longer in force; another one is, at this address. */
const replaced = (status: 'superseded' | 'retired', address: string | null): RecipientDocument => {
  const { versions, ...rest } = recipientAt(longAgo, longAgo);
  const [version] = versions;
  if (version === undefined) throw new Error('no version');
  const next = { ...version, recipient_version_id: 'rcv_next', status: 'active', address: address ?? '' } as const;
  return {
    ...rest,
    active_version_id: address === null ? null : 'rcv_next',
    versions: [{ ...version, status }, ...(address === null ? [] : [next])],
  };
};
const elsewhere: PayeeHistoryDocument = {
  ...history,
  recipient_id: 'rcp_other',
  last_facts: { ...facts, address: 'another' },
};
const domainIs = (changes: Partial<MerchantDomainDocument>): MerchantDomainDocument =>
  ({ status: 'verified', superseded_at: null, last_seen_at: longAgo, ...changes }) as MerchantDomainDocument;

describe('what a person should know before approving', () => {
  it('is nothing where all is as usual', () => expect(noticesFor({})).toEqual([]));

  it.each<[string, Partial<Known>, Partial<Reviewed>]>([
    ['first_payment_to_recipient', { history: undefined }, {}],
    ['payee_changed_since_last_payment', {}, { facts: { ...facts, address: 'another' } }],
    ['payee_changed_since_last_payment', {}, { facts: { ...facts, network: 'stellar_public' } }],
    ['payee_changed_since_last_payment', {}, { facts: { ...facts, issuer: 'another' } }],
    ['recipient_version_new', { recipient: recipientAt(anHourAgo, longAgo) }, {}],
    ['domain_recently_verified', { recipient: recipientAt(longAgo, anHourAgo) }, {}],
    ['agent_key_rotated', { agent: agentWith([longAgo, 'revoked'], [anHourAgo, 'active']) }, {}],
    // The clock was set back before the second key was activated.
    ['agent_key_rotated', { agent: agentWith([now, 'revoked'], [anHourAgo, 'active']) }, {}],
    // Registered before the key that it replaced, and proven after it.
    [
      'agent_key_rotated',
      { agent: agentWithProofs([at('23:00'), at('23:04'), 'active'], [at('23:01'), at('23:02'), 'revoked']) },
      {},
    ],
    [
      'agent_key_rotated',
      { agent: agentWithProofs([at('23:00'), at('23:01'), 'revoked'], [at('22:00'), at('22:01'), 'active']) },
      {},
    ],
    // The clock was set back between the registration of the second key and its proof.
    [
      'agent_key_rotated',
      { agent: agentWithProofs([at('23:00'), at('23:01'), 'revoked'], [at('23:02'), at('22:01'), 'active']) },
      {},
    ],
    ['amount_above_usual', {}, { amount: '10.0000001' }],
    ['amount_above_usual', { history: { ...history, amounts: [{ asset: assetKey(facts), last: ['4.9'] }] } }, {}],
    ['same_intent_open', { same: [{ id: 'r2', created_at: anHourAgo }] }, {}],
    ['same_order_paid', { paid: { id: 'r2', created_at: anHourAgo, title: 'Two coffees' } }, {}],
    ['agent_revoked', { agent: { ...agentWith([longAgo, 'active']), status: 'revoked' } }, {}],
    ['many_requests', { manySince: anHourAgo }, {}],
    ['outside_policy', { outsidePolicy: true }, {}],
    ['payee_version_superseded', { recipient: replaced('superseded', 'another') }, {}],
    ['payee_version_superseded', { recipient: replaced('superseded', facts.address) }, {}],
    ['payee_version_superseded', { recipient: replaced('retired', null) }, {}],
    ['domain_proof_stale', { domain: domainIs({ last_seen_at: aMonthAgo }) }, {}],
    ['domain_proven_by_another', { domain: domainIs({ status: 'superseded', superseded_at: longAgo }) }, {}],
    // Registered again, not proven again yet.
    ['domain_proven_by_another', { domain: domainIs({ status: 'pending', superseded_at: longAgo }) }, {}],
  ])('%s', (code, changes, payment) => expect(codes(noticesFor(changes, payment))).toEqual([code]));

  it.each<[string, Partial<Known>, Partial<Reviewed>]>([
    ['a memo alone is no other payee', {}, { facts: { ...facts, memo: 'order 8' } }],
    ['twice the largest is usual', {}, { amount: '10.00' }],
    ['a day is not new', { recipient: recipientAt(aDayAgo, aDayAgo) }, {}],
    ['a first key is not rotated', { agent: agentWith([anHourAgo, 'active']) }, {}],
    ['a key is registered but not yet proven', { agent: agentWith([anHourAgo, 'active'], [null, 'pending']) }, {}],
    ['an old key is not new', { agent: agentWith([longAgo, 'revoked'], [aDayAgo, 'active']) }, {}],
  ])('says nothing where %s', (_, changes, payment) => expect(noticesFor(changes, payment)).toEqual([]));

  it('names the payment that was made already, and what the agent called it', () => {
    const said = (title: string | null) => noticesFor({ paid: { id: 'r2', created_at: anHourAgo, title } })[0];
    const notice = { severity: 'danger', since: anHourAgo, request_ids: ['r2'] };
    expect(said('Two coffees')).toMatchObject({ ...notice, title: 'Two coffees' });
    expect(said(null)).not.toHaveProperty('title');
  });

  it('warns of another payee of this name, paid at another address, until this one was paid', () => {
    const first = noticesFor({ history: undefined, namesakes: [elsewhere] });
    expect(codes(first)).toEqual(['payee_name_reused', 'first_payment_to_recipient']);
    expect(first[0]).toMatchObject({ severity: 'danger', since: longAgo });
    expect(codes(noticesFor({ history: undefined, namesakes: [history] }))).toEqual(['first_payment_to_recipient']);
    expect(codes(noticesFor({ namesakes: [elsewhere] }))).toEqual([]);
  });

  it('is a danger where the payee is paid elsewhere by now, or nowhere', () => {
    const severities = [
      replaced('superseded', 'another'),
      replaced('superseded', facts.address),
      replaced('retired', null),
    ]
      .flatMap((recipient) => noticesFor({ recipient }))
      .map(({ severity }) => severity);
    expect(severities).toEqual(['danger', 'warning', 'danger']);
    expect(noticesFor({ recipient: replaced('superseded', 'another'), isOpen: false })).toEqual([]);
  });

  it('says nothing of a domain that was seen within a month, or given up', () => {
    expect(noticesFor({ domain: domainIs({ last_seen_at: '2029-12-11T00:00:00.001Z' }) })).toEqual([]);
    expect(noticesFor({ domain: domainIs({ status: 'given_up' }) })).toEqual([]);
  });

  it('reports danger first, and since when', () => {
    const notices = noticesFor(
      { same: [{ id: 'r2', created_at: anHourAgo }], outsidePolicy: true },
      { facts: { ...facts, address: 'another' } },
    );
    expect(notices.map(({ severity }) => severity)).toEqual(['danger', 'warning', 'info']);
    expect(notices[0]).toMatchObject({ since: longAgo });
    expect(notices[1]).toMatchObject({ since: anHourAgo, request_ids: ['r2'] });
  });

  it('reports what matters more first, whatever it is about', () =>
    expect(codes(noticesFor({ history: undefined, recipient: recipientAt(anHourAgo, longAgo) }))).toEqual([
      'recipient_version_new',
      'first_payment_to_recipient',
    ]));

  it('takes the key that was proven last for the one in use, whichever was registered first', () => {
    const agent = agentWithProofs(
      [at('22:00'), at('22:01'), 'active'],
      [at('23:00'), at('23:04'), 'active'],
      [at('23:01'), at('23:02'), 'active'],
      [at('23:02'), at('23:03'), 'active'],
    );
    expect(noticesFor({ agent })).toMatchObject([{ code: 'agent_key_rotated', since: at('23:04') }]);
    expect(reviewOf(reviewed, { ...known, agent }).facts).toMatchObject({ agent: { credential_since: at('23:04') } });
  });

  it('names the facts behind it', () => {
    expect(reviewOf(reviewed, known).facts).toMatchObject({
      confirmed_payments: 3,
      last_confirmed_at: longAgo,
      recipient_version: { number: 1, activated_at: longAgo, evidence_id: 'evd_1', evidence_digest: 'sha256:1' },
      domain: { domain: 'shop.example', method: 'dns', proven_at: longAgo },
      agent: { agent_id: creation.agent_id, credential_since: longAgo },
      connection: null,
    });
    const nothing = { ...known, history: undefined, recipient: undefined, agent: undefined };
    expect(reviewOf(reviewed, nothing).facts).toMatchObject({ confirmed_payments: 0, recipient_version: null });
  });
});
