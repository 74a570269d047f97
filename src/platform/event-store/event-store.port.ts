import { Refusal } from '../../kernel/errors';

/** Where an event stands in the whole log. Strictly increasing, not dense; a bigint because engines count in bytes. */
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
 * An event as every reader sees it: of today's schema, whatever the schema it was written with. `stored` is its data as it is on
 * disk, where that differs: what is hashed and proven is over that.
 */
export type RecordedEvent = NewEvent &
  Readonly<{ stream: string; version: number; position: Position; stored?: object }>;

/** The event as it is on disk. */
export const asStored = (event: RecordedEvent): RecordedEvent =>
  event.stored === undefined ? event : { ...event, data: event.stored };

/** A conflict is an answer, not an accident: the caller reads again and decides again. */
export type AppendResult = Readonly<{ kind: 'appended'; version: number; position: Position } | { kind: 'conflict' }>;

/**
 * Version counts events: 0 is "no stream yet", an event's version is its place in its stream, from 1.
 *
 * Every adapter keeps these promises, and the contract suite checks them:
 * - append is atomic and durable when it answers, and happens only if the stream is exactly at `expectedVersion`;
 * - the same event ids at the same expected version again are not written twice: the first answer is given again,
 *   so that an append whose outcome is unknown is made certain by repeating it;
 * - an event that is readable in its stream is reached by readAll and every subscription, in one global order.
 */
export interface EventStore {
  /**
   * Events after the given version, oldest first; none for a stream that does not exist. With a limit, up to so many, and
   * fewer only at the end of the stream: a long one is read in pages, so that it holds up nobody and fills no memory.
   */
  readStream(stream: string, afterVersion?: number, limit?: number): Promise<readonly RecordedEvent[]>;
  append(stream: string, expectedVersion: number, events: readonly NewEvent[]): Promise<AppendResult>;
  /** Up to `limit` events after the position; fewer only at the end of the log. */
  readAll(after: Position, limit: number): Promise<readonly RecordedEvent[]>;
  /** Everything after the position, then everything that comes, until the signal aborts (the iteration then ends). */
  subscribe(after: Position, options: SubscribeOptions): AsyncIterable<RecordedEvent>;
  /** The position of the newest event; LOG_START in an empty log. Engines that share the log may give a later one. */
  head(): Promise<Position>;
  /**
   * Whether an append would pass, by what is known without asking: false from an append on that the engine did not answer,
   * until it takes writes again. Who is about to do what must be recorded afterwards looks here first.
   */
  readonly writable: boolean;
  /** Whether a read goes to another process, so that what is known here is worth keeping current. */
  readonly isRemote: boolean;
  /** Rejects with StoreUnavailable when the engine cannot be reached, or would not take an append. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export type SubscribeOptions = Readonly<{
  signal: AbortSignal;
  /**
   * Called when all that was there has been handed out, at first and after each reconnection. `isCertain` unless it is handed
   * out by a node of a cluster that does not lead, and may lack what was acknowledged.
   */
  onCaughtUp?: (isCertain: boolean) => void;
  /** Called for every event that is somebody else's: it is passed over, and the log is known up to here. */
  onPassed?: (position: Position) => void;
  /** Called when the connection is lost, until onCaughtUp is. */
  onLost?: () => void;
}>;

export const EVENT_STORE = Symbol('EventStore');

/**
 * The engine did not answer. `outcome` is what is known of an append:
 * 'unknown' and quick: repeat it with the same ids; 'hanging': it may still be under way, so never race it against itself.
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
