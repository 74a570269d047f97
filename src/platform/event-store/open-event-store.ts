import { join } from 'node:path';
import { type Config } from '../config';
import {
  claimEmbeddedLog,
  openEmbeddedEventStoreBeside,
  openEmbeddedEventStoreReadOnly,
} from './embedded/open-embedded-event-store';
import { ONLY_THREAD, type Thread } from '../threads/thread-link';
import { type EventStore } from './event-store.port';

// The only file that knows which event stores there are. It loads little, so that the log can be opened first.

/** Loaded only where it is used: the engines' clients were nearly half of everything loaded at startup. */
async function openEventStoreDb(url: string): Promise<EventStore> {
  return (await import('./eventstoredb/eventstoredb-store')).openEventStoreDb(url);
}

/** An event store that this process may open; an embedded one is not available to any other process from here on. */
export type ClaimedEventStore = Readonly<{ open(thread?: Thread): Promise<EventStore> }>;

/** The first step of opening the event store, for a caller that has something else to do during the second. */
export async function claimEventStore({ eventStore, dataDir }: Config): Promise<ClaimedEventStore> {
  if (eventStore.kind === 'eventstoredb') return { open: () => openEventStoreDb(eventStore.url) };
  const log = await claimEmbeddedLog(join(dataDir, 'events'));
  return { open: (thread) => log.open(thread?.side === 'front' ? thread.link : undefined) };
}

export async function openEventStore(config: Config, thread: Thread = ONLY_THREAD): Promise<EventStore> {
  if (config.eventStore.kind === 'embedded' && thread.side === 'sends')
    return openEmbeddedEventStoreBeside(join(config.dataDir, 'events'), thread.link);
  return (await claimEventStore(config)).open(thread);
}

/** Opened beside a running service, for reading only. */
export const openEventStoreReadOnly = ({ eventStore, dataDir }: Config): Promise<EventStore> =>
  eventStore.kind === 'embedded'
    ? openEmbeddedEventStoreReadOnly(join(dataDir, 'events'))
    : openEventStoreDb(eventStore.url);
