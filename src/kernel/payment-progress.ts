import { refuse, refuseInput } from './errors';

/** What a wallet reports about a payment. Which parts a status needs was checked with the input. */
export type StatusReport = Readonly<{
  status: string;
  transactionHash: string | null;
  reason: string | null;
  ledger: number | null;
  at: string;
}>;

/** The part of a payment that decides what may be reported next. */
export type Progress = Readonly<{
  status: string;
  expiresAt: string;
  transactionHash: string | null;
  reason: string | null;
  ledger: number | null;
  /** What was reported after expiry, each report once. */
  lateReports: readonly string[];
}>;

/** `moves`: the status changes; `late`: kept for auditors, changes nothing; `known`: was reported before. */
export type Ruling = 'moves' | 'late' | 'known';

/** What a wallet may report next. The status that waits for a person differs by kind, and only time expires it. */
const NEXT: ReadonlyMap<string, readonly string[]> = new Map([
  ['signed', ['broadcasted', 'failed']],
  ['broadcasted', ['confirmed', 'failed']],
]);
const AFTER_WAITING = ['signed', 'rejected', 'failed'];

const FINAL: ReadonlySet<string> = new Set(['confirmed', 'failed', 'expired', 'rejected']);

/** Auditors see each late report once; a wallet that keeps inventing new ones cannot fill the log with them. */
const MAX_LATE_REPORTS = 200;

export const isFinal = (status: string): boolean => FINAL.has(status);

/** `waiting` is the status before anybody has signed: only that one expires. */
export const isOverdue = (at: string, { status, expiresAt }: Progress, waiting: string): boolean =>
  status === waiting && at >= expiresAt;

export function ruleOn(report: StatusReport, progress: Progress, waiting: string): Ruling {
  if (progress.status === 'expired' || isOverdue(report.at, progress, waiting)) {
    const { lateReports } = progress;
    const full = lateReports.length >= MAX_LATE_REPORTS;
    return full || lateReports.includes(lateReportKey(report)) ? 'known' : 'late';
  }
  if (isRepeated(report, progress)) return 'known';
  const next = progress.status === waiting ? AFTER_WAITING : (NEXT.get(progress.status) ?? []);
  if (!next.includes(report.status)) {
    throw refuse('invalid_status_transition', { details: { current_status: progress.status } });
  }
  if (report.status === 'confirmed' && report.transactionHash !== progress.transactionHash) {
    const message = 'is not the transaction that was broadcasted';
    throw refuseInput([{ code: 'mismatch', field: 'transaction_hash', message }]);
  }
  return 'moves';
}

/** Two late reports are the same if they say the same, whenever they arrived. */
export const lateReportKey = ({ status, transactionHash, reason, ledger }: Omit<StatusReport, 'at'>): string =>
  JSON.stringify([status, transactionHash, reason, ledger]);

/** A wallet that missed the response sends its report again. Only what belongs to the status is compared. */
function isRepeated(report: StatusReport, progress: Progress): boolean {
  if (report.status !== progress.status) return false;
  switch (report.status) {
    case 'signed':
      return true;
    case 'broadcasted':
      return report.transactionHash === progress.transactionHash;
    case 'confirmed':
      return report.transactionHash === progress.transactionHash && report.ledger === progress.ledger;
    case 'failed':
    case 'rejected':
      return report.reason === progress.reason;
    default:
      return false;
  }
}
