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
  /** Makes the engine drop its connections for a moment; does nothing if it has none. */
  interrupt(): Promise<void>;
  close(): Promise<void>;
}>;

/** The store for the tests, opened before the first of them. */
export type Opened = Readonly<{ store: EventStore; interrupt(): Promise<void> }>;

/**
 * The contract of every event store. It may run against a server with old events and other users: each test writes
 * its own streams and reads no others. `runs` is how many interleavings of appends are tried.
 */
export function eventStoreContract(name: string, open: () => Promise<Harness>, runs = 30): void {
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
    interleaving(opened, runs);
    closing(open);
  });
}
