import { compareAmounts } from '../../kernel/amounts';
import { type SettlementDifference, type SettlementFact } from '../../kernel/settlement';
import { type RecipientFacts } from '../../events/recipient.events';
import { type SettledMemo, type SettledTransaction, type SettledTransfer } from './witness.port';

/** What was requested and when, and the ledger the wallet reported. */
export type Pinned = Readonly<{ facts: RecipientFacts; amount: string; ledger: number | null; createdAt: string }>;

export type Comparison = Readonly<{
  /** Only what differs, in the order of the facts. */
  differences: readonly SettlementDifference[];
  /** The transfers that agree in everything; none if anything differs. */
  agreeing: readonly SettledTransfer[];
}>;

/** The network's clocks and ours may disagree by this much. */
const CLOCK_TOLERANCE_MS = 60_000;

export function compare(pinned: Pinned, transaction: SettledTransaction): Comparison {
  const { successful, ledger, closedAt, memo } = transaction;
  // What the payee sends to itself pays it nothing.
  const { address } = pinned.facts;
  const paying = transaction.transfers.filter(({ from, destination }) => from !== address || destination !== address);
  const judged = paying.map((transfer) => ({ transfer, differences: transferDifferences(pinned, transfer, memo) }));
  const differences = [
    ...(successful ? [] : [difference('successful', true, false)]),
    ...(pinned.ledger === null || pinned.ledger === ledger ? [] : [difference('ledger', pinned.ledger, ledger)]),
    ...(closest(judged.map((one) => one.differences)) ?? nothingPaid(pinned, memo)),
    ...(Date.parse(closedAt) >= Date.parse(pinned.createdAt) - CLOCK_TOLERANCE_MS
      ? []
      : [difference('time', pinned.createdAt, closedAt)]),
  ];
  if (differences.length > 0) return { differences, agreeing: [] };
  return {
    differences,
    agreeing: judged.filter((one) => one.differences.length === 0).map(({ transfer }) => transfer),
  };
}

type Differences = readonly SettlementDifference[];

/** If one of several transfers agrees in everything, that is enough; otherwise report the closest one. */
const closest = (candidates: readonly Differences[]): Differences | undefined =>
  candidates.reduce<Differences | undefined>(
    (best, next) => (best === undefined || next.length < best.length ? next : best),
    undefined,
  );

function transferDifferences(
  { facts, amount }: Pinned,
  found: SettledTransfer,
  ofTransaction: SettledMemo | null,
): Differences {
  return [
    ...(facts.address === found.destination ? [] : [difference('destination', facts.address, found.destination)]),
    ...(facts.asset === found.asset ? [] : [difference('asset', facts.asset, found.asset)]),
    // A token may share its code with another, or with the native asset: only its issuer tells them apart.
    ...(facts.issuer === found.issuer ? [] : [difference('issuer', facts.issuer, found.issuer)]),
    ...(compareAmounts(amount, found.amount) === 0 ? [] : [difference('amount', amount, found.amount)]),
    ...memoDifferences(facts.memo, found.memo === undefined ? ofTransaction : found.memo),
  ];
}

const nothingPaid = ({ facts, amount }: Pinned, memo: SettledMemo | null): Differences => [
  difference('destination', facts.address, null),
  difference('asset', facts.asset, null),
  ...(facts.issuer === null ? [] : [difference('issuer', facts.issuer, null)]),
  difference('amount', amount, null),
  ...memoDifferences(facts.memo, memo),
];

/** A recipient without a memo requires none: whatever the payer adds, the payment still reaches the payee. */
const memoDifferences = (pinned: string | null, found: SettledMemo | null): Differences =>
  pinned === null || (found !== null && found.isText && found.shown === pinned)
    ? []
    : [difference('memo', pinned, found?.shown ?? null)];

const difference = (
  fact: SettlementFact,
  expected: SettlementDifference['expected'],
  found: SettlementDifference['found'],
): SettlementDifference => ({ fact, expected, found });
