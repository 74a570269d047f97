import { Refusal } from '../../kernel/errors';

/** An event's place in the whole log. Strictly increasing, not dense; a bigint because engines count in bytes. */
export type Position = bigint;
export const LOG_START: Position = 0n;

export type Actor = Readonly<{ kind: string; id: string }>;

/** What contract section 12 promises auditors about every event. */
export type EventMetadata = Readonly<{
  event_id: string;
  occurred_at: string;
  request_id: string;
  actor: Actor;
  causation_id?: string;
  schema: number;
}>;

export type NewEvent = Readonly<{ type: string; data: object; metadata: EventMetadata }>;

/**
 * An event as every reader sees it: in today's schema, whatever schema it was written with. `stored` is its data as it
 * is on disk, where that differs: hashes and proofs are computed over that.
 */
export type RecordedEvent = NewEvent &
  Readonly<{ stream: string; version: number; position: Position; stored?: object }>;

/** The event as it is on disk. */
export const asStored = (event: RecordedEvent): RecordedEvent =>
  event.stored === undefined ? event : { ...event, data: event.stored };

/** A conflict is a result, not an error: the caller reads and decides again. */
export type AppendResult = Readonly<{ kind: 'appended'; version: number; position: Position } | { kind: 'conflict' }>;

/**
 * Version counts events: 0 is "no stream yet", an event's version is its place in its stream, from 1.
 *
 * Every adapter guarantees the following, and the contract suite checks it:
 * - append is atomic, durable once it resolves, and happens only if the stream is exactly at `expectedVersion`;
 * - the same event ids at the same expected version are not written twice: the first result is returned again, so
 *   repeating an append whose outcome is unknown settles it;
 * - an event that is readable in its stream is reached by readAll and every subscription, in one global order.
 */
export interface EventStore {
  /**
   * Events after the given version, oldest first; none for a stream that does not exist. With a limit, up to that
   * many, and fewer only at the end of the stream: a long stream is read in pages, to bound memory and blocking time.
   */
  readStream(stream: string, afterVersion?: number, limit?: number): Promise<readonly RecordedEvent[]>;
  append(stream: string, expectedVersion: number, events: readonly NewEvent[]): Promise<AppendResult>;
  /** Up to `limit` events after the position; fewer only at the end of the log. */
  readAll(after: Position, limit: number): Promise<readonly RecordedEvent[]>;
  /** Everything after the position, then new events as they arrive; the iteration ends when the signal aborts. */
  subscribe(after: Position, options: SubscribeOptions): AsyncIterable<RecordedEvent>;
  /**
   * The id of the event at the position; undefined if none of ours begins there. Rejects with StoreUnavailable while no
   * leader of a cluster can tell.
   */
  idAt(position: Position): Promise<string | undefined>;
  /** The position of the newest event; LOG_START in an empty log. Engines that share the log may give a later one. */
  head(): Promise<Position>;
  /**
   * Whether an append would succeed, as far as known without asking: false once the engine fails to answer an append,
   * until it takes writes again. Check this before an action that must be recorded afterwards.
   */
  readonly writable: boolean;
  /** Whether a read goes to another process, so that keeping cached folds current pays off. */
  readonly isRemote: boolean;
  /** Rejects with StoreUnavailable when the engine cannot be reached, or would not take an append. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export type SubscribeOptions = Readonly<{
  signal: AbortSignal;
  /**
   * The id of the event at the position to begin after. If another event is there, a shared log refuses to deliver: it
   * was restored from a backup and has grown since, so what it had in between would be skipped.
   */
  afterEvent?: string | undefined;
  /**
   * Called when everything there was has been delivered, initially and after each reconnection. `isCertain` unless a
   * cluster node that is not the leader delivered it, which may lack acknowledged events.
   */
  onCaughtUp?: (isCertain: boolean) => void;
  /** Called for every foreign event, which is skipped: the log is known up to this position. */
  onPassed?: (position: Position) => void;
  /** Called when the connection is lost; onCaughtUp follows once it is back. */
  onLost?: () => void;
  /**
   * Called when the engine answers, but refuses to deliver from the position, as on a log that was restored and does
   * not have it. The subscription retries forever, so the reason is reported the first time and then only occasionally.
   */
  onRefused?: (reason: unknown) => void;
}>;

export const EVENT_STORE = Symbol('EventStore');

/**
 * The engine did not answer. `outcome` is what is known about an append:
 * 'unknown' and quick: repeat it with the same ids; 'hanging': it may still be in flight, so do not race it.
 */
export class StoreUnavailable extends Refusal {
  constructor(
    readonly outcome: 'unknown' | 'hanging',
    cause?: unknown,
  ) {
    super('store_unavailable', { headers: { 'Retry-After': '1' }, cause });
    this.name = 'StoreUnavailable';
  }
}
