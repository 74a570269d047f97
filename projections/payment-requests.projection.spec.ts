import fc from 'fast-check';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { type PaymentRequestEvent } from '../src/events/payment-request.events';
import {
  assigned,
  broadcasted,
  confirmed,
  created,
  creation,
  expired,
  failedFrom,
  keyTaken,
  lateReport,
  rejected,
  signed,
  transactionHash,
} from '../src/capabilities/payment-requests/payment-request.fixtures';
import { someMetadata } from '../test/support/events';
import { type PaymentRequestDocument, paymentRequestView } from './payment-request-document';
import {
  type PaymentRequestEventDocument,
  paymentRequestEventsProjection,
  paymentRequestEventView,
} from './payment-request-events.projection';
import { paymentRequestsProjection } from './payment-requests.projection';
import { type Document } from '../src/platform/read-model/projection';

type Documents = Record<string, Document>;

/** Plays events of one request's stream into the documents that there are. */
function play(documents: Documents, events: readonly PaymentRequestEvent[]): Documents {
  events.forEach((event, index) => {
    const version = index + 1;
    const stream = `payment_request-${'request_id' in event.data ? event.data.request_id : creation.request_id}`;
    const recorded: RecordedEvent = { ...event, metadata: someMetadata(), stream, version, position: 1n };
    for (const projection of [paymentRequestsProjection, paymentRequestEventsProjection]) {
      for (const { collection, id, next } of projection.project(recorded)) {
        const { document, also = [] } = next(documents[`${collection.name}/${id}`]);
        documents[`${collection.name}/${id}`] = document;
        for (const extra of also) documents[`${extra.collection.name}/${extra.document.id}`] = extra.document;
      }
    }
  });
  return documents;
}

const requestIn = (...events: PaymentRequestEvent[]): PaymentRequestDocument =>
  play({}, events)[`payment_requests/${creation.request_id}`] as PaymentRequestDocument;
const feedIn = (documents: Documents): PaymentRequestEventDocument[] =>
  Object.entries(documents)
    .filter(([key]) => key.startsWith('payment_request_events/'))
    .map(([, document]) => document as PaymentRequestEventDocument);

describe('the payment requests projection', () => {
  it('keeps free-form objects as text, and shows them as they were', () => {
    const document = requestIn(created);
    expect(document.source).toBe(JSON.stringify(creation.source));
    expect(paymentRequestView(document)).toMatchObject({ source: creation.source, metadata: creation.metadata });
    expect(JSON.stringify(document)).not.toContain('intent_digest');
  });

  it.each([
    [[created], { status: 'pending', version: 1, is_final: false }],
    [[keyTaken, created], { status: 'pending', version: 2, is_final: false }],
    [[created, signed], { status: 'signed', version: 2, is_final: false }],
    [[created, signed, broadcasted], { status: 'broadcasted', transaction_hash: transactionHash, is_final: false }],
    [
      [created, signed, broadcasted, confirmed],
      { status: 'confirmed', transaction_hash: transactionHash, ledger: 17, version: 4, is_final: true },
    ],
    [[created, failedFrom('pending')], { status: 'failed', reason: 'no funds', is_final: true }],
    [[created, rejected], { status: 'rejected', reason: 'not mine', is_final: true }],
    [[created, expired], { status: 'expired', version: 2, is_final: true }],
    [[created, expired, lateReport('signed')], { status: 'expired', version: 3, is_final: true }],
  ])('shows its current status (%#)', (events, expected) => {
    expect(paymentRequestView(requestIn(...events))).toMatchObject(expected);
  });

  it('counts as open until it is signed, failed, rejected or expired', () => {
    const histories = [
      [created],
      [created, signed],
      [created, rejected],
      [created, failedFrom('pending')],
      [created, expired],
    ];
    expect(histories.map((events) => requestIn(...events).open)).toEqual([true, null, null, null, null]);
  });

  it('shows every fact that applies, and no other', () => {
    const facts = { ...creation.facts, contract: '0xabc', issuer: 'G…', chain_id: 0, memo: 'm', decimals: 0 };
    const event: PaymentRequestEvent = { type: 'PaymentRequestCreated', data: { ...creation, facts } };
    expect(paymentRequestView(requestIn(event)).payment).toEqual({
      rail: 'stellar_xlm',
      network: 'stellar_testnet',
      asset: 'XLM',
      amount: '12.50',
      to: facts.address,
      contract: '0xabc',
      issuer: 'G…',
      decimals: 0,
      chain_id: 0,
      memo: 'm',
    });
    expect(Object.keys(paymentRequestView(requestIn(created)).payment)).toEqual([
      'rail',
      'network',
      'asset',
      'amount',
      'to',
      'decimals',
    ]);
  });

  it('ignores a key that leads elsewhere, and other streams', () => {
    expect(play({}, [assigned])).toEqual({});
    expect(play({}, [{ type: 'WalletDeviceRegistered', data: {} } as unknown as PaymentRequestEvent])).toEqual({});
  });
});

describe('the feed of a connection', () => {
  it('has one entry for each change of status', () => {
    const entries = feedIn(play({}, [created, signed, broadcasted, confirmed])).map(paymentRequestEventView);
    expect(
      entries.map(({ cursor, type, status, previous_status, data }) => [cursor, type, status, previous_status, data]),
    ).toEqual([
      [1, 'payment_request.created', 'pending', null, {}],
      [2, 'payment_request.signed', 'signed', 'pending', {}],
      [3, 'payment_request.broadcasted', 'broadcasted', 'signed', { transaction_hash: transactionHash }],
      [4, 'payment_request.confirmed', 'confirmed', 'broadcasted', { transaction_hash: transactionHash, ledger: 17 }],
    ]);
  });
  it('has none for what changed no status', () => {
    expect(feedIn(play({}, [created, expired, lateReport('signed')])).map(({ status }) => status)).toEqual([
      'pending',
      'expired',
    ]);
  });

  it('is numbered 1, 2, 3 … within each connection, however connections mix', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('con_a', 'con_b', 'con_c'), { maxLength: 40 }), (owners) => {
        const documents: Documents = {};
        owners.forEach((connection_id, index) => {
          const data = { ...creation, connection_id, request_id: `r-${index}` };
          play(documents, [{ type: 'PaymentRequestCreated', data }]);
        });
        for (const owner of new Set(owners)) {
          const feed = feedIn(documents).filter(({ connection_id }) => connection_id === owner);
          expect(feed.map(({ cursor }) => cursor)).toEqual(feed.map((_, index) => index + 1));
          expect(feed.map(({ request_id }) => request_id)).toEqual(
            owners.flatMap((other, index) => (other === owner ? [`r-${index}`] : [])),
          );
        }
      }),
    );
  });
});
