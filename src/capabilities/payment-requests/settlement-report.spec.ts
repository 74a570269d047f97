import { given } from '../../../test/support/given';
import { type Observation, type Settlement } from '../../kernel/settlement';
import { paymentRequest } from './payment-request';
import { type PaymentRequestEvent } from '../../events/payment-request.events';
import {
  broadcasted,
  confirmed,
  connectionId,
  created,
  requestId,
  signed,
  transactionHash,
} from './payment-request.fixtures';

const past = given(paymentRequest);
const paid = [created, signed, broadcasted, confirmed];
const minute = (value: number): string => new Date(Date.UTC(2030, 0, 1, 0, value)).toISOString();

const finding = (changes: Partial<Settlement> = {}): Settlement => ({
  verdict: 'matches',
  differences: [],
  ledger: 7,
  observed_at: minute(5),
  witness: 'https://horizon.example',
  ...changes,
});
const notFound = finding({ verdict: 'not_found', ledger: null });
const pending = finding({ verdict: 'pending', ledger: null });
const observe = (settlement: Settlement, more: Partial<Observation> = {}) =>
  ({ kind: 'observe-settlement', transactionHash, settlement, ...more }) as const;
const observed = (settlement: Settlement, more: object = {}): PaymentRequestEvent => ({
  type: 'PaymentRequestSettlementObserved',
  data: {
    request_id: requestId,
    connection_id: connectionId,
    transaction_id: 'order-7',
    status: 'confirmed',
    transaction_hash: transactionHash,
    settlement,
    contested: false,
    at: settlement.observed_at,
    ...more,
  },
});
const checked = (at: string): PaymentRequestEvent => ({
  type: 'PaymentRequestSettlementCheckRequested',
  data: { request_id: requestId, connection_id: connectionId, transaction_hash: transactionHash, at },
});
const check = (at: string) => ({ kind: 'request-settlement-check', at }) as const;

describe('the settlement of a payment request', () => {
  it('is recorded when it is found', () =>
    past(...paid)
      .when(observe(finding()))
      .then(observed(finding())));
  it('is recorded once, no matter how often and by whom it is found again', () =>
    past(...paid, observed(finding()))
      .when(observe(finding({ observed_at: minute(9), witness: 'https://other.example' })))
      .thenNothing());
  it('is recorded again when it changed', () => {
    past(...paid, observed(notFound))
      .when(observe(finding()))
      .then(observed(finding()));
    past(...paid, observed(finding()))
      .when(observe(finding({ ledger: 8 })))
      .then(observed(finding({ ledger: 8 })));
  });
  it('is not taken back by a server that does not have the transaction, or no longer', () =>
    past(...paid, observed(finding()))
      .when(observe(notFound))
      .thenNothing());
  it('is contested from then on', () => {
    past(...paid, observed(finding()))
      .when(observe(finding(), { contested: true }))
      .then(observed(finding(), { contested: true }));
    const other = finding({ ledger: 8 });
    past(...paid, observed(finding(), { contested: true }))
      .when(observe(other))
      .then(observed(other, { contested: true }));
    past(...paid, observed(finding(), { contested: true }))
      .when(observe(finding()))
      .thenNothing();
  });
  it('is recorded again when another transfer settles it', () =>
    past(...paid, observed(finding({ ledger_hash: transactionHash, operation: 0, transfer: 0 })))
      .when(observe(finding({ ledger_hash: transactionHash, operation: 1, transfer: 0 })))
      .then(observed(finding({ ledger_hash: transactionHash, operation: 1, transfer: 0 }))));
  it('is not what it was before others were judged', () => {
    const lost = finding({ verdict: 'differs', ledger_hash: transactionHash });
    past(...paid, observed(lost, { claim_version: 2 }))
      .when(observe(finding({ ledger_hash: transactionHash }), { claimVersion: 1 }))
      .thenNothing();
    past(...paid, observed(lost, { claim_version: 2 }))
      .when(observe(finding({ ledger_hash: transactionHash }), { claimVersion: 3 }))
      .then(observed(finding({ ledger_hash: transactionHash }), { claim_version: 3 }));
  });
  it('is pending at first, and no unreadable answer takes back what was read', () => {
    past(...paid)
      .when(observe(pending))
      .then(observed(pending));
    past(...paid, observed(finding()))
      .when(observe(pending))
      .thenNothing();
    past(...paid, observed(notFound))
      .when(observe(pending))
      .thenNothing();
  });
  it('is that of the reported transaction only', () => {
    past(...paid)
      .when(observe(finding(), { transactionHash: 'cd'.repeat(32) }))
      .thenNothing();
    past(created).when(observe(finding())).thenNothing();
    past().when(observe(finding())).thenNothing();
  });
  it('moves no status', () => {
    const state = [...paid, observed(finding({ verdict: 'differs' }))].reduce(
      paymentRequest.evolve,
      paymentRequest.initial,
    );
    expect(state).toMatchObject({ kind: 'request', status: 'confirmed' });
  });
});

describe('a settlement check', () => {
  const events = (past: readonly PaymentRequestEvent[], at: string) =>
    paymentRequest.decide(check(at), past.reduce(paymentRequest.evolve, paymentRequest.initial));

  it('is taken once there is a transaction', () => {
    expect(events([created, signed, broadcasted], minute(6))).toEqual([checked(minute(6))]);
    past(created, signed)
      .when(check(minute(6)))
      .thenRefused('transaction_not_reported');
    past()
      .when(check(minute(6)))
      .thenRefused('resource_not_found');
  });
  it('is taken five times a minute', () => {
    const second = (value: number): string => new Date(Date.UTC(2030, 0, 1, 1, 0, value)).toISOString();
    const five = [0, 1, 2, 3, 4].map((value) => checked(second(value)));
    past(...paid, ...five)
      .when(check(second(59)))
      .thenRefused('rate_limited');
    expect(events([...paid, ...five], second(60))).toEqual([checked(second(60))]);
    past(...paid, ...five, checked(second(60)))
      .when(check(second(60)))
      .thenRefused('rate_limited');
  });
  it('is taken after the clock was set back, whatever was asked for before that', () => {
    const five = Array.from({ length: 5 }, () => checked(minute(61)));
    expect(events([...paid, ...five], minute(6))).toEqual([checked(minute(6))]);
    past(...paid, ...five)
      .when(check(new Date(Date.parse(minute(61)) - 50).toISOString()))
      .thenRefused('rate_limited');
  });
});
