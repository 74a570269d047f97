import { type ThreadLink } from '../../threads/thread-link';
import { type AppendResult, type NewEvent, StoreUnavailable } from '../event-store.port';
import { EmbeddedEventStore } from './embedded-event-store';
import { type EventLog } from './event-log';

type Append = Readonly<{ stream: string; expectedVersion: number; events: readonly NewEvent[] }>;
type Appended = AppendResult | Readonly<{ kind: 'unavailable'; outcome: StoreUnavailable['outcome']; why: string }>;

/**
 * Appends for another thread of the process. lmdb would let that thread write, but a transaction that checks a version
 * in JavaScript holds the write lock until its thread gets to run it, so a busy thread would block the other.
 */
export function appendFor(link: ThreadLink, store: EmbeddedEventStore): void {
  link.answer<Append>('append', ({ stream, expectedVersion, events }) =>
    store.append(stream, expectedVersion, events).catch(asAnswer),
  );
}

/** The same log in that other thread, which appends through the link. It learns of new events once reads show them. */
export class AskingEventStore extends EmbeddedEventStore {
  constructor(
    log: EventLog,
    private readonly link: ThreadLink,
  ) {
    super(log, () => undefined);
    link.onNotified('shown', () => {
      this.refresh();
      this.bell.ring();
    });
  }

  protected override async write(stream: string, expectedVersion: number, events: readonly NewEvent[]) {
    const result = await this.link.ask<Appended>('append', { stream, expectedVersion, events });
    this.refresh();
    if (result.kind === 'unavailable') throw new StoreUnavailable(result.outcome, new Error(result.why));
    return result;
  }

  /** Until this call, reads see an old snapshot, however long ago the other thread wrote. */
  private refresh(): void {
    this.log.tables.root.resetReadTxn();
  }
}

function asAnswer(error: unknown): Appended {
  if (!(error instanceof StoreUnavailable)) throw error;
  const { outcome, cause } = error;
  return { kind: 'unavailable', outcome, why: cause instanceof Error ? cause.message : String(cause) };
}
