import { type EventStore, LOG_START, type Position } from '../event-store/event-store.port';
import { type ProjectorLog } from './projector-log';
import { type Checkpoint, type ReadModelStore } from '../read-model/read-model.port';

/** A bookmark, because bookmarks survive a reset and the instance that resumes after a crash needs it too. */
const REBUILT = 'rebuilt';
/** The fingerprint of no projections: whoever finds it resets again. */
const OF_NO_LOG = 'of no log';

const LOG_DIFFERS =
  'the log no longer has what the read model has seen; was it restored? The read model is built anew, and checkpoints signed since the backup are void: tell who keeps them';

/**
 * After this, documents are missing until the log has been replayed up to its current end. False if the documents were
 * built from a log that had other events.
 */
export async function resetForRebuild(
  model: ReadModelStore,
  store: EventStore,
  fingerprint: string,
  log: ProjectorLog,
): Promise<boolean> {
  const isSameLog = await isStillOf(store, await model.state());
  // What reactors did after the backup is gone from the log, and nobody knows where the backup ended.
  if (!isSameLog) await model.reset(OF_NO_LOG, LOG_START);
  const end = await store.head();
  await model.setBookmark(REBUILT, end);
  await model.reset(fingerprint, end);
  if (!isSameLog) log.warn({}, LOG_DIFFERS);
  return isSameLog;
}

/**
 * Until reads have reached this position, a document they lack may still exist. A bookmark never moves back, but a log
 * may: after a restore from a backup it can end before the last rebuild.
 */
export async function rebuiltAt(model: ReadModelStore, store: EventStore): Promise<Position> {
  const [rebuilt, end] = await Promise.all([model.bookmark(REBUILT), store.head().catch(() => undefined)]);
  return end === undefined ? rebuilt : earlierOf(end, rebuilt);
}

/** Whether these projections built the documents, and from this log. */
export async function isBuiltFrom(store: EventStore, model: ReadModelStore, fingerprint: string): Promise<boolean> {
  const state = await model.state();
  if (state.fingerprint !== fingerprint) return false;
  // A shared log says itself whether it can be followed from there: only its leader knows.
  return store.isRemote || isStillOf(store, state);
}

/**
 * Whether the log still has what the read model has seen. One that was restored from a backup ends earlier, or has
 * another event at this position if it has grown since; earlier versions did not note which event it was.
 */
async function isStillOf(store: EventStore, { position, event }: Checkpoint): Promise<boolean> {
  if (position === LOG_START) return true;
  // Not by the end of the log: without a leader, a node that lags behind says where it ends.
  const found = await store.idAt(position);
  return event === undefined ? found !== undefined || position <= (await store.head()) : found === event;
}

export const earlierOf = (one: Position, other: Position): Position => (one < other ? one : other);
