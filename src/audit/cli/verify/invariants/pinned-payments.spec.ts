import { createHash } from 'node:crypto';
import { creation } from '../../../../capabilities/payment-requests/payment-request.fixtures';
import { idFor } from '../../../../kernel/aggregates';
import { canonicalJson } from '../../../../kernel/canonical-json';
import { type RecordedEvent } from '../../../../platform/event-store/event-store.port';
import { approvedConnection, liveConnection } from './connections';
import { activeVersion, exactAmounts, onePaymentPerKey, pinnedFacts } from './payments';
import { evidence } from './recipients';
import { saidBy } from './said.fixtures';

const { merchant_id, recipient_id, recipient_version_id, facts, payee } = creation;
const at = (minute: number): string => new Date(Date.parse(creation.created_at) + minute * 60_000).toISOString();
const event = (stream: string, type: string, data: object, minute = 0, position = 6_000 + minute * 10): RecordedEvent =>
  ({ stream, type, data, position: BigInt(position), metadata: { occurred_at: at(minute) } }) as RecordedEvent;

const proof = { domain_id: 'dom_1', domain: payee.domain };
const digestOf = (about: object) => `sha256:${createHash('sha256').update(canonicalJson(about)).digest('hex')}`;
const evidence_digest = digestOf({ facts, proof });
const version = { recipient_id, merchant_id, recipient_version_id };
const recipientEvent = (type: string, data: object, minute: number) =>
  event(`recipient-${recipient_id}`, type, { ...version, ...data }, minute);
const made = recipientEvent('RecipientCreated', { name: payee.name }, -50);
const added = recipientEvent('RecipientVersionAdded', { facts }, -49);
const verified = recipientEvent('RecipientVersionVerified', { evidence_digest, proof }, -40);
const activated = recipientEvent('RecipientVersionActivated', { evidence_digest }, -30);
const recipient = [made, added, verified, activated];

describe('what verify says of a version of a recipient', () => {
  const proven = (changes: object = {}, minute = -45) =>
    event(`merchant-${merchant_id}`, 'MerchantDomainVerified', { ...proof, ...changes }, minute);
  const unproven = [`the merchant had not proven ${proof.domain}`];

  it('finds nothing in one that was verified and then activated', async () => {
    expect(await saidBy(evidence, recipient, [proven()])).toEqual([]);
  });

  it('finds evidence for other facts, for another proof or for a version that there is not', async () => {
    const other = 'the digest is not that of the facts and the proof';
    const elsewhere = recipientEvent('RecipientVersionAdded', { facts: { ...facts, address: 'G' } }, -49);
    expect(await saidBy(evidence, [made, elsewhere, verified], [proven()])).toEqual([other]);
    const proofOf = recipientEvent('RecipientVersionVerified', { evidence_digest, proof: { ...proof, more: 1 } }, -40);
    expect(await saidBy(evidence, [made, added, proofOf], [proven()])).toEqual([other]);
    const nothing = { evidence_digest: digestOf({ facts: null, proof }), proof };
    const unknown = recipientEvent('RecipientVersionVerified', nothing, -40);
    expect(await saidBy(evidence, [made, unknown], [proven()])).toEqual([other]);
  });

  it('finds a domain that was not proven by then, or not by that merchant', async () => {
    expect(await saidBy(evidence, recipient)).toEqual(unproven);
    expect(await saidBy(evidence, recipient, [proven({}, -40)])).toEqual(unproven);
    expect(await saidBy(evidence, recipient, [proven({ domain: 'other.example' })])).toEqual(unproven);
    expect(await saidBy(evidence, recipient, [proven({ domain_id: 'dom_2' })])).toEqual(unproven);
    const registered = event(`merchant-${merchant_id}`, 'MerchantDomainRegistered', proof, -45);
    expect(await saidBy(evidence, recipient, [registered])).toEqual(unproven);
  });

  it('finds an activation without the evidence', async () => {
    const what = [`version ${recipient_version_id} was activated with other evidence`];
    const other = recipientEvent('RecipientVersionActivated', { evidence_digest: 'sha256:0' }, -30);
    expect(await saidBy(evidence, [made, added, verified, other], [proven()])).toEqual(what);
    expect(await saidBy(evidence, [made, added, activated], [proven()])).toEqual(what);
    const none = recipientEvent('RecipientVersionActivated', {}, -30);
    expect(await saidBy(evidence, [made, added, none], [proven()])).toEqual(what);
  });
});

describe.each(['PaymentRequestCreated', 'AgentPaymentCreated'])('what verify says of a payee in %s', (type) => {
  const pay = (changes: object = {}) => [event('payment_request-pr_1', type, { ...creation, ...changes })];
  const inactive = [`version ${recipient_version_id} was not active at ${creation.created_at}`];

  it('finds nothing in a version that was verified and in use', async () => {
    expect(await saidBy(activeVersion, pay(), recipient)).toEqual([]);
    const next = (minute: number) =>
      event(`recipient-${recipient_id}`, 'RecipientVersionActivated', { recipient_version_id: 'rcv_2' }, minute);
    // Another one since, or so shortly before that the decision may have been made by then, or before it came back.
    expect(await saidBy(activeVersion, pay(), [...recipient, next(1)])).toEqual([]);
    expect(await saidBy(activeVersion, pay(), [...recipient, next(-0.4)])).toEqual([]);
    const back = recipientEvent('RecipientVersionActivated', {}, -10);
    expect(await saidBy(activeVersion, pay(), [...recipient, next(-20), back])).toEqual([]);
    expect(await saidBy(activeVersion, pay(), [...recipient, next(-20)])).toEqual(inactive);
  });

  it('finds the recipient of another merchant, and a version that was not verified or not active', async () => {
    const foreign = [`recipient ${recipient_id} is not one of the merchant’s`];
    expect(await saidBy(activeVersion, pay(), [])).toEqual(foreign);
    expect(await saidBy(activeVersion, pay({ merchant_id: 'mer_2' }), recipient)).toEqual(foreign);
    const unverified = [`version ${recipient_version_id} was never verified`];
    expect(await saidBy(activeVersion, pay(), [made, added, activated])).toEqual(unverified);
    const other = event(verified.stream, verified.type, { ...verified.data, recipient_version_id: 'rcv_2' }, -40);
    expect(await saidBy(activeVersion, pay(), [made, added, other, activated])).toEqual(unverified);
    expect(await saidBy(activeVersion, pay(), [made, added, verified])).toEqual(inactive);
    const late = recipientEvent('RecipientVersionActivated', {}, 1);
    expect(await saidBy(activeVersion, pay(), [made, added, verified, late])).toEqual(inactive);
  });

  it('finds other facts and another payee than those of the version', async () => {
    const factsOf = [`its facts are not those of version ${recipient_version_id}`];
    const payeeOf = ['its payee is not the recipient and the domain behind it'];
    expect(await saidBy(pinnedFacts, pay(), recipient)).toEqual([]);
    expect(await saidBy(pinnedFacts, pay({ facts: { ...facts, memo: '7' } }), recipient)).toEqual(factsOf);
    expect(await saidBy(pinnedFacts, pay(), [made, verified])).toEqual(factsOf);
    expect(await saidBy(pinnedFacts, pay(), [added, verified])).toEqual(payeeOf);
    expect(await saidBy(pinnedFacts, pay(), [made, added])).toEqual(payeeOf);
    expect(await saidBy(pinnedFacts, pay({ payee: { ...payee, name: 'Other' } }), recipient)).toEqual(payeeOf);
    expect(await saidBy(pinnedFacts, pay({ payee: { ...payee, domain: 'other.example' } }), recipient)).toEqual(
      payeeOf,
    );
    // The newest version is not the one that was pinned.
    const newer = { ...version, recipient_version_id: 'rcv_2' };
    const later = [
      event(made.stream, 'RecipientVersionAdded', { ...newer, facts: { ...facts, memo: '7' } }),
      event(made.stream, 'RecipientVersionVerified', { ...newer, proof: { domain: 'other.example' } }),
    ];
    expect(await saidBy(pinnedFacts, pay(), [made, ...later, ...recipient.slice(1)])).toEqual([]);
  });

  it('finds an invalid amount, and one that the asset cannot carry', async () => {
    for (const amount of ['1', '0.0000001']) expect(await saidBy(exactAmounts, pay({ amount }))).toEqual([]);
    for (const amount of ['1.00000001', '-1', 'x', 1, null])
      expect(await saidBy(exactAmounts, pay({ amount }))).toEqual([
        `${JSON.stringify(amount)} is not an exact amount of this asset`,
      ]);
    const reserved = (amount: unknown) => [event('automation_policy-pol_1', 'AmountReserved', { amount })];
    expect(await saidBy(exactAmounts, reserved('1.00000001'))).toEqual([]);
    expect(await saidBy(exactAmounts, reserved('1e3'))).toEqual(['"1e3" is not an exact amount of this asset']);
    expect(await saidBy(exactAmounts, [event('automation_policy-pol_1', 'AutomationPolicyRevoked', {})])).toEqual([]);
  });
});

it('looks at each kind of payment, and at the streams that decide on it', () => {
  for (const { categories } of [activeVersion, pinnedFacts, exactAmounts, liveConnection])
    expect(categories).toEqual(expect.arrayContaining(['payment_request', 'agent_payment']));
  const others = [exactAmounts, onePaymentPerKey, evidence, approvedConnection].map(({ categories }) =>
    categories.at(-1),
  );
  expect(others).toEqual(['automation_policy', 'payment_request', 'recipient', 'connection']);
});

describe('what verify says of a key that an agent payment had taken', () => {
  const [request, payment] = ['payment_request-pr_1', 'agent_payment-ap_1'];
  const taken = event(request, 'PaymentRequestKeyTaken', { payment_id: 'ap_1' });
  const forgone = event(payment, 'AgentPaymentForgone', {});
  const held = ['agent payment ap_1 holds the key and was never given up'];

  it.each(['PaymentRequestCreated', 'PaymentRequestKeyAssigned'])('finds %s unless it was given up', async (type) => {
    const next = event(request, type, {});
    expect(await saidBy(onePaymentPerKey, [next])).toEqual([]);
    expect(await saidBy(onePaymentPerKey, [taken])).toEqual([]);
    expect(await saidBy(onePaymentPerKey, [taken, next], [forgone])).toEqual([]);
    expect(await saidBy(onePaymentPerKey, [taken, next])).toEqual(held);
    const both = [event(payment, 'AgentPaymentCreated', {}), forgone];
    expect(await saidBy(onePaymentPerKey, [taken, next], both)).toEqual([
      'agent payment ap_1 was made under the same key',
    ]);
  });
});

describe('what verify says of a payment under a key', () => {
  const of = { merchant_id: 'mer_1', connection_id: 'con_1', idempotency_key: 'k' } as const;
  const elsewhere = ['its key k leads elsewhere'];
  const request = (id: string, request_id = id) =>
    event(`payment_request-${id}`, 'PaymentRequestCreated', { ...of, request_id });
  const payment = (id: string) => event(`agent_payment-${id}`, 'AgentPaymentCreated', { ...of, payment_id: id });
  const place = idFor.requestOfKey('con_1', 'k');
  const shared = idFor.paymentOfConnectionKey('con_1', 'k');
  const taken = (payment_id: string) =>
    event(`payment_request-${place}`, 'PaymentRequestKeyTaken', { ...of, payment_id });
  const assigned = (request_id: string) =>
    event(`payment_request-${place}`, 'PaymentRequestKeyAssigned', { ...of, request_id });

  it('finds nothing where the key leads to it', async () => {
    expect(await saidBy(onePaymentPerKey, [request(place)])).toEqual([]);
    const named = request(idFor.requestOfName('mer_1', 'order-7'), 'order-7');
    expect(await saidBy(onePaymentPerKey, [named], [assigned('order-7')])).toEqual([]);
    // As older versions have written it, when ids were unique across all merchants.
    expect(await saidBy(onePaymentPerKey, [request('order-7')], [assigned('order-7')])).toEqual([]);
    const another = event('payment_request-order-7', 'PaymentRequestCreated', { ...of, merchant_id: 'mer_2' });
    expect(await saidBy(onePaymentPerKey, [named], [assigned('order-7'), another])).toEqual([]);
    for (const id of [idFor.paymentOfKey('mer_1', 'k'), idFor.paymentOfConnectionKey('con_1', 'k')])
      expect(await saidBy(onePaymentPerKey, [payment(id)], [taken(shared)])).toEqual([]);
    expect(await saidBy(onePaymentPerKey, [payment(idFor.paymentOfKey('mer_1', 'k'))])).toEqual([]);
  });

  it('finds a second one', async () => {
    expect(await saidBy(onePaymentPerKey, [request('pr_2')])).toEqual(elsewhere);
    expect(await saidBy(onePaymentPerKey, [request('pr_2')], [request(place)])).toEqual(elsewhere);
    expect(await saidBy(onePaymentPerKey, [request('pr_2')], [assigned('order-7')])).toEqual(elsewhere);
    expect(await saidBy(onePaymentPerKey, [payment('ap_2')])).toEqual(elsewhere);
    for (const others of [[], [request(place)], [taken('ap_3')]])
      expect(await saidBy(onePaymentPerKey, [payment(shared)], others)).toEqual(elsewhere);
    const inBothPlaces = [assigned('order-7'), request('order-7')];
    const named = request(idFor.requestOfName('mer_1', 'order-7'), 'order-7');
    expect(await saidBy(onePaymentPerKey, [named], inBothPlaces)).toEqual(elsewhere);
  });
});

describe.each([
  ['inv_1', 'connect_invitation-inv_1', 'ConnectInvitationClaimed', 'ConnectInvitationApproved'],
  ['prs_1', 'pairing_session-prs_1', 'PairingSessionStarted', 'PairingSessionApproved'],
])('what verify says of a connection from %s', (origin_id, origin, asks, approves) => {
  const parties = { device_id: 'dev_1', agent_id: 'agt_1', merchant_id: 'mer_1', connection_id: 'con_1' };
  const created = (changes: object = {}) =>
    event('connection-con_1', 'ConnectionCreated', { origin_id, ...parties, scopes: ['a'], ...changes });
  const asked = event(origin, asks, { requested_scopes: ['a', 'b', 'c'] });
  const approved = event(origin, approves, { ...parties, scopes: ['a', 'b', 'd'] });
  const agreed = [asked, approved];
  const tooMuch = (scopes: string) => [`it has more scopes than were requested and approved: ${scopes}`];

  it('finds nothing in what was requested and approved', async () => {
    expect(await saidBy(approvedConnection, [created({ scopes: ['a', 'b'] })], agreed)).toEqual([]);
  });

  it('finds what nobody approved or requested', async () => {
    expect(await saidBy(approvedConnection, [created()], [asked])).toEqual([`nobody approved ${origin_id}`]);
    expect(await saidBy(approvedConnection, [created()], [approved])).toEqual(tooMuch('a'));
    expect(await saidBy(approvedConnection, [created({ scopes: ['a', 'c', 'd'] })], agreed)).toEqual(tooMuch('c, d'));
  });

  it.each(Object.keys(parties))('finds another %s', async (name) => {
    expect(await saidBy(approvedConnection, [created({ [name]: 'other' })], agreed)).toEqual([
      `its ${name} is not the one that was approved`,
    ]);
  });

  it('finds a stream that begins otherwise', async () => {
    const paused = event('connection-con_1', 'ConnectionPaused', {});
    expect(await saidBy(approvedConnection, [paused, created()], agreed)).toEqual([
      'the stream does not begin with a connection',
    ]);
  });
});
