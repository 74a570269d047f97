import { type Observation, type Settlement, type SettlementDifference } from '../../kernel/settlement';
import { compare, type Pinned } from './compare';
import { type ClaimRuling } from './settlement-claim';
import { type KnownPayment } from './watched-payments';
import { type SettledTransaction, type Sighting } from './witness.port';

/** A transaction on a network, and the server that was asked. */
export type Seen = Readonly<{ network: string; witness: string; transaction: SettledTransaction }>;

/** What was found of a transaction that is in a ledger. */
export type Finding = Observation & Readonly<{ contested: boolean }>;

/** The ledger that a wallet named for another transaction says nothing about this one. */
export const pinnedFor = (payment: KnownPayment, { ledgerHash, innerHash }: SettledTransaction): Pinned =>
  payment.transactionHash === ledgerHash || payment.transactionHash === innerHash
    ? payment
    : { ...payment, ledger: null };

/** What a ruling means for its payment. The finding is about the transaction as the wallet named it last. */
export function findingOf(
  { claim, transfer, holder, contested }: ClaimRuling,
  payment: KnownPayment,
  { transaction, witness }: Seen,
  observed_at: string,
): Finding {
  // That others have what agrees is told to everybody, which payment it settles to the same merchant only.
  const found = holder?.merchantId === claim.merchantId ? holder.name : null;
  const taken: SettlementDifference = { fact: 'already_settles', expected: null, found };
  const unpaid =
    claim.agreeing.length > 0 ? [taken] : compare(pinnedFor(payment, transaction), transaction).differences;
  const { ledgerHash, innerHash, ledger, envelope } = transaction;
  const { transactionHash: named } = payment;
  return {
    transactionHash: named !== null && named === innerHash ? named : ledgerHash,
    contested,
    settlement: {
      verdict: transfer === null ? 'differs' : 'matches',
      differences: transfer === null ? unpaid : [],
      ledger,
      ledger_hash: ledgerHash,
      operation: transfer?.operation ?? null,
      transfer: transfer?.transfer ?? null,
      announced: claim.announced,
      binding: claim.binding,
      observed_at,
      witness,
      envelope,
    },
  };
}

/** The finding of a lookup that saw no transaction: anything unreadable is still pending. */
export const unseen = (
  kind: Exclude<Sighting['kind'], 'found'>,
  look: Pick<Settlement, 'observed_at' | 'witness'>,
): Settlement => ({
  verdict: kind === 'not_found' ? 'not_found' : 'pending',
  differences: [],
  ledger: null,
  ...look,
});
