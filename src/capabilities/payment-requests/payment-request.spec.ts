import { given } from '../../../test/support/given';
import { paymentRequest, type PaymentRequestCommand } from './payment-request';
import {
  PAYMENT_REQUEST_STATUSES,
  type PaymentRequestEvent,
  type PaymentRequestStatus,
} from '../../events/payment-request.events';
import {
  announced,
  assign,
  assigned,
  beforeExpiry,
  broadcasted,
  confirmed,
  create,
  created,
  creation,
  expired,
  expireNow,
  expiresAt,
  failedFrom,
  keyTaken,
  lateReport,
  rejected,
  report,
  settled,
  signed,
  takeKey,
  transactionHash,
  withdraw,
  withdrawn,
} from './payment-request.fixtures';

const past = given(paymentRequest);

const endedUnpaid: readonly PaymentRequestStatus[] = ['failed', 'rejected'];
/** Kept, though refused. */
const isLateMoney = (from: PaymentRequestStatus, to: PaymentRequestStatus): boolean =>
  endedUnpaid.includes(from) && (to === 'broadcasted' || to === 'confirmed');

/** How each status is reached. */
const histories: Record<PaymentRequestStatus, readonly PaymentRequestEvent[]> = {
  pending: [created],
  signed: [created, signed],
  broadcasted: [created, signed, broadcasted],
  confirmed: [created, signed, broadcasted, confirmed],
  failed: [created, failedFrom('pending')],
  expired: [created, expired],
  rejected: [created, rejected],
};

const moves: readonly (readonly [PaymentRequestStatus, PaymentRequestStatus, PaymentRequestEvent])[] = [
  ['pending', 'signed', signed],
  ['pending', 'rejected', rejected],
  ['pending', 'failed', failedFrom('pending')],
  ['signed', 'broadcasted', broadcasted],
  ['signed', 'failed', failedFrom('signed')],
  ['broadcasted', 'confirmed', confirmed],
  ['broadcasted', 'failed', failedFrom('broadcasted')],
];
const statuses = PAYMENT_REQUEST_STATUSES;
const otherPairs = statuses
  .filter((from) => from !== 'expired')
  .flatMap((from) => statuses.map((to): [PaymentRequestStatus, PaymentRequestStatus] => [from, to]))
  .filter(([from, to]) => !moves.some(([one, other]) => from === one && to === other))
  .filter(([from, to]) => from !== to || from === 'pending')
  .filter(([from, to]) => !isLateMoney(from, to));

describe('a payment request', () => {
  describe('under a key that an agent payment wants for itself', () => {
    const forgone = { over: 'ap_01JZZZZZZZZZZZZZZZZZZZZZZZ' } as const;
    it('leaves the key to it', () => past().when(takeKey).then(keyTaken));
    it('leaves it once', () => past(keyTaken).when(takeKey).thenNothing());
    it('keeps the key that it has', () => past(created).when(takeKey).thenRefused('IDEMPOTENCY_KEY_REUSED'));
    it('keeps the key that was tied to it', () => past(assigned).when(takeKey).thenRefused('IDEMPOTENCY_KEY_REUSED'));
    it('is not created beside it', () => past(keyTaken).when(create).thenNothing());
    it('is not tied to the key beside it', () => past(keyTaken).when(assign).thenNothing());
    it('is created when that payment is given up', () =>
      past(keyTaken)
        .when({ ...create, ...forgone })
        .then(created));
    it('is tied to the key when that payment is given up', () =>
      past(keyTaken)
        .when({ ...assign, ...forgone })
        .then(assigned));
    it('is not created for the sake of another that was given up', () =>
      past(keyTaken)
        .when({ ...create, over: 'ap_01JYYYYYYYYYYYYYYYYYYYYYYY' } as PaymentRequestCommand)
        .thenNothing());
  });

  it('is created', () => past().when(create).then(created));
  it('is created once for one intent', () => past(created).when(create).thenNothing());
  it('is the same whatever its status', () =>
    past(...histories.confirmed)
      .when(create)
      .thenNothing());

  const otherIntent = { ...creation, intent_digest: 'sha256:2' };
  it('does not take another intent under its key', () =>
    past(created).when({ kind: 'create', by: 'key', created: otherIntent }).thenRefused('IDEMPOTENCY_KEY_REUSED'));
  it('does not take another intent under its id', () =>
    past(created).when({ kind: 'create', by: 'id', created: otherIntent }).thenRefused('request_id_unavailable'));
  it('does not give its id to another connection, not even for the same intent', () =>
    past(created)
      .when({ kind: 'create', by: 'id', created: { ...creation, connection_id: 'con_other' } })
      .thenRefused('request_id_unavailable'));

  describe('whose key and id the caller chose', () => {
    it('has its key lead to the id', () => past().when(assign).then(assigned));
    it('has its key lead to one id only', () =>
      past(assigned)
        .when({ kind: 'assign-key', assigned: { ...assigned.data, request_id: 'another' } as never })
        .thenNothing());
    it('is not created where its key leads away', () => past(assigned).when(create).thenNothing());
    it('does not have its key lead away once it is there', () => past(created).when(assign).thenNothing());
    it('does not have its key mean another intent', () => {
      past(assigned).when({ kind: 'create', by: 'key', created: otherIntent }).thenRefused('IDEMPOTENCY_KEY_REUSED');
      const other = { ...assign, assigned: { ...assigned.data, intent_digest: 'sha256:2' } } as PaymentRequestCommand;
      past(assigned).when(other).thenRefused('IDEMPOTENCY_KEY_REUSED');
      past(created).when(other).thenRefused('IDEMPOTENCY_KEY_REUSED');
    });
    it('is not where its key leads from', () =>
      past(assigned).when(report('signed')).thenRefused('resource_not_found'));
    it('does not expire where its key leads from', () => past(assigned).when(expireNow).thenNothing());
  });

  describe('as the wallet reports it', () => {
    it.each(moves)('moves from %s to %s', (from, to, event) =>
      past(...histories[from])
        .when(report(to))
        .then(event),
    );
    it.each(otherPairs)('does not move from %s to %s', (from, to) =>
      past(...histories[from])
        .when(report(to))
        .thenRefused('invalid_status_transition', { current_status: from }),
    );
    it.each(statuses.filter((status) => !['pending', 'expired'].includes(status)))(
      'stays %s when told again',
      (status) =>
        past(...histories[status])
          .when(report(status))
          .thenNothing(),
    );
    it.each([
      report('broadcasted', { transactionHash: 'other' }),
      report('confirmed', { ledger: 18 }),
      report('confirmed', { ledger: null }),
      report('confirmed', { transactionHash: 'other' }),
      report('failed', { reason: 'other' }),
      report('rejected', { reason: null }),
    ])('does not take other details of $status afterwards', (command) =>
      past(...histories[command.status])
        .when(command)
        .thenRefused('invalid_status_transition', { current_status: command.status }),
    );
    it('is confirmed only with the transaction that was broadcasted', () =>
      past(...histories.broadcasted)
        .when(report('confirmed', { transactionHash: 'other' }))
        .thenRefused('validation_failed'));
    it('ignores what does not belong to the status', () =>
      past(created)
        .when(report('signed', { ledger: 1, reason: 'because' }))
        .then(signed));

    describe('that names the transaction when it signs', () => {
      it('keeps it', () => past(created).when(report('signed', { transactionHash })).then(announced));
      it.each([{ transactionHash: 'other' }, { transactionHash: null }])('does not take another then: %j', (other) =>
        past(created, announced)
          .when(report('signed', other))
          .thenRefused('invalid_status_transition', { current_status: 'signed' }),
      );
      it('does not name it once it has signed without', () =>
        past(created, signed)
          .when(report('signed', { transactionHash }))
          .thenRefused('invalid_status_transition', { current_status: 'signed' }));
      it('may broadcast it', () => past(created, announced).when(report('broadcasted')).then(broadcasted));
      it('may broadcast another, which then is the one to confirm', () => {
        const data = { ...broadcasted.data, transaction_hash: 'other' };
        const another = { type: 'PaymentRequestBroadcasted', data } as PaymentRequestEvent;
        past(created, announced)
          .when(report('broadcasted', { transactionHash: 'other' }))
          .then(another);
        past(created, announced, another).when(report('confirmed')).thenRefused('validation_failed');
      });
    });

    it.each(statuses)('does not exist for another wallet (%s)', (status) =>
      past(...histories[status])
        .when(report('signed', { deviceId: 'dev_other' }))
        .thenRefused('resource_not_found'),
    );
    it('does not exist before it is created', () => past().when(report('signed')).thenRefused('resource_not_found'));
  });

  describe('that is withdrawn', () => {
    it('fails', () => past(created).when(withdraw()).then(withdrawn));
    it('fails once, whoever withdraws it again', () =>
      past(created, withdrawn)
        .when(withdraw({ by: 'merchant', reason: 'another', at: expiresAt }))
        .thenNothing());
    it.each(statuses.filter((status) => status !== 'pending' && status !== 'expired'))('stays %s', (status) =>
      past(...histories[status])
        .when(withdraw())
        .thenRefused('invalid_status_transition', { current_status: status }),
    );
    it.each(statuses.filter((status) => status !== 'pending'))('stays %s, which is all the service wants', (status) =>
      past(...histories[status])
        .when(withdraw({ by: 'service' }))
        .thenNothing(),
    );
    it('expires instead when it is overdue', () =>
      past(created)
        .when(withdraw({ at: expiresAt }))
        .then(expired));
    it('does not exist before it is created', () => past().when(withdraw()).thenRefused('resource_not_found'));
    it('is not signed any more, and says why', () =>
      past(created, withdrawn).when(report('signed')).thenRefused('invalid_status_transition', {
        current_status: 'failed',
        reason: 'withdrawn',
        withdrawn_by: 'agent',
        withdrawn_reason: 'sold out',
      }));
    it.each(['rejected', 'failed'] as const)('is not reported %s by the wallet', (status) =>
      past(created, withdrawn)
        .when(report(status, { reason: 'withdrawn' }))
        .thenRefused('invalid_status_transition', { current_status: 'failed' }),
    );
    it('does not expire any more', () => past(created, withdrawn).when(expireNow).thenNothing());
  });

  describe('whose money moves after it has ended', () => {
    const ends: readonly (readonly [string, PaymentRequestStatus, readonly PaymentRequestEvent[]])[] = [
      ['was rejected', 'rejected', histories.rejected],
      ['failed', 'failed', histories.failed],
      ['was withdrawn', 'failed', [created, withdrawn]],
      ['failed after it was broadcasted', 'failed', [...histories.broadcasted, failedFrom('broadcasted')]],
    ];
    const cases = ends.flatMap(([how, status, events]) =>
      (['broadcasted', 'confirmed'] as const).map((late) => [how, late, status, events] as const),
    );
    it.each(cases)('although it %s, keeps the report %s once', (_, late, status, events) => {
      past(...events)
        .when(report(late))
        .then(lateReport(late, beforeExpiry, status));
      past(...events, lateReport(late, beforeExpiry, status))
        .when(report(late, { at: '2031-01-01T00:00:00.000Z' }))
        .thenNothing();
    });
    it.each(ends)('although it %s, keeps what the wallet says it has signed', (_, status, events) => {
      const { data } = lateReport('signed', beforeExpiry, status);
      past(...events)
        .when(report('signed', { transactionHash }))
        .then({
          type: 'PaymentRequestLateReport',
          data: { ...data, transaction_hash: transactionHash },
        } as PaymentRequestEvent);
    });
    it('takes as its transaction the one reported last, of which nothing was observed yet', () => {
      const events = [...histories.broadcasted, settled, failedFrom('broadcasted')];
      const other = { ...lateReport('confirmed').data, status: 'failed', transaction_hash: 'other' };
      const late = { type: 'PaymentRequestLateReport', data: other } as PaymentRequestEvent;
      const fold = (all: readonly PaymentRequestEvent[]) => all.reduce(paymentRequest.evolve, paymentRequest.initial);
      expect(fold(events)).toMatchObject({ transactionHash, settlement: { verdict: 'differs' } });
      expect(fold([...events, late])).toMatchObject({ status: 'failed', transactionHash: 'other', settlement: null });
      const same = lateReport('confirmed', expiresAt, 'failed');
      expect(fold([...events, same])).toMatchObject({ transactionHash, settlement: { verdict: 'differs' } });
    });
    it('is not observed by the transaction it had before', () => {
      const other = { ...lateReport('confirmed').data, status: 'failed', transaction_hash: 'other' };
      const late = { type: 'PaymentRequestLateReport', data: other } as PaymentRequestEvent;
      const { settlement } = (settled as Extract<PaymentRequestEvent, { type: 'PaymentRequestSettlementObserved' }>)
        .data;
      past(...histories.broadcasted, failedFrom('broadcasted'), late)
        .when({ kind: 'observe-settlement', transactionHash, settlement })
        .thenNothing();
    });
    it('does not keep reports without end', () => {
      const { data } = lateReport('confirmed', beforeExpiry, 'rejected');
      const many = Array.from({ length: 200 }, (_, index) => {
        return {
          type: 'PaymentRequestLateReport',
          data: { ...data, transaction_hash: `hash-${index}` },
        } as PaymentRequestEvent;
      });
      past(...histories.rejected, ...many)
        .when(report('confirmed'))
        .thenNothing();
    });
  });

  describe('once it has expired', () => {
    it('expires', () => past(created).when(expireNow).then(expired));
    it('does not expire before', () => past(created).when({ kind: 'expire', at: beforeExpiry }).thenNothing());
    it.each(statuses.filter((status) => status !== 'pending'))('does not expire once it is %s', (status) =>
      past(...histories[status])
        .when(expireNow)
        .thenNothing(),
    );

    it.each(statuses)('keeps the late report %s, and expires first', (status) =>
      past(created)
        .when(report(status, { at: expiresAt }))
        .then(expired, lateReport(status)),
    );
    it('keeps a late report after it expired', () =>
      past(created, expired)
        .when(report('signed', { at: expiresAt }))
        .then(lateReport('signed')));
    it.each(statuses)('keeps the late report %s once, whenever it comes again', (status) =>
      past(created, expired, lateReport(status))
        .when(report(status, { at: '2031-01-01T00:00:00.000Z' }))
        .thenNothing(),
    );
    it.each([
      report('broadcasted', { transactionHash: 'other' }),
      report('confirmed', { ledger: 18 }),
      report('failed', { reason: 'other' }),
    ])('keeps a late report $status with other details too', ({ status, ...other }) => {
      const { data } = lateReport(status);
      const { transactionHash: transaction_hash, reason, ledger } = other;
      past(created, expired, lateReport(status))
        .when({ ...other, status, at: expiresAt })
        .then({
          type: 'PaymentRequestLateReport',
          data: { ...data, transaction_hash, reason, ledger },
        } as PaymentRequestEvent);
    });
    it('keeps another one too', () =>
      past(created, expired, lateReport('signed'))
        .when(report('broadcasted', { at: expiresAt }))
        .then(lateReport('broadcasted')));
    it('does not keep new ones without end', () => {
      const many = Array.from({ length: 200 }, (_, index) => {
        const { data } = lateReport('failed');
        return {
          type: 'PaymentRequestLateReport',
          data: { ...data, reason: `reason ${index}` },
        } as PaymentRequestEvent;
      });
      past(created, expired, ...many)
        .when(report('signed', { at: expiresAt }))
        .thenNothing();
      // They take no place from money that moved.
      past(created, expired, ...many)
        .when(report('confirmed', { at: expiresAt }))
        .then(lateReport('confirmed'));
    });
    it('still moves if it was signed in time', () => {
      const later = { ...broadcasted, data: { ...broadcasted.data, at: '2031-01-01T00:00:00.000Z' } };
      past(created, signed)
        .when(report('broadcasted', { at: '2031-01-01T00:00:00.000Z' }))
        .then(later as PaymentRequestEvent);
    });
  });
});
