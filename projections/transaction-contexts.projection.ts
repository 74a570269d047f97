import { notFollowed } from '../src/kernel/assert-never';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { type TransactionContextEvent, type TransactionContextItem } from '../src/events/transaction-context.events';
import { collection, type Document, ignored, type Projection, type Step } from '../src/platform/read-model/projection';
import { type ConnectionId, type ContextId } from '../src/kernel/aggregates';

/** The latest revision. */
export type TransactionContextDocument = Readonly<{
  id: ContextId;
  connection_id: ConnectionId;
  transaction_id: string;
  revision: number;
  title: string;
  summary: string | null;
  items: readonly TransactionContextItem[];
  reference_url: string | null;
  /** As JSON text, so that no store interprets its keys. */
  metadata: string | null;
  created_at: string;
  updated_at: string;
  version: number;
}>;

export const transactionContexts = collection<TransactionContextDocument>('transaction_contexts');

export const transactionContextsProjection: Projection = {
  name: 'transaction-contexts',
  version: 1,
  collections: [transactionContexts],
  project: (recorded) => steps(recorded as RecordedEvent & TransactionContextEvent),
};

function steps(event: RecordedEvent & TransactionContextEvent): readonly Step[] {
  switch (event.type) {
    case 'TransactionContextRevised':
      return [step(event)];
    default:
      return notFollowed(event.type, ignored);
  }
}

const step = ({ data, version }: RecordedEvent & TransactionContextEvent): Step => ({
  collection: transactionContexts,
  id: data.context_id,
  next: (current: Document | undefined) => {
    const { context_id: id, revised_at, metadata, ...content } = data;
    const document: TransactionContextDocument = {
      id,
      ...content,
      metadata: metadata && JSON.stringify(metadata),
      created_at: (current as TransactionContextDocument | undefined)?.created_at ?? revised_at,
      updated_at: revised_at,
      version,
    };
    return { document };
  },
});

/** What callers see. A field that was not given is absent. */
export const transactionContextView = (document: TransactionContextDocument) => ({
  transaction_id: document.transaction_id,
  connection_id: document.connection_id,
  revision: document.revision,
  title: document.title,
  ...(document.summary === null ? {} : { summary: document.summary }),
  items: document.items,
  ...(document.reference_url === null ? {} : { reference_url: document.reference_url }),
  ...(document.metadata === null ? {} : { metadata: JSON.parse(document.metadata) as object }),
  created_at: document.created_at,
  updated_at: document.updated_at,
  version: document.version,
});
