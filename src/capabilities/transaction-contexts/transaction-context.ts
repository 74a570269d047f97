import { canonicalJson } from '../../kernel/canonical-json';
import { type Decider } from '../../kernel/decider';
import { type TransactionContextEvent, type TransactionContextRevised } from '../../events/transaction-context.events';
import { type ConnectionId, type ContextId } from '../../kernel/aggregates';

type Revised = TransactionContextRevised['data'];

/** What a revision says; the rest of the event says about which transaction, when, and which revision it is. */
export type ContextContent = Readonly<Pick<Revised, 'title' | 'summary' | 'items' | 'reference_url' | 'metadata'>>;

export type ReviseContext = Readonly<{
  contextId: ContextId;
  connectionId: ConnectionId;
  transactionId: string;
  content: ContextContent;
  at: string;
}>;

export type TransactionContextState = Readonly<{ revision: number; content: ContextContent | null }>;

/** What a person reads before they pay. It may be revised as often as needed; every revision is kept. */
export const transactionContext: Decider<TransactionContextState, ReviseContext, TransactionContextEvent> = {
  category: 'transaction_context',
  initial: { revision: 0, content: null },
  // Each holds what its caller wrote, which may be as large as a request body.
  kept: 500,

  decide({ contextId, connectionId, transactionId, content, at }, state) {
    if (state.content !== null && canonicalJson(state.content) === canonicalJson(content)) return [];
    return [
      {
        type: 'TransactionContextRevised',
        data: {
          context_id: contextId,
          transaction_id: transactionId,
          connection_id: connectionId,
          revision: state.revision + 1,
          ...content,
          revised_at: at,
        },
      },
    ];
  },

  evolve(_state, { data: { revision, title, summary, items, reference_url, metadata } }) {
    return { revision, content: { title, summary, items, reference_url, metadata } };
  },
};
