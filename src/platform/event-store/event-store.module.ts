import { join } from 'node:path';
import { Global, Module } from '../injection';
import { CONFIG, type Config } from '../config';
import { CLOCK, type Clock } from '../../kernel/clock';
import { Projector } from '../projecting/projector';
import { DueSweepers } from '../reacting/due-sweepers';
import {
  openEmbeddedEventStore,
  openEmbeddedEventStoreBeside,
  openEmbeddedEventStoreReadOnly,
} from './embedded/open-embedded-event-store';
import { ONLY_THREAD, type Thread, THREAD } from '../threads/thread-link';
import { EVENT_STORE, type EventStore } from './event-store.port';
import { Reactors } from '../reacting/reactors';
import { CommandRunner } from './run-command';

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

/** The only file that knows which event stores there are. */
@Global()
@Module({
  providers: [
    Reactors,
    DueSweepers,
    { provide: EVENT_STORE, inject: [CONFIG, THREAD], useFactory: openEventStore },
    {
      provide: CommandRunner,
      inject: [EVENT_STORE, CLOCK, Projector],
      useFactory: (store: EventStore, clock: Clock, projector: Projector) =>
        new CommandRunner(store, clock, (position) => projector.progress.passed(position)),
    },
  ],
  exports: [EVENT_STORE, CommandRunner, Reactors, DueSweepers],
})
export class EventStoreModule {}
