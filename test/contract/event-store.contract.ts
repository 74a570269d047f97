import { type EventStore } from '../../src/platform/event-store/event-store.port';
import { appending } from './event-store/appending';
import { closing } from './event-store/closing';
import { interleaving } from './event-store/interleaving';
import { interruptions } from './event-store/interruptions';
import { pagingStreams } from './event-store/paging-streams';
import { readingAll } from './event-store/reading-all';
import { repeating } from './event-store/repeating';
import { roundTrip } from './event-store/round-trip';
import { subscribing } from './event-store/subscribing';

export type Harness = Readonly<{
  store: EventStore;
  /** The engine drops its connections for a moment; nothing where there are none. */
  interrupt(): Promise<void>;
  close(): Promise<void>;
}>;

/** The store as the tests reach it: opened before the first of them. */
export type Opened = Readonly<{ store: EventStore; interrupt(): Promise<void> }>;

/**
 * What every event store must keep, whatever it is built on. It may run against a server that holds old events and
 * is in use by others: each test writes streams of its own and looks at nothing else.
 */
export function eventStoreContract(name: string, open: () => Promise<Harness>): void {
  describe(`event store contract: ${name}`, () => {
    let harness: Harness;
    beforeAll(async () => {
      harness = await open();
    });
    afterAll(() => harness.close());

    const opened: Opened = {
      get store() {
        return harness.store;
      },
      interrupt: () => harness.interrupt(),
    };
    appending(opened);
    repeating(opened);
    roundTrip(opened);
    pagingStreams(opened);
    readingAll(opened);
    subscribing(opened);
    interruptions(opened);
    interleaving(opened);
    closing(open);
  });
}
