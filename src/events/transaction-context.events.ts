// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type MaybeUnderKey } from '../kernel/made-under-key';
import { type ConnectionId, type ContextId } from '../kernel/aggregates';

export type TransactionContextItem = Readonly<{ label: string; value: string }>;

export type TransactionContextRevised = Readonly<{
  type: 'TransactionContextRevised';
  data: MaybeUnderKey &
    Readonly<{
      /** The stream's id, derived from connection and transaction id. */
      context_id: ContextId;
      transaction_id: string;
      connection_id: ConnectionId;
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
