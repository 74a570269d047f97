import { isDeepStrictEqual } from 'node:util';
import { refuse, refuseTooMany } from './errors';

export const SETTLEMENT_VERDICTS = ['matches', 'differs', 'not_found', 'pending'] as const;
export type SettlementVerdict = (typeof SETTLEMENT_VERDICTS)[number];

/**
 * What is compared with the network; the ledger only if the wallet named one. `time`: the ledger closed before the
 * payment was asked for. `already_settles`: the transfer settles another payment.
 */
export const SETTLEMENT_FACTS = [
  'successful',
  'ledger',
  'destination',
  'asset',
  'issuer',
  'amount',
  'memo',
  'time',
  'already_settles',
] as const;
export type SettlementFact = (typeof SETTLEMENT_FACTS)[number];

/** What ties a transfer to the payer: the account that paid vouches for the key that decided, or nothing does. */
export type SettlementBinding = 'payer' | 'none';

export type SettlementDifference = Readonly<{
  fact: SettlementFact;
  expected: string | number | boolean | null;
  found: string | number | boolean | null;
}>;

/** What the service saw on the network of the transaction that a wallet reported. It never changes a status. */
export type Settlement = Readonly<{
  verdict: SettlementVerdict;
  /** Only what differs. */
  differences: readonly SettlementDifference[];
  /** The ledger of the transaction; null until it was seen in one. */
  ledger: number | null;
  observed_at: string;
  /** The network server that was asked. */
  witness: string;
  /** The hash under which the ledger has the transaction: that of the fee bump, where there is one. */
  ledger_hash?: string;
  /** The transfer that settles this payment, by its operation and its place among the arrivals within it. */
  operation?: number | null;
  transfer?: number | null;
  /** Whether the transaction was reported before its ledger closed. */
  announced?: boolean;
  binding?: SettlementBinding;
  /** The signed transaction, base64 XDR. */
  envelope?: string | null;
}>;

/** Rechecks accepted per payment and minute: each makes us call somebody else's server. */
export const MAX_CHECKS = 5;
const CHECK_WINDOW_MS = 60_000;

/**
 * The earlier checks that still count at this moment, oldest first. One from far in the future does not: the clock was
 * set back, and otherwise nobody could ask for a check until that time has come again.
 */
export const recentChecks = (checks: readonly string[], at: string): readonly string[] =>
  checks.filter((earlier) => Math.abs(Date.parse(at) - Date.parse(earlier)) < CHECK_WINDOW_MS);

/** Seconds to wait before another check is accepted; 0 if it is accepted now. */
export function secondsUntilCheck(checks: readonly string[], at: string): number {
  const recent = recentChecks(checks, at);
  const oldest = recent.at(-MAX_CHECKS);
  if (oldest === undefined) return 0;
  return Math.max(1, Math.ceil((Date.parse(oldest) + CHECK_WINDOW_MS - Date.parse(at)) / 1000));
}

type Checked = Readonly<{ transactionHash: string | null; settlementChecks: readonly string[] }>;

/** The transaction to look up; refused without one, and more than a few times a minute. */
export function hashToCheck(at: string, { transactionHash, settlementChecks }: Checked): string {
  if (transactionHash === null) throw refuse('transaction_not_reported');
  const resetSeconds = secondsUntilCheck(settlementChecks, at);
  if (resetSeconds > 0) throw refuseTooMany({ limit: MAX_CHECKS, remaining: 0, resetSeconds });
  return transactionHash;
}

/** A finding as callers see it: the transaction itself is for auditors only. Null is what older findings do not have. */
export const settlementView = ({ verdict, differences, ledger, observed_at, witness, ...more }: Settlement) => ({
  verdict,
  differences,
  ledger,
  ledger_hash: more.ledger_hash ?? null,
  operation: more.operation ?? null,
  transfer: more.transfer ?? null,
  announced: more.announced ?? null,
  binding: more.binding ?? null,
  observed_at,
  witness,
});
export type SettlementView = ReturnType<typeof settlementView>;

/** A finding as feeds and webhooks tell it. */
export const findingView = ({ settlement, contested = false }: FoundData) => ({
  settlement: settlementView(settlement),
  contested,
});

type FoundData = Readonly<{ settlement: Settlement; contested?: boolean | undefined }>;

export type Observation = Readonly<{
  transactionHash: string;
  settlement: Settlement;
  /** Whether others claim what settles this payment. */
  contested?: boolean;
  /** The version of the claims' stream that it follows from. */
  claimVersion?: number;
}>;

/** What is known about a payment's transaction. Once contested, a payment stays so. */
export type Observed = Readonly<{
  transactionHash: string | null;
  settlement: Settlement | null;
  contested: boolean;
  claimVersion: number;
}>;

export const NOTHING_OBSERVED = { settlement: null, contested: false, claimVersion: 0 } as const;

export const withObservation = <Known extends Observed>(
  known: Known,
  data: FoundData & Readonly<{ claim_version?: number }>,
): Known => ({
  ...known,
  settlement: data.settlement,
  contested: known.contested || data.contested === true,
  claimVersion: data.claim_version ?? 0,
});

/** What a check adds to what is known about a payment's transaction; a check of another transaction adds nothing. */
export function newlyObserved<Status>(found: Observation, known: Observed & Readonly<{ status: Status }>) {
  if (!isNewlyObserved(found, known)) return undefined;
  const { transactionHash: transaction_hash, settlement, claimVersion } = found;
  return {
    status: known.status,
    transaction_hash,
    settlement,
    contested: known.contested || found.contested === true,
    ...(claimVersion === undefined ? {} : { claim_version: claimVersion }),
    at: settlement.observed_at,
  };
}

/**
 * Whether a check adds to what is known. Its time and the server asked are not findings of their own. A check that did
 * not find the transaction, or could not read it, takes back nothing that an earlier one read; nor does one that follows
 * from what the claims were before others were judged.
 */
export function isNewlyObserved(found: Observation, known: Observed): boolean {
  if (known.transactionHash !== found.transactionHash) return false;
  if (known.settlement === null) return true;
  const { verdict, ledger_hash } = found.settlement;
  if (verdict === 'pending') return false;
  if (verdict === 'not_found') return known.settlement.verdict === 'pending';
  if (known.settlement.ledger_hash === ledger_hash && (found.claimVersion ?? 0) < known.claimVersion) return false;
  if (found.contested === true && !known.contested) return true;
  return !isDeepStrictEqual(findingOf(known.settlement), findingOf(found.settlement));
}

function findingOf(settlement: Settlement) {
  const { observed_at: _at, witness: _witness, ...finding } = settlementView(settlement);
  return finding;
}

/** What was seen to pay stays a payment's transaction: a late report of another one is kept beside it. */
export const isSeenToPay = ({ settlement }: Readonly<{ settlement: Pick<Settlement, 'verdict'> | null }>): boolean =>
  settlement?.verdict === 'matches';

/** A payment whose current transaction is another: nothing is known of that one yet. Null changes nothing. */
export const withTransaction = <
  Known extends Readonly<{ transactionHash: string | null; settlement: Settlement | null }>,
>(
  known: Known,
  transactionHash: string | null,
): Known =>
  transactionHash === null || transactionHash === known.transactionHash
    ? known
    : { ...known, transactionHash, settlement: null };
