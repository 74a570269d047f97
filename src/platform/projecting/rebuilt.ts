import { type EventStore, type Position } from '../event-store/event-store.port';
import { type ReadModelStore } from '../read-model/read-model.port';

/** A bookmark, because bookmarks survive a reset and the instance that resumes after a crash needs it too. */
const REBUILT = 'rebuilt';

/** From here on documents are missing until the log has been replayed up to its current end. */
export async function beginAnew(model: ReadModelStore, store: EventStore, fingerprint: string): Promise<void> {
  const end = await store.head();
  await model.setBookmark(REBUILT, end);
  await model.reset(fingerprint, end);
}

/** Until reads have reached this position, a document they lack may still exist. */
export const rebuiltAt = (model: ReadModelStore): Promise<Position> => model.bookmark(REBUILT);
