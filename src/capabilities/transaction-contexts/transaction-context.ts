import { canonicalJson } from '../../kernel/canonical-json';
import { type Decider } from '../../kernel/decider';
import { type MaybeUnderKey, repeated, underKey } from '../../kernel/made-under-key';
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
  under?: MaybeUnderKey | undefined;
}>;

export type TransactionContextState = Readonly<{
  revision: number;
  content: ContextContent | null;
  /** The digests of the intents of its revisions, by the key that each was sent under. */
  keys: ReadonlyMap<string, string>;
}>;

/** What a person reads before they pay. It may be revised as often as needed; every revision is kept. */
export const transactionContext: Decider<TransactionContextState, ReviseContext, TransactionContextEvent> = {
  category: 'transaction_context',
  initial: { revision: 0, content: null, keys: new Map() },
  // Each holds what its caller wrote, which may be as large as a request body.
  kept: 500,

  decide({ contextId, connectionId, transactionId, content, at, under }, state) {
    const made = state.keys.get(under?.idempotency_key ?? '');
    if (made !== undefined) return repeated({ intent_digest: made }, under);
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
          ...underKey(under),
        },
      },
    ];
  },

  evolve({ keys }, { data }) {
    const { revision, title, summary, items, reference_url, metadata, idempotency_key: key, intent_digest } = data;
    const known = key === undefined || intent_digest === undefined ? keys : new Map(keys).set(key, intent_digest);
    return { revision, content: { title, summary, items, reference_url, metadata }, keys: known };
  },
};
