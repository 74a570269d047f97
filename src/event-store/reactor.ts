import { pause } from '../kernel/pause';
import { type EventStore, LOG_START, type Position, type RecordedEvent } from './event-store.port';

/**
 * Rolls forward what spans streams: reads an event, runs commands on other streams. It may see an event twice and must
 * not mind.
 */
export type Reactor = Readonly<{ name: string; react(event: RecordedEvent): Promise<void> }>;

/** Where each reactor has come to; kept in the read store, apart from the documents. */
export interface Bookmarks {
  bookmark(name: string): Promise<Position>;
  setBookmark(name: string, position: Position): Promise<void>;
}

export type ReactorLog = Readonly<{ warn: (fields: object, message: string) => void }>;

const BOOKMARK_EVERY = 200;
const IDLE_MS = 200;

/** Follows the log for one reactor: in order, nothing skipped, from its bookmark after a restart. */
export class ReactorRunner {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private done: Position = LOG_START;
  private kept: Position = LOG_START;
  private keeping: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: EventStore,
    private readonly bookmarks: Bookmarks,
    private readonly reactor: Reactor,
    private readonly log: ReactorLog,
  ) {}

  async start(): Promise<void> {
    this.done = this.kept = await this.bookmarks.bookmark(this.reactor.name);
    this.running = this.follow();
    this.keeping = setInterval(() => void this.keep(), IDLE_MS).unref();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.keeping);
    await this.running;
    await this.keep();
  }

  private async follow(): Promise<void> {
    const { signal } = this.stopping;
    let since = 0;
    for await (const event of this.store.subscribe(this.done, { signal })) {
      await this.reactUntilDone(event);
      if (signal.aborted) return;
      this.done = event.position;
      since += 1;
      if (since % BOOKMARK_EVERY === 0) await this.keep();
    }
  }

  private async reactUntilDone(event: RecordedEvent): Promise<void> {
    for (let failures = 0; !this.stopping.signal.aborted; failures += 1) {
      try {
        await this.reactor.react(event);
        return;
      } catch (error) {
        const { name } = this.reactor;
        this.log.warn({ err: error, reactor: name, event_id: event.metadata.event_id }, 'reactor failed, trying again');
        await pause(Math.min(100 * 2 ** failures, 10_000), this.stopping.signal);
      }
    }
  }

  /** A bookmark that is behind costs a repeat, nothing else; so a failure to keep one waits for the next time. */
  private async keep(): Promise<void> {
    const position = this.done;
    if (position === this.kept) return;
    await this.bookmarks.setBookmark(this.reactor.name, position).then(
      () => (this.kept = position),
      () => undefined,
    );
  }
}
