import { type RecordedEvent } from '../../../../platform/event-store/event-store.port';
import { type Invariant, type Log } from '../invariant';
import { truthfulSettlement } from './settlements';
import { oneTime, wholeStreams } from './streams';
import { expiry, transitions } from './transitions';

const complete = { occurred_at: '2030-01-01T00:00:00.000Z', actor: { kind: 'k', id: 'i' }, request_id: 'r', schema: 1 };
const event = (type: string, data: object = {}): RecordedEvent => ({ type, data }) as RecordedEvent;

async function said(invariant: Invariant, stream: string, ...given: readonly Partial<RecordedEvent>[]) {
  const found: string[] = [];
  const events = given.map((one, index) => {
    const [version, position] = [index + 1, BigInt(index + 1)];
    return {
      stream,
      version,
      position,
      metadata: { ...complete, event_id: `evt_${version}` },
      ...one,
    } as RecordedEvent;
  });
  for await (const { what, event: at } of invariant.breaches(events, {} as Log)) found.push(`${at.version}: ${what}`);
  return found;
}

const KINDS = [
  ['PaymentRequest', 'payment_request-pr_1', 'pending'],
  ['AgentPayment', 'agent_payment-ap_1', 'intent_created'],
] as const;

describe.each(KINDS)('what verify says of the status changes of a %s', (prefix, stream, waiting) => {
  /** The name of a status stands for the move to it, which says what it follows. */
  const moves = (...statuses: readonly string[]) =>
    statuses.map((status, index) => {
      const before = statuses[index - 1];
      const hash = ['broadcasted', 'confirmed'].includes(status.toLowerCase()) ? { transaction_hash: 'h' } : {};
      return event(`${prefix}${status}`, {
        previous_status: before === 'Created' ? waiting : before?.toLowerCase(),
        ...hash,
      });
    });
  const saidOf = (...statuses: readonly string[]) => said(transitions, stream, ...moves(...statuses));

  it.each([
    ['Created', 'Signed', 'Broadcasted', 'Confirmed'],
    ['Created', 'Signed', 'Broadcasted', 'Failed'],
    ['Created', 'Signed', 'Failed'],
    ['Created', 'Failed'],
    ['Created', 'Rejected'],
    ['Created', 'Expired', 'LateReport'],
  ])('finds nothing in %s, %s, %s, %s', async (...statuses) => {
    expect(await saidOf(...statuses.filter((status) => status !== undefined))).toEqual([]);
  });

  it.each([
    ['Signed', 'Created', 'Broadcasted'],
    ['Confirmed', 'Signed', 'Created'],
    ['Broadcasted', 'Created', 'Rejected'],
    ['Expired', 'Signed', 'Confirmed'],
    ['Rejected', 'Signed', 'Broadcasted'],
    ['Failed', 'Rejected', 'Expired'],
    ['Failed', 'Confirmed', 'Failed'],
    ['Signed', 'Expired', 'Rejected'],
  ])('finds a move to %s from %s or %s', async (to, ...origins) => {
    for (const from of origins.filter((origin) => origin !== 'Created' || !['Signed', 'Expired'].includes(to))) {
      const way: Record<string, string[]> = { Broadcasted: ['Signed'], Confirmed: ['Signed', 'Broadcasted'] };
      const statuses = ['Created', ...(way[from] ?? []), ...(from === 'Created' ? [] : [from]), to];
      const before = from === 'Created' ? 'waiting' : from.toLowerCase();
      const what = `${statuses.length}: ${to.toLowerCase()} cannot follow ${before}`;
      expect((await saidOf(...statuses)).filter((one) => one.includes('cannot'))).toEqual([what]);
    }
  });

  it('finds a move before the creation and a status that there is not', async () => {
    expect(await saidOf('Signed')).toEqual(['1: signed cannot follow nothing']);
    expect(await saidOf('Created', 'Refunded')).toEqual(['2: refunded cannot follow waiting']);
    expect(await saidOf('Created', 'LateReport')).toEqual(['2: a late report although it was waiting']);
    expect(await saidOf('LateReport')).toEqual(['1: a late report although it was not there']);
  });

  it('finds a move that names another status than the one before it, or another transaction', async () => {
    const [created, signed, broadcasted, confirmed] = moves('Created', 'Signed', 'Broadcasted', 'Confirmed') as [
      RecordedEvent,
      RecordedEvent,
      RecordedEvent,
      RecordedEvent,
    ];
    const wrong = event(signed.type, { previous_status: 'broadcasted' });
    expect(await said(transitions, stream, created, wrong)).toEqual([
      '2: it says that it followed broadcasted, but it followed waiting',
    ]);
    for (const hash of ['other', null, undefined]) {
      const other = event(confirmed.type, { ...confirmed.data, transaction_hash: hash });
      expect(await said(transitions, stream, created, signed, broadcasted, other)).toEqual([
        '4: another transaction was broadcasted',
      ]);
    }
  });

  it('finds what changes no status nowhere in the way', async () => {
    const asides = [
      'SettlementObserved',
      ...(prefix === 'AgentPayment' ? ['Refused', 'Forgone'] : ['KeyTaken', 'KeyAssigned', 'SettlementCheckRequested']),
    ];
    const [created, signed] = moves('Created', 'Signed') as [RecordedEvent, RecordedEvent];
    for (const aside of asides) {
      const between = event(`${prefix}${aside}`, { transaction_hash: 'x' });
      expect(await said(transitions, stream, between, created, between, signed, between)).toEqual([]);
    }
  });

  it('looks at each kind of payment', () => {
    const category = stream.split('-')[0];
    for (const { categories } of [transitions, expiry, truthfulSettlement]) expect(categories).toContain(category);
  });

  it('finds an end before its time, and a decision after it', async () => {
    const until = '2030-01-01T00:15:00.000Z';
    const before = '2030-01-01T00:14:59.999Z';
    const saidAt = (status: string, at: string) =>
      said(expiry, stream, event(`${prefix}Created`, { expires_at: until }), event(`${prefix}${status}`, { at }));
    expect(await saidAt('Expired', until)).toEqual([]);
    expect(await saidAt('Expired', before)).toEqual([`2: it expired at ${before}, before its time`]);
    for (const status of ['Signed', 'Rejected']) {
      expect(await saidAt(status, before)).toEqual([]);
      expect(await saidAt(status, until)).toEqual([
        `2: it was ${status.toLowerCase()} at ${until}, after it had expired`,
      ]);
    }
    expect(await saidAt('Broadcasted', until)).toEqual([]);
    // Nobody can tell whether that was in time.
    for (const status of ['Expired', 'Signed', 'Rejected']) expect(await saidAt(status, 'soon')).toHaveLength(1);
  });

  it('finds a finding about another transaction, and a verdict that contradicts what was found', async () => {
    const broadcasted = event(`${prefix}Broadcasted`, { transaction_hash: 'h' });
    const found = (settlement: object, transaction_hash = 'h') =>
      said(
        truthfulSettlement,
        stream,
        broadcasted,
        event(`${prefix}SettlementObserved`, {
          transaction_hash,
          settlement: { differences: [], ledger: 7, ...settlement },
        }),
      );
    expect(await found({ verdict: 'matches' })).toEqual([]);
    expect(await found({ verdict: 'differs', differences: ['amount'] })).toEqual([]);
    expect(await found({ verdict: 'not_found', ledger: null })).toEqual([]);
    expect(await found({ verdict: 'pending', ledger: null })).toEqual([]);
    expect(await found({ verdict: 'matches' }, 'other')).toEqual(['2: no wallet had reported other']);
    expect(await found({ verdict: 'matches', differences: ['amount'] })).toEqual([
      '2: matches contradicts 1 difference(s)',
    ]);
    expect(await found({ verdict: 'differs' })).toEqual(['2: differs contradicts 0 difference(s)']);
    expect(await found({ verdict: 'matches', ledger: null })).toEqual(['2: matches contradicts ledger null']);
    expect(await found({ verdict: 'differs', differences: ['amount'], ledger: null })).toEqual([
      '2: differs contradicts ledger null',
    ]);
    expect(await found({ verdict: 'not_found' })).toEqual(['2: not_found contradicts ledger 7']);
    expect(
      await said(
        truthfulSettlement,
        stream,
        event(`${prefix}SettlementObserved`, {
          transaction_hash: 'h',
          settlement: { verdict: 'matches', differences: [], ledger: 7 },
        }),
      ),
    ).toEqual(['1: no wallet had reported h']);
  });
});

describe('what verify says of a stream', () => {
  const saidOf = (...given: readonly Partial<RecordedEvent>[]) => said(wholeStreams, 'merchant-mer_1', ...given);

  it('finds a gap, a disorder and an event twice', async () => {
    expect(await saidOf({}, {}, {})).toEqual([]);
    expect(await saidOf({ version: 2 })).toEqual(['2: event 1 of the stream is missing']);
    expect(await saidOf({}, { version: 3 })).toEqual(['3: event 2 of the stream is missing']);
    expect(await saidOf({}, { position: 1n })).toEqual(['2: it is before the event it follows']);
    const metadata = { ...complete, event_id: 'evt_2' };
    expect(await saidOf({}, {}, { metadata })).toEqual(['3: evt_2 is in the stream twice']);
  });

  it.each([
    { occurred_at: 'soon' },
    { actor: { kind: '', id: 'i' } },
    { actor: { kind: 'k', id: '' } },
    { request_id: '' },
    { schema: 0 },
  ])('finds one without all that is to be known: %j', async (changes) => {
    const metadata = { ...complete, event_id: 'evt_1', ...changes };
    expect(await saidOf({ metadata })).toEqual(['1: its time, actor or call is missing']);
  });

  it.each([
    ['email_link-1', ['EmailLinkSpent', 'EmailLinkSpent']],
    ['grant-1', ['GrantSpentOnMerchant', 'GrantSpentOnSession']],
    ['grant-1', ['GrantSpentOnSession', 'GrantSpentOnSession']],
    ['assertion-1', ['AssertionAccepted', 'AssertionAccepted']],
    ['connect_invitation-1', ['ConnectInvitationClaimed', 'ConnectInvitationClaimed']],
    ['connect_invitation-1', ['ConnectInvitationExchanged', 'ConnectInvitationExchanged']],
    ['pairing_session-1', ['PairingSessionApproved', 'PairingSessionApproved']],
    ['pairing_session-1', ['PairingTokenCollected', 'PairingTokenCollected']],
  ])('finds a second use in %s: %j', async (stream, types) => {
    const [first, second] = types.map((type) => event(type)) as [RecordedEvent, RecordedEvent];
    expect(await said(oneTime, stream, first, event('PairingCodeMissed'))).toEqual([]);
    expect(await said(oneTime, stream, first, second)).toEqual(['2: it was used before']);
    expect(oneTime.categories).toContain(stream.split('-')[0]);
  });

  it('finds nothing in an invitation that was claimed and then exchanged', async () => {
    const used = ['ConnectInvitationClaimed', 'ConnectInvitationExchanged'].map((type) => event(type));
    expect(await said(oneTime, 'connect_invitation-1', ...used)).toEqual([]);
  });
});
