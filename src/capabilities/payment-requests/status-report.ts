import {
  isOverdue,
  ruleOn,
  ruleOnWithdrawal,
  type StatusReport,
  type WithdrawalOf,
} from '../../kernel/payment-progress';
import { type KnownRequest } from './payment-request';
import { type PaymentRequestEvent, type PaymentRequestStatus } from '../../events/payment-request.events';
import { type WalletDeviceId } from '../../kernel/aggregates';

export type Report = StatusReport & Readonly<{ deviceId: WalletDeviceId; status: PaymentRequestStatus }>;

const WAITING: PaymentRequestStatus = 'pending';

export function expire(at: string, state: KnownRequest): readonly PaymentRequestEvent[] {
  return isOverdue(at, state, WAITING) ? [{ type: 'PaymentRequestExpired', data: moved(at, state) }] : [];
}

/** An overdue request expires instead: the caller sees this from the resulting state. */
export function withdraw(withdrawal: WithdrawalOf, state: KnownRequest): readonly PaymentRequestEvent[] {
  if (ruleOnWithdrawal(withdrawal, state, WAITING) === 'known') return expire(withdrawal.at, state);
  const { at, by: withdrawn_by, reason: withdrawn_reason } = withdrawal;
  return [{ type: 'PaymentRequestWithdrawn', data: { ...moved(at, state), withdrawn_by, withdrawn_reason } }];
}

/** A report on a request that has ended is recorded and changes nothing: the caller sees this from the state. */
export function reportStatus(report: Report, state: KnownRequest): readonly PaymentRequestEvent[] {
  const ruling = ruleOn(report, state, WAITING);
  if (ruling === 'moves') return [move(report, state)];
  const expired = expire(report.at, state);
  const status = expired.length > 0 ? 'expired' : state.status;
  return [...expired, ...(ruling === 'late' ? [late(report, { ...state, status })] : [])];
}

function move(report: Report, state: KnownRequest): PaymentRequestEvent {
  const data = { ...moved(report.at, state), device_id: report.deviceId };
  const { transactionHash: hash } = report;
  switch (report.status) {
    case 'signed':
      return { type: 'PaymentRequestSigned', data: { ...data, ...(hash === null ? {} : { transaction_hash: hash }) } };
    case 'broadcasted':
      return {
        type: 'PaymentRequestBroadcasted',
        data: { ...data, transaction_hash: needed(hash) },
      };
    case 'confirmed':
      return {
        type: 'PaymentRequestConfirmed',
        data: { ...data, transaction_hash: needed(hash), ledger: report.ledger },
      };
    case 'failed':
      return { type: 'PaymentRequestFailed', data: { ...data, reason: needed(report.reason) } };
    case 'rejected':
      return { type: 'PaymentRequestRejected', data: { ...data, reason: report.reason } };
    default:
      throw new Error(`${report.status} is not reported by a wallet`);
  }
}

const late = (report: Report, state: KnownRequest): PaymentRequestEvent => ({
  type: 'PaymentRequestLateReport',
  data: {
    request_id: state.requestId,
    connection_id: state.connectionId,
    transaction_id: state.transactionId,
    status: state.status,
    device_id: report.deviceId,
    reported_status: report.status,
    transaction_hash: report.transactionHash,
    reason: report.reason,
    ledger: report.ledger,
    at: report.at,
  },
});

const moved = (at: string, { requestId, connectionId, transactionId, status }: KnownRequest) => ({
  request_id: requestId,
  connection_id: connectionId,
  transaction_id: transactionId,
  previous_status: status,
  at,
});

function needed(value: string | null): string {
  if (value === null) throw new Error('the report lacks what its status needs');
  return value;
}
