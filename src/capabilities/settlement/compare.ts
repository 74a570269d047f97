import { compareAmounts } from '../../kernel/amounts';
import { type Settlement, type SettlementDifference, type SettlementFact } from '../../kernel/settlement';
import { type RecipientFacts } from '../../events/recipient.events';
import { type SettledPayment, type SettledTransaction, type Sighting } from './witness.port';

/** What was requested, and the ledger the wallet reported. */
export type Pinned = Readonly<{ facts: RecipientFacts; amount: string; ledger: number | null }>;

/** The verdict of a lookup. `differs` requires a transaction that was read; anything unreadable is still pending. */
export function judge(pinned: Pinned, sighting: Sighting, observed_at: string, witness: string): Settlement {
  const look = { observed_at, witness };
  switch (sighting.kind) {
    case 'not_found':
      return { verdict: 'not_found', differences: [], ledger: null, ...look };
    case 'unclear':
      return { verdict: 'pending', differences: [], ledger: null, ...look };
    case 'found': {
      const { transaction } = sighting;
      const differences = differencesFrom(pinned, transaction);
      const verdict = differences.length === 0 ? 'matches' : 'differs';
      return { verdict, differences, ledger: transaction.ledger, ...look };
    }
  }
}

/** Only what differs, in the order of the facts. */
export function differencesFrom(pinned: Pinned, transaction: SettledTransaction): readonly SettlementDifference[] {
  const { successful, ledger, memo } = transaction;
  return [
    ...(successful ? [] : [difference('successful', true, false)]),
    ...(pinned.ledger === null || pinned.ledger === ledger ? [] : [difference('ledger', pinned.ledger, ledger)]),
    ...closest(pinned, transaction.payments),
    ...(isSameMemo(pinned.facts.memo, memo) ? [] : [difference('memo', pinned.facts.memo, memo?.shown ?? null)]),
  ];
}

/** If one of several payments matches in everything, that is enough; otherwise report the closest match. */
function closest(pinned: Pinned, payments: readonly SettledPayment[]): readonly SettlementDifference[] {
  const [first = nothingPaid(pinned), ...others] = payments.map((payment) => paymentDifferences(pinned, payment));
  return others.reduce((best, next) => (next.length < best.length ? next : best), first);
}

function paymentDifferences({ facts, amount }: Pinned, found: SettledPayment): readonly SettlementDifference[] {
  return [
    ...(facts.address === found.destination ? [] : [difference('destination', facts.address, found.destination)]),
    ...(facts.asset === found.asset ? [] : [difference('asset', facts.asset, found.asset)]),
    // A token may share its code with another, or with the native asset: only its issuer tells them apart.
    ...(facts.issuer === found.issuer ? [] : [difference('issuer', facts.issuer, found.issuer)]),
    ...(compareAmounts(amount, found.amount) === 0 ? [] : [difference('amount', amount, found.amount)]),
  ];
}

const nothingPaid = ({ facts, amount }: Pinned): readonly SettlementDifference[] => [
  difference('destination', facts.address, null),
  difference('asset', facts.asset, null),
  ...(facts.issuer === null ? [] : [difference('issuer', facts.issuer, null)]),
  difference('amount', amount, null),
];

/** A recipient without a memo requires none: whatever the payer adds, the payment still reaches the payee. */
const isSameMemo = (pinned: string | null, found: SettledTransaction['memo']): boolean =>
  pinned === null || (found !== null && found.isText && found.shown === pinned);

const difference = (
  fact: SettlementFact,
  expected: SettlementDifference['expected'],
  found: SettlementDifference['found'],
): SettlementDifference => ({ fact, expected, found });
