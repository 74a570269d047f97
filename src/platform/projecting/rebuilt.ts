import { type EventStore, type Position } from '../event-store/event-store.port';
import { type ReadModelStore } from '../read-model/read-model.port';

/** A bookmark, because those stay when the documents are forgotten, and whoever goes on after a crash must know it too. */
const REBUILT = 'rebuilt';

/** From here on documents are missing until the log has been played up to where it ends now. */
export async function beginAnew(model: ReadModelStore, store: EventStore, fingerprint: string): Promise<void> {
  await model.setBookmark(REBUILT, await store.head());
  await model.reset(fingerprint);
}

/** Before reads have come so far, what they do not show may well be there. */
export const rebuiltAt = (model: ReadModelStore): Promise<Position> => model.bookmark(REBUILT);
