import { Global, Module } from '../injection';
import { CLOCK, type Clock } from '../../kernel/clock';
import { Projector } from '../projecting/projector';
import { DueSweepers } from '../reacting/due-sweepers';
import { EVENT_STORE, type EventStore } from './event-store.port';
import { Reactors } from '../reacting/reactors';
import { CommandRunner } from './run-command';

/** Opens the event store, or returns the one that is being opened already. */
export const OPEN_EVENT_STORE = Symbol('OpenEventStore');

@Global()
@Module({
  providers: [
    Reactors,
    DueSweepers,
    { provide: EVENT_STORE, inject: [OPEN_EVENT_STORE], useFactory: (open: () => Promise<EventStore>) => open() },
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
