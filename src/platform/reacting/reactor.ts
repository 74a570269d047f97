import { pause } from '../../kernel/pause';
import {
  type EventStore,
  LOG_START,
  type Position,
  type RecordedEvent,
  StoreUnavailable,
} from '../event-store/event-store.port';
import { type ReactorName } from './reactor-names';
import { SetAside } from './set-aside';
import { type EventOf, type EventsOf } from '../../events';
import { type Category } from '../../kernel/aggregates';

/**
 * Completes work that spans streams: reads an event, runs commands on other streams. It may see an event twice, so it
 * must be idempotent. It only sees events of the types it names.
 */
export type Reactor = Readonly<{
  name: string;
  types: readonly string[];
  react(event: RecordedEvent): Promise<void>;
}>;

/** For every event type in the categories that a reactor follows: its handler, or `ignored`. */
export type Reactions<C extends Category> = Readonly<{
  [Type in EventsOf[C]['type']]: ((event: RecordedEvent & EventOf<Type>) => Promise<unknown>) | null;
}>;

/** Marks an event type that a reactor follows and does nothing about. */
export const ignored = null;

export function reactorTo<C extends Category>(name: ReactorName, reactions: Reactions<C>): Reactor {
  const handlers = new Map(
    Object.entries<((event: never) => Promise<unknown>) | null>(reactions).flatMap(([type, handler]) =>
      handler === null ? [] : [[type, handler as (event: RecordedEvent) => Promise<unknown>] as const],
    ),
  );
  return { name, types: [...handlers.keys()], react: async (event) => void (await handlers.get(event.type)?.(event)) };
}

/** How far each reactor has come; kept in the read store, apart from the documents. */
export interface Bookmarks {
  bookmark(name: string): Promise<Position>;
  setBookmark(name: string, position: Position): Promise<void>;
}

/** How often an event is tried before it is set aside, and the initial backoff, which doubles up to 10 s. */
export type RetryPolicy = Readonly<{ attempts: number; firstPauseMs: number }>;
export const RETRY_POLICY: RetryPolicy = { attempts: 9, firstPauseMs: 100 };

export type ReactorLog = Readonly<{ warn: (fields: object, message: string) => void }>;

/** How far the feed shared by all reactors has come. */
export type Feed = Readonly<{ position: Position }>;

const MAX_INBOX = 1_000;
const PAGE_SIZE = 256;
/** The first retry comes soon after a start, which may have been the fix. */
const FIRST_RETRY_MS = 1_000;
const RETRY_INTERVAL_MS = 60_000;

/** Not the event's fault: it cannot be handled now, for example because another instance may be handling it. */
export class TemporaryFailure extends Error {}

/**
 * Feeds one reactor from the log, in order and without skipping. It takes events from the shared feed; if it falls too
 * far behind, it detaches, reads the log at its own pace, and attaches again at the end: no reactor delays another.
 */
export class ReactorLane {
  private readonly types: ReadonlySet<string>;
  private readonly aside: SetAside;
  /** Offered and not handled yet; undefined while this lane reads the log itself. */
  private inbox: Offered[] | undefined = [];
  private wake: () => void = () => undefined;
  /** When the oldest unhandled event occurred, while there is one. */
  private oldest: string | undefined;

  constructor(
    private readonly reactor: Reactor,
    private readonly store: EventStore,
    private readonly feed: Feed,
    private done: Position,
    private readonly log: ReactorLog,
    bookmarks: Bookmarks,
    private readonly retryPolicy: RetryPolicy,
  ) {
    this.types = new Set(reactor.types);
    this.aside = new SetAside(reactor.name, this.types, store, bookmarks);
  }

  /** How many events are set aside because the reactor kept failing at them. */
  get setAside(): number {
    return this.aside.size;
  }

  open(): Promise<void> {
    return this.aside.open();
  }

  /** Once the signal aborts, no further event is tried. */
  retrySetAside(signal: AbortSignal): Promise<void> {
    return this.aside.retryAll(async (event) => {
      if (signal.aborted) throw new TemporaryFailure('the reactor is being stopped');
      try {
        await this.reactor.react(event);
      } catch (err) {
        const fields = { err, reactor: this.name, event_id: event.metadata.event_id };
        this.log.warn(fields, 'reactor failed again at an event that was set aside');
        throw err;
      }
    });
  }

  get name(): string {
    return this.reactor.name;
  }

  /** Everything up to here has been handled. */
  get reached(): Position {
    const upToDate = this.inbox?.length === 0 && this.feed.position > this.done;
    return upToDate ? this.feed.position : this.done;
  }

  behindSince(): string | undefined {
    return this.inbox?.[0]?.event.metadata.occurred_at ?? this.oldest;
  }

  /** `before` is the position of the event that came before it in the log. */
  offer(event: RecordedEvent, before: Position): void {
    if (this.inbox === undefined || event.position <= this.done) return;
    if (this.inbox.length < MAX_INBOX) this.inbox.push({ event, before });
    // Until it has read the log itself, the first event that was offered says how far it is behind.
    else [this.oldest, this.inbox] = [this.behindSince(), undefined];
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
    const page = await this.page(signal);
    let before = this.done;
    for (const event of page) {
      this.oldest = event.metadata.occurred_at;
      if (!this.types.has(event.type)) this.done = event.position;
      else if (!(await this.reactUntilDone({ event, before }, signal))) return;
      before = event.position;
    }
    if (signal.aborted) return;
    if (this.done < this.feed.position) {
      // The node that answered lags behind what the feed has delivered: read again.
      if (page.length === 0) await pause(this.retryPolicy.firstPauseMs, signal);
      return;
    }
    this.inbox = [];
    this.oldest = undefined;
  }

  private async page(signal: AbortSignal): Promise<readonly RecordedEvent[]> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      // A store in this process answers without yielding; other work must still get its turn.
      await new Promise(setImmediate);
      try {
        return await this.store.readAll(this.done, PAGE_SIZE);
      } catch (error) {
        await this.backOff(failures, error, {}, signal);
      }
    }
    return [];
  }

  /** False if stopped before the event was handled. */
  private async reactUntilDone({ event, before }: Offered, signal: AbortSignal): Promise<boolean> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        // Events of one stream stay in order: behind one that is set aside, the later ones are set aside too.
        if (!this.aside.waitsFor(event)) await this.reactor.react(event);
        else if (!(await this.aside.add(event, before)))
          throw new TemporaryFailure('there is no room to set more aside');
        this.done = event.position;
        return true;
      } catch (error) {
        if (
          isPermanent(error) &&
          failures + 1 >= this.retryPolicy.attempts &&
          (await this.giveUp({ event, before }, error))
        )
          return true;
        await this.backOff(failures, error, { event_id: event.metadata.event_id }, signal);
      }
    }
    return false;
  }

  /** False if it could not be set aside: then the retries continue. */
  private async giveUp({ event, before }: Offered, err: unknown): Promise<boolean> {
    const kept = await this.aside.add(event, before).catch(() => false);
    if (!kept) return false;
    const fields = { err, reactor: this.name, event_id: event.metadata.event_id };
    this.log.warn(fields, 'reactor keeps failing at an event: set aside, others go on');
    this.done = event.position;
    return true;
  }

  /** The cause may be gone by now. An operator who fixed it can request a retry at once instead. */
  async retryPeriodically(signal: AbortSignal): Promise<void> {
    for (let wait = FIRST_RETRY_MS; !signal.aborted; wait = RETRY_INTERVAL_MS) {
      await pause(wait, signal);
      if (!signal.aborted && this.setAside > 0) await this.retrySetAside(signal);
    }
  }

  private async backOff(failures: number, err: unknown, fields: object, signal: AbortSignal): Promise<void> {
    this.log.warn({ err, reactor: this.name, ...fields }, 'reactor failed, trying again');
    await pause(Math.min(this.retryPolicy.firstPauseMs * 2 ** failures, 10_000), signal);
  }
}

type Offered = Readonly<{ event: RecordedEvent; before: Position }>;

const isPermanent = (error: unknown): boolean =>
  !(error instanceof StoreUnavailable || error instanceof TemporaryFailure);

/** The lowest of some positions: where a feed for all of them begins. */
export const lowest = (positions: readonly Position[]): Position =>
  positions.reduce((low, position) => (position < low ? position : low), positions[0] ?? LOG_START);
