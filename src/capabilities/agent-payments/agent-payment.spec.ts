import { given } from '../../../test/support/given';
import { type AgentPaymentEvent } from '../../events/agent-payment.events';
import { agentPayment } from './agent-payment';
import {
  broadcasted,
  confirmed,
  create,
  created,
  deviceId,
  expired,
  expiresAt,
  failed,
  forgo,
  forgone,
  hash,
  inTime,
  lateReport,
  payment,
  refused,
  refusedData,
  refuseIt,
  rejected,
  report,
  settled,
  signed,
  withdraw,
  withdrawn,
} from './agent-payment.fixtures';

const past = given(agentPayment);
const late = { at: expiresAt };

describe('an agent payment', () => {
  it('is created', () => past().when(create).then(created));
  it('is created once, whoever comes again', () =>
    past(created)
      .when({ kind: 'create', created: { ...payment, intent_digest: 'sha256:2' } })
      .thenNothing());

  describe('that an agent may not make alone', () => {
    it('is recorded as refused', () => past().when(refuseIt).then(refused));
    it('is recorded again for another reason', () => {
      const data = { ...refusedData, triggered_thresholds: ['allowlist'] } as const;
      past(refused).when({ kind: 'refuse', refused: data }).then({ type: 'AgentPaymentRefused', data });
    });
    it.each([
      ['another intent under the same key', { intent_digest: 'sha256:2' }],
      ['the same reason of another policy', { policy_id: 'pol_other' }],
    ] as const)('is recorded again for %s', (_, changes) => {
      const data = { ...refusedData, ...changes };
      past(refused).when({ kind: 'refuse', refused: data }).then({ type: 'AgentPaymentRefused', data });
    });
    it('is recorded once for the same reason, whenever it is tried', () =>
      past(refused)
        .when({ kind: 'refuse', refused: { ...refusedData, refused_at: inTime } })
        .thenNothing());
    it('may be made later all the same', () => past(refused).when(create).then(created));
    it('is not refused any more once it is made', () => past(created).when(refuseIt).thenNothing());
    it('cannot be reported on', () => past(refused).when(report({})).thenRefused('resource_not_found'));
  });

  describe('whose key a payment request gets instead', () => {
    it('is given up', () => past().when(forgo).then(forgone));
    it('is given up once', () => past(forgone).when(forgo).thenNothing());
    it('is given up if it was only refused so far', () => past(refused).when(forgo).then(forgone));
    it('is not given up once it is made', () => past(created).when(forgo).thenNothing());
    it('is never made afterwards', () => past(forgone).when(create).thenNothing());
    it('is not refused afterwards either', () => past(forgone).when(refuseIt).thenNothing());
    it('cannot be reported on', () => past(forgone).when(report({})).thenRefused('resource_not_found'));
  });

  describe('moves as the wallet reports', () => {
    it('to signed', () => past(created).when(report({})).then(signed));
    it('to rejected', () =>
      past(created)
        .when(report({ status: 'rejected' }))
        .then(rejected));
    it('to broadcasted', () =>
      past(created, signed)
        .when(report({ status: 'broadcasted', transactionHash: hash }))
        .then(broadcasted));
    it('to confirmed', () =>
      past(created, signed, broadcasted)
        .when(report({ status: 'confirmed', transactionHash: hash, ledger: 7 }))
        .then(confirmed));
    it('to failed', () =>
      past(created, signed)
        .when(report({ status: 'failed', reason: 'no funds' }))
        .then(failed));
    it('but not to another transaction', () =>
      past(created, signed, broadcasted)
        .when(report({ status: 'confirmed', transactionHash: 'cd' }))
        .thenRefused('validation_failed'));
    it.each([
      ['intent_created', [created], 'broadcasted'],
      ['intent_created', [created], 'expired'],
      ['signed', [created, signed], 'rejected'],
      ['confirmed', [created, signed, broadcasted, confirmed], 'failed'],
      ['rejected', [created, rejected], 'failed'],
    ] as const)('but not from %s like this', (current, events, status) =>
      past(...events)
        .when(report({ status, transactionHash: hash, reason: 'x' }))
        .thenRefused('invalid_status_transition', { current_status: current }),
    );
    it('but not for another wallet', () =>
      past(created)
        .when(report({ deviceId: 'dev_other' }))
        .thenRefused('resource_not_found'));
  });

  describe('expires', () => {
    it('when it is due', () => past(created).when({ kind: 'expire', at: expiresAt }).then(expired));
    it('not before', () => past(created).when({ kind: 'expire', at: inTime }).thenNothing());
    it('not once it is signed', () => past(created, signed).when({ kind: 'expire', at: expiresAt }).thenNothing());
    it('and keeps what is reported then', () =>
      past(created)
        .when(report({ status: 'broadcasted', transactionHash: hash, ...late }))
        .then(expired, lateReport));
    it('and keeps it once', () =>
      past(created, expired, lateReport)
        .when(report({ status: 'broadcasted', transactionHash: hash, ...late }))
        .thenNothing());
    it.each([
      { status: 'confirmed', transactionHash: hash, ledger: 7 },
      { status: 'failed', reason: 'no funds' },
    ] as const)('and keeps a report $status with all its details once', (details) => {
      const { status, ...said } = { transactionHash: null, reason: null, ledger: null, ...details };
      const { transactionHash: transaction_hash, ...more } = said;
      const kept = { ...lateReport, data: { ...lateReport.data, reported_status: status, transaction_hash, ...more } };
      past(created, expired)
        .when(report({ ...details, ...late }))
        .then(kept);
      past(created, expired, kept)
        .when(report({ ...details, ...late }))
        .thenNothing();
    });
    it('and keeps it once, whatever else was reported since', () => {
      const { data } = lateReport;
      const other = { ...lateReport, data: { ...data, reported_status: 'signed', transaction_hash: null } } as const;
      past(created, expired, lateReport, other)
        .when(report({ status: 'broadcasted', transactionHash: hash, ...late }))
        .thenNothing();
    });
  });

  describe('that is withdrawn', () => {
    it('fails', () => past(created).when(withdraw).then(withdrawn));
    it('fails once', () =>
      past(created, withdrawn)
        .when({ ...withdraw, by: 'agent', reason: 'again' })
        .thenNothing());
    it.each([
      ['signed', [created, signed]],
      ['confirmed', [created, signed, broadcasted, confirmed]],
      ['failed', [created, signed, failed]],
      ['rejected', [created, rejected]],
    ] as const)('stays %s', (current_status, events) => {
      past(...events)
        .when(withdraw)
        .thenRefused('invalid_status_transition', { current_status });
      past(...events)
        .when({ ...withdraw, by: 'service' })
        .thenNothing();
    });
    it('expires instead when it is overdue', () =>
      past(created)
        .when({ ...withdraw, ...late })
        .then(expired));
    it('is not there if it was only refused', () => past(refused).when(withdraw).thenRefused('resource_not_found'));
    it('is not signed any more, and says why', () =>
      past(created, withdrawn).when(report({})).thenRefused('invalid_status_transition', {
        current_status: 'failed',
        reason: 'withdrawn',
        withdrawn_by: 'merchant',
        withdrawn_reason: null,
      }));
  });

  it('keeps the transaction that the wallet names when it signs', () => {
    const announced = { type: 'AgentPaymentSigned', data: { ...signed.data, transaction_hash: hash } } as const;
    past(created)
      .when(report({ transactionHash: hash }))
      .then(announced as AgentPaymentEvent);
    past(created, announced as AgentPaymentEvent)
      .when(report({ transactionHash: 'cd' }))
      .thenRefused('invalid_status_transition', { current_status: 'signed' });
    past(created, announced as AgentPaymentEvent)
      .when(report({ status: 'broadcasted', transactionHash: hash }))
      .then(broadcasted);
  });

  it.each([
    ['rejected', 'rejected', [created, rejected]],
    ['failed', 'failed', [created, signed, failed]],
    ['withdrawn', 'failed', [created, withdrawn]],
  ] as const)('keeps money that moves after it was %s, once', (_, status, events) => {
    const kept = { ...lateReport, data: { ...lateReport.data, status, at: inTime } };
    past(...events)
      .when(report({ status: 'broadcasted', transactionHash: hash }))
      .then(kept);
    past(...events, kept)
      .when(report({ status: 'broadcasted', transactionHash: hash, ...late }))
      .thenNothing();
  });

  describe('whose transaction the service looked for', () => {
    const paid = [created, signed, broadcasted, confirmed];
    const observe = { kind: 'observe-settlement', transactionHash: hash, settlement: settled.data.settlement } as const;

    it('keeps what was found', () =>
      past(...paid)
        .when(observe)
        .then(settled));
    it('keeps it once', () =>
      past(...paid, settled)
        .when(observe)
        .thenNothing());
    it('keeps nothing about a transaction it does not have', () => {
      past(created).when(observe).thenNothing();
      past(refused).when(observe).thenNothing();
      past().when(observe).thenNothing();
    });
    it('stays what it was', () => {
      const state = [...paid, settled].reduce(agentPayment.evolve, agentPayment.initial);
      expect(state).toMatchObject({ kind: 'payment', status: 'confirmed', transactionHash: hash, deviceId });
    });
  });
});
