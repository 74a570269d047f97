import { join } from 'node:path';
import { type Config } from '../config';
import {
  openEmbeddedEventStore,
  openEmbeddedEventStoreBeside,
  openEmbeddedEventStoreReadOnly,
  verifyEmbeddedEventStore,
} from './embedded/open-embedded-event-store';
import { ONLY_THREAD, type Thread } from '../threads/thread-link';
import { type EventStore } from './event-store.port';

// The only file that knows which event stores there are. It loads little, so that the log can be opened first.

/** Loaded only where it is used: the engines' clients were nearly half of everything loaded at startup. */
async function openEventStoreDb(url: string): Promise<EventStore> {
  return (await import('./eventstoredb/eventstoredb-store')).openEventStoreDb(url);
}

export async function openEventStore(
  { eventStore, dataDir }: Config,
  thread: Thread = ONLY_THREAD,
): Promise<EventStore> {
  if (eventStore.kind === 'eventstoredb') return openEventStoreDb(eventStore.url);
  const directory = join(dataDir, 'events');
  if (thread.side === 'sends') return openEmbeddedEventStoreBeside(directory, thread.link);
  return openEmbeddedEventStore(directory, thread.side === 'front' ? thread.link : undefined);
}

/** Opened beside a running service, for reading only. */
export const openEventStoreReadOnly = ({ eventStore, dataDir }: Config): Promise<EventStore> =>
  eventStore.kind === 'embedded'
    ? openEmbeddedEventStoreReadOnly(join(dataDir, 'events'))
    : openEventStoreDb(eventStore.url);

/** Rejects unless the files of the log are as they were written: an embedded log is checked, an engine checks its own. */
export async function verifyEventStore({ eventStore, dataDir }: Config): Promise<void> {
  if (eventStore.kind === 'embedded') await verifyEmbeddedEventStore(join(dataDir, 'events'));
}
