import { type EventStore, type Position } from '../event-store/event-store.port';
import { type ReadModelStore } from '../read-model/read-model.port';

/** A bookmark, because bookmarks survive a reset and the instance that resumes after a crash needs it too. */
const REBUILT = 'rebuilt';

/** After this, documents are missing until the log has been replayed up to its current end. */
export async function resetForRebuild(model: ReadModelStore, store: EventStore, fingerprint: string): Promise<void> {
  const end = await store.head();
  await model.setBookmark(REBUILT, end);
  await model.reset(fingerprint, end);
}

/**
 * Until reads have reached this position, a document they lack may still exist. A bookmark never moves back, but a log
 * may: after a restore from a backup it can end before the last rebuild.
 */
export async function rebuiltAt(model: ReadModelStore, store: EventStore): Promise<Position> {
  const [rebuilt, end] = await Promise.all([model.bookmark(REBUILT), store.head().catch(() => undefined)]);
  return end === undefined ? rebuilt : earlierOf(end, rebuilt);
}

/**
 * Whether these projections built the documents from this log, and not from events that are missing since the log was
 * restored from a backup. Only a log that is not shared reports its exact end.
 */
export async function isBuiltFrom(store: EventStore, model: ReadModelStore, fingerprint: string): Promise<boolean> {
  if ((await model.fingerprint()) !== fingerprint) return false;
  return store.isRemote || (await model.checkpoint()) <= (await store.head());
}

export const earlierOf = (one: Position, other: Position): Position => (one < other ? one : other);
