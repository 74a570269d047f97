import { pause } from '../../kernel/pause';
import { type EventStore, LOG_START, type Position, type RecordedEvent } from '../event-store/event-store.port';

/**
 * Rolls forward what spans streams: reads an event, runs commands on other streams. It may see an event twice and must
 * not mind. Events of other types than the ones it names pass it by.
 */
export type Reactor = Readonly<{
  name: string;
  types: readonly string[];
  react(event: RecordedEvent): Promise<void>;
}>;

/** Where each reactor has come to; kept in the read store, apart from the documents. */
export interface Bookmarks {
  bookmark(name: string): Promise<Position>;
  setBookmark(name: string, position: Position): Promise<void>;
}

export type ReactorLog = Readonly<{ warn: (fields: object, message: string) => void }>;

/** How far the feed that all reactors share has come. */
export type Feed = Readonly<{ position: Position }>;

const FULL = 1_000;
const PAGE = 256;

/**
 * One reactor's way along the log: in order, nothing skipped. It takes what the shared feed hands it; one that is too slow
 * for that lets go, reads the log at its own pace, and takes hold again at the end: no reactor holds up another.
 */
export class ReactorLane {
  private readonly types: ReadonlySet<string>;
  /** Handed over and not done yet; undefined while this lane reads for itself. */
  private inbox: RecordedEvent[] | undefined = [];
  private wake: () => void = () => undefined;
  /** When the oldest event that is not done happened, while there is one. */
  private oldest: string | undefined;

  constructor(
    private readonly reactor: Reactor,
    private readonly store: EventStore,
    private readonly feed: Feed,
    private done: Position,
    private readonly log: ReactorLog,
  ) {
    this.types = new Set(reactor.types);
  }

  get name(): string {
    return this.reactor.name;
  }

  /** Everything up to here has been reacted to. */
  get reached(): Position {
    const upToDate = this.inbox?.length === 0 && this.feed.position > this.done;
    return upToDate ? this.feed.position : this.done;
  }

  behindSince(): string | undefined {
    return this.inbox?.[0]?.metadata.occurred_at ?? this.oldest;
  }

  offer(event: RecordedEvent): void {
    if (this.inbox === undefined || event.position <= this.done) return;
    if (this.inbox.length < FULL) this.inbox.push(event);
    else this.inbox = undefined;
    this.wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.wake());
    while (!signal.aborted) {
      const next = this.inbox?.[0];
      if (next !== undefined) {
        if (!(await this.reactUntilDone(next, signal))) return;
        this.inbox?.shift();
      } else if (this.inbox === undefined) await this.catchUp(signal);
      else await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  private async catchUp(signal: AbortSignal): Promise<void> {
    const feedAt = this.feed.position;
    const page = await this.page(signal);
    for (const event of page) {
      this.oldest = event.metadata.occurred_at;
      if (!this.types.has(event.type)) this.done = event.position;
      else if (!(await this.reactUntilDone(event, signal))) return;
    }
    if (signal.aborted) return;
    // The end of the log lies behind everything the feed had handed out before the look.
    if (page.length < PAGE && this.done < feedAt) this.done = feedAt;
    if (this.done < this.feed.position) return;
    this.inbox = [];
    this.oldest = undefined;
  }

  private async page(signal: AbortSignal): Promise<readonly RecordedEvent[]> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      // A store in this process answers without waiting; others must get their turn all the same.
      await new Promise(setImmediate);
      try {
        return await this.store.readAll(this.done, PAGE);
      } catch (error) {
        await this.pauseAfter(failures, error, {}, signal);
      }
    }
    return [];
  }

  /** False when it was stopped before it was done. */
  private async reactUntilDone(event: RecordedEvent, signal: AbortSignal): Promise<boolean> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        await this.reactor.react(event);
        this.done = event.position;
        return true;
      } catch (error) {
        await this.pauseAfter(failures, error, { event_id: event.metadata.event_id }, signal);
      }
    }
    return false;
  }

  private async pauseAfter(failures: number, err: unknown, fields: object, signal: AbortSignal): Promise<void> {
    this.log.warn({ err, reactor: this.name, ...fields }, 'reactor failed, trying again');
    await pause(Math.min(100 * 2 ** failures, 10_000), signal);
  }
}

/** The lowest of some positions: where a feed for all of them begins. */
export const lowest = (positions: readonly Position[]): Position =>
  positions.reduce((low, position) => (position < low ? position : low), positions[0] ?? LOG_START);
