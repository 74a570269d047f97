import { refuse, refuseInput } from '../kernel/errors';
import { type KnownRequest } from './payment-request';
import { type PaymentRequestEvent, type PaymentRequestStatus } from './payment-request.events';

/** What a wallet says has become of a request. Which parts a status needs has been checked with the input. */
export type Report = Readonly<{
  deviceId: string;
  status: PaymentRequestStatus;
  transactionHash: string | null;
  reason: string | null;
  ledger: number | null;
  at: string;
}>;

/** What a wallet may report next. Expiry is the clock's, and only of what nobody has signed. */
const NEXT: Readonly<Record<PaymentRequestStatus, readonly PaymentRequestStatus[]>> = {
  pending: ['signed', 'rejected', 'failed'],
  signed: ['broadcasted', 'failed'],
  broadcasted: ['confirmed', 'failed'],
  confirmed: [],
  failed: [],
  expired: [],
  rejected: [],
};

/** Auditors see each late report once; a wallet that makes up new ones without end does not fill the log with them. */
const MOST_LATE_REPORTS = 200;

export function expire(at: string, state: KnownRequest): readonly PaymentRequestEvent[] {
  return isOverdue(at, state) ? [{ type: 'PaymentRequestExpired', data: moved(at, state) }] : [];
}

/** A report on a request that has run out is kept and changes nothing: the caller sees it by the state that results. */
export function reportStatus(report: Report, state: KnownRequest): readonly PaymentRequestEvent[] {
  if (state.status === 'expired' || isOverdue(report.at, state)) {
    return [...expire(report.at, state), ...late(report, state)];
  }
  if (isRepeated(report, state)) return [];
  if (!NEXT[state.status].includes(report.status)) {
    throw refuse('invalid_status_transition', { details: { current_status: state.status } });
  }
  return [move(report, state)];
}

const isOverdue = (at: string, { status, expiresAt }: KnownRequest): boolean => status === 'pending' && at >= expiresAt;

/** The same again is what a wallet sends that did not hear the answer. Only what belongs to the status is compared. */
function isRepeated(report: Report, state: KnownRequest): boolean {
  if (report.status !== state.status) return false;
  switch (report.status) {
    case 'signed':
      return true;
    case 'broadcasted':
      return report.transactionHash === state.transactionHash;
    case 'confirmed':
      return report.transactionHash === state.transactionHash && report.ledger === state.ledger;
    case 'failed':
    case 'rejected':
      return report.reason === state.reason;
    default:
      return false;
  }
}

function move(report: Report, state: KnownRequest): PaymentRequestEvent {
  const data = { ...moved(report.at, state), device_id: report.deviceId };
  switch (report.status) {
    case 'signed':
      return { type: 'PaymentRequestSigned', data };
    case 'broadcasted':
      return {
        type: 'PaymentRequestBroadcasted',
        data: { ...data, transaction_hash: needed(report.transactionHash) },
      };
    case 'confirmed':
      if (report.transactionHash !== state.transactionHash) {
        const message = 'is not the transaction that was broadcasted';
        throw refuseInput([{ code: 'mismatch', field: 'transaction_hash', message }]);
      }
      return {
        type: 'PaymentRequestConfirmed',
        data: { ...data, transaction_hash: needed(report.transactionHash), ledger: report.ledger },
      };
    case 'failed':
      return { type: 'PaymentRequestFailed', data: { ...data, reason: needed(report.reason) } };
    case 'rejected':
      return { type: 'PaymentRequestRejected', data: { ...data, reason: report.reason } };
    default:
      throw new Error(`${report.status} is not reported by a wallet`);
  }
}

function late(report: Report, state: KnownRequest): readonly PaymentRequestEvent[] {
  const { lateReports } = state;
  if (lateReports.includes(lateReportKey(report)) || lateReports.length >= MOST_LATE_REPORTS) return [];
  return [
    {
      type: 'PaymentRequestLateReport',
      data: {
        request_id: state.requestId,
        connection_id: state.connectionId,
        device_id: report.deviceId,
        reported_status: report.status,
        transaction_hash: report.transactionHash,
        reason: report.reason,
        ledger: report.ledger,
        at: report.at,
      },
    },
  ];
}

type Reported = Readonly<Pick<Report, 'transactionHash' | 'reason' | 'ledger'> & { status: string }>;

/** Two late reports are the same if they say the same, whenever they came. */
export const lateReportKey = ({ status, transactionHash, reason, ledger }: Reported): string =>
  JSON.stringify([status, transactionHash, reason, ledger]);

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
