import { type Refusal, refuse, refuseInput } from './errors';

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
  /** Who took it back and why; null if nobody did. */
  withdrawn: Withdrawal | null;
  /** What was reported after the end, each report once. */
  lateReports: readonly string[];
}>;

export const WITHDRAWERS = ['agent', 'merchant', 'service'] as const;
export type Withdrawer = (typeof WITHDRAWERS)[number];
export type Withdrawal = Readonly<{ by: Withdrawer; reason: string | null }>;

/** What a withdrawn payment shows as its `reason`; the words of who withdrew it are beside it. */
export const WITHDRAWN = 'withdrawn';

/** `moves`: the status changes; `late`: kept, but refused; `known`: was reported before. */
export type Ruling = 'moves' | 'late' | 'known';

/** What a wallet may report next. The status that waits for a person differs by kind, and only time expires it. */
const NEXT: ReadonlyMap<string, readonly string[]> = new Map([
  ['signed', ['broadcasted', 'failed']],
  ['broadcasted', ['confirmed', 'failed']],
]);
const AFTER_WAITING = ['signed', 'rejected', 'failed'];

/** Ends after which no money should move: what is reported about it all the same came late. */
const UNPAID_ENDS: ReadonlySet<string> = new Set(['failed', 'expired', 'rejected']);

const FINAL: ReadonlySet<string> = new Set(['confirmed', 'failed', 'expired', 'rejected']);

/** Auditors see each late report once; a wallet that keeps inventing new ones cannot fill the log with them. */
const MAX_LATE_REPORTS = 200;

export const isFinal = (status: string): boolean => FINAL.has(status);

/** `waiting` is the status before anybody has signed: only that one expires. */
export const isOverdue = (at: string, { status, expiresAt }: Progress, waiting: string): boolean =>
  status === waiting && at >= expiresAt;

export function ruleOn(report: StatusReport, progress: Progress, waiting: string): Ruling {
  if (progress.status === 'expired' || isOverdue(report.at, progress, waiting) || isLateClaim(report, progress)) {
    return isFull(report, progress) || isKept(report, progress) ? 'known' : 'late';
  }
  if (isRepeated(report, progress)) return 'known';
  const next = progress.status === waiting ? AFTER_WAITING : (NEXT.get(progress.status) ?? []);
  if (!next.includes(report.status)) {
    throw refuseMove(progress);
  }
  if (report.status === 'confirmed' && report.transactionHash !== progress.transactionHash) {
    const message = 'is not the transaction that was broadcasted';
    throw refuseInput([{ code: 'mismatch', field: 'transaction_hash', message }]);
  }
  return 'moves';
}

/** Reports of no transaction take no place from those of one: late money is never lost to them. */
const isFull = (report: Claim, { lateReports }: Progress): boolean =>
  lateReports.filter((kept) => carriesTransaction(claimIn(kept)) === carriesTransaction(report)).length >=
  MAX_LATE_REPORTS;

/** The wallet's claim that money moved, although the payment had ended: kept whatever the end was. */
const isLateClaim = (report: Claim, { status }: Pick<Progress, 'status'>): boolean =>
  UNPAID_ENDS.has(status) && carriesTransaction(report);

type Claim = Pick<StatusReport, 'status' | 'transactionHash'>;

/** Reports about a transaction: `signed` may name it before the network sees it. */
const carriesTransaction = ({ status, transactionHash }: Claim): boolean =>
  transactionHash !== null && (status === 'signed' || status === 'broadcasted' || status === 'confirmed');

/** The refusal of a report on a payment that has ended, after it was recorded; undefined if it was in time. */
export function lateRefusal(report: Omit<StatusReport, 'at'>, progress: Progress): Refusal | undefined {
  if (progress.status === 'expired') {
    const { status: current_status, expiresAt: expires_at } = progress;
    return refuse('request_expired', { details: { current_status, expires_at } });
  }
  return isLateClaim(report, progress) ? refuseMove(progress, { late: isKept(report, progress) }) : undefined;
}

const isKept = (report: Omit<StatusReport, 'at'>, { lateReports }: Progress): boolean =>
  lateReports.includes(lateReportKey(report));

/** Names the status it is in and, of what was withdrawn, why: a wallet that was about to sign shows that. */
export function refuseMove({ status, withdrawn }: Progress, more: object = {}): Refusal {
  const why = withdrawn && { reason: WITHDRAWN, withdrawn_by: withdrawn.by, withdrawn_reason: withdrawn.reason };
  return refuse('invalid_status_transition', { details: { current_status: status, ...why, ...more } });
}

export type WithdrawalOf = Readonly<{ at: string; by: Withdrawer; reason: string | null }>;

/**
 * Whether a withdrawal ends the payment; it does once, and only while nobody has signed. An overdue payment expires
 * instead, which the caller sees from the resulting state. The service withdraws whatever still waits, and has no use
 * for a refusal.
 */
export function ruleOnWithdrawal({ at, by }: WithdrawalOf, progress: Progress, waiting: string): 'moves' | 'known' {
  const { status, withdrawn } = progress;
  if (withdrawn !== null || status === 'expired' || isOverdue(at, progress, waiting)) return 'known';
  if (status === waiting) return 'moves';
  if (by === 'service') return 'known';
  throw refuseMove(progress);
}

/** An overdue payment was not withdrawn: it expired. */
export function assertWithdrawn(progress: Progress): void {
  if (progress.withdrawn === null) throw refuseMove(progress);
}

/** The latest report of a transaction on a payment that had ended, as reads show it. */
export type LateMoney = Readonly<{
  status: 'broadcasted' | 'confirmed';
  transaction_hash: string;
  reported_at: string;
}>;

type RecordedReport = Readonly<{ reported_status: string; transaction_hash: string | null; at: string }>;

/** Null if the report does not say that money moved. */
export function lateMoneyIn({ reported_status, transaction_hash, at }: RecordedReport): LateMoney | null {
  const saysSo = reported_status === 'broadcasted' || reported_status === 'confirmed';
  return saysSo && transaction_hash !== null ? { status: reported_status, transaction_hash, reported_at: at } : null;
}

/** What a transaction was confirmed with is not taken back by its earlier report that arrives later. */
export function nextLateMoney(known: LateMoney | null, report: RecordedReport): LateMoney | null {
  const late = lateMoneyIn(report);
  if (late === null) return known;
  return known?.status === 'confirmed' && known.transaction_hash === late.transaction_hash ? known : late;
}

/** The transaction that a late report names, if it names one. */
export const transactionIn = ({ reported_status: status, transaction_hash }: Omit<RecordedReport, 'at'>) =>
  carriesTransaction({ status, transactionHash: transaction_hash }) ? transaction_hash : null;

/** Two late reports are the same if they say the same, whenever they arrived. */
export const lateReportKey = ({ status, transactionHash, reason, ledger }: Omit<StatusReport, 'at'>): string =>
  JSON.stringify([status, transactionHash, reason, ledger]);

function claimIn(kept: string): Claim {
  const [status, transactionHash] = JSON.parse(kept) as [string, string | null];
  return { status, transactionHash };
}

/** A wallet that missed the response sends its report again. Only what belongs to the status is compared. */
function isRepeated(report: StatusReport, progress: Progress): boolean {
  if (report.status !== progress.status || progress.withdrawn !== null) return false;
  switch (report.status) {
    case 'signed':
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
