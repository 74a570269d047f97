// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { derivedId } from '../kernel/ids';

/** A transaction id is the caller's own, so it names something only within its connection. */
export const transactionContextId = (connectionId: string, transactionId: string): string =>
  derivedId('txn', connectionId, 'transaction', transactionId);

export type TransactionContextItem = Readonly<{ label: string; value: string }>;

export type TransactionContextRevised = Readonly<{
  type: 'TransactionContextRevised';
  data: Readonly<{
    /** The stream's id: the transaction id within its connection. */
    context_id: string;
    transaction_id: string;
    connection_id: string;
    revision: number;
    title: string;
    summary: string | null;
    items: readonly TransactionContextItem[];
    reference_url: string | null;
    metadata: Readonly<Record<string, unknown>> | null;
    revised_at: string;
  }>;
}>;

export type TransactionContextEvent = TransactionContextRevised;
