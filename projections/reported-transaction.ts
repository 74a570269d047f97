import { type DataOf } from '../src/events';
import { shortestAmount } from '../src/kernel/amounts';
import { type RecipientId } from '../src/kernel/aggregates';
import { nextLateMoney, transactionIn } from '../src/kernel/payment-progress';
import { findingView, isSeenToPay } from '../src/kernel/settlement';
import { withoutNulls } from '../src/kernel/without-nulls';
import { type PaymentRequestDocument } from './payment-request-document';

/** Reported in time, of either kind of payment. */
export function reportedIn({ transaction_hash: reported }: Readonly<{ transaction_hash?: string }>) {
  const transaction_hash = reported ?? null;
  return { transaction_hash, timely_hash: transaction_hash };
}

type Late = Pick<
  PaymentRequestDocument,
  'transaction_hash' | 'late' | 'settlement' | 'same_as' | 'recipient_id' | 'amount'
>;

/** Of either kind of payment: its transaction is the one reported last. */
export function withLateReport<Document extends Late>(known: Document, report: LateReport): Document {
  const named = transactionIn(report) ?? known.transaction_hash;
  const isSeen = isSeenToPay(known);
  const transaction_hash = isSeen ? known.transaction_hash : named;
  const isBeside = isSeen && named !== transaction_hash && known.late !== null;
  const late = isBeside ? known.late : nextLateMoney(known.late, report);
  // It was paid after all, so the same again may be a duplicate.
  const same_as = late === null ? known.same_as : sameAs(known);
  return { ...withTransactionHash(known, transaction_hash), late, same_as };
}

/** Of another transaction than before, the network has not told anything yet. */
export const withTransactionHash = <Document extends Pick<Late, 'transaction_hash' | 'settlement'>>(
  known: Document,
  transaction_hash: string | null,
): Document => ({
  ...known,
  transaction_hash,
  settlement: transaction_hash === known.transaction_hash ? known.settlement : null,
});

/** What a finding adds to a payment of either kind. */
export const withFinding = (
  { contested }: Pick<PaymentRequestDocument, 'contested'>,
  found: DataOf<'PaymentRequestSettlementObserved' | 'AgentPaymentSettlementObserved'>,
) => {
  const { settlement, contested: isContested } = findingView(found);
  return { settlement, contested: contested || isContested };
};

type LateReport = Parameters<typeof nextLateMoney>[1];

/** Who took it back, and what was reported after the end; of either kind of payment. */
export const lateView = ({
  withdrawn_by,
  withdrawn_reason,
  late,
}: Pick<PaymentRequestDocument, 'withdrawn_by' | 'withdrawn_reason' | 'late'>) =>
  withoutNulls({ withdrawn_by, withdrawn_reason, late });

/** Recipient and amount, however the amount is written. */
export const sameAs = ({ recipient_id, amount }: Readonly<{ recipient_id: RecipientId; amount: string }>): string =>
  `${recipient_id} ${shortestAmount(amount)}`;
