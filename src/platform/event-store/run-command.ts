import { type Clock, timestamp } from '../../kernel/clock';
import { type Decider, type DomainEvent, type Fold } from '../../kernel/decider';
import { KeyedQueue } from '../../kernel/keyed-queue';
import { pause } from '../../kernel/pause';
import { type CommandContext, encodeEvents } from './event-codec';
import {
  type AppendResult,
  type EventStore,
  LOG_START,
  type NewEvent,
  type Position,
  StoreUnavailable,
} from './event-store.port';
import { type Folded } from './fold-cache';
import { FoldReader, emptyFold } from './fold-reader';
import { streamOf } from './stream-name';
import { type StreamIdOf } from '../../events';

export type Outcome<State, Event> = Folded<State> & Readonly<{ events: readonly Event[] }>;

/**
 * A caller that does not read what it wrote need not wait until it is readable. What used up a one-time credential is
 * answered even if reads lag: the answer cannot be fetched again.
 */
export type RunOptions = Readonly<{ untilReadable?: boolean | 'if possible' }>;

/** Everything acknowledged before it was taken is at or before this position. */
export type Moment = Position;

/** Resolves when reads show everything up to the position. */
export type WaitUntilReadable = (position: bigint) => Promise<void>;

const MAX_CONFLICTS = 20;
const MAX_RETRIES = 5;
/** A retry may wait for the store as long as the first attempt did, so none begins once this much time has passed. */
const RETRY_WINDOW_MS = 4_000;

/** Load, decide, append: the only way anything is written, and the only retry loop. */
export class CommandRunner {
  private readonly folds: FoldReader;
  /** Commands on one stream queue up within a process; between processes the expected version settles the race. */
  private readonly queue = new KeyedQueue();

  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly readable: WaitUntilReadable,
  ) {
    this.folds = new FoldReader(store);
  }

  /** Resolves when the events are durable and readable. */
  async run<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    id: StreamIdOf<NoInfer<Event>>,
    command: Command,
    context: CommandContext,
    { untilReadable = true }: RunOptions = {},
  ): Promise<Outcome<State, Event>> {
    const stream = streamOf(decider.category, id);
    const outcome = await this.queue.run(stream, () =>
      this.folds.caching(decider, stream, () => this.decideAndAppend(decider, stream, command, context)),
    );
    if (untilReadable === false || outcome.version === 0) return outcome;
    const reading = this.readable(outcome.position);
    await (untilReadable === 'if possible' ? reading.catch(() => undefined) : reading);
    return outcome;
  }

  /** Caches a fold that the caller has of a long stream, so that reads continue from there; a stale one is harmless. */
  seedFold<State, Event extends DomainEvent>(
    fold: Fold<State, Event>,
    id: StreamIdOf<NoInfer<Event>>,
    { state, version }: Readonly<{ state: State; version: number }>,
  ): void {
    this.folds.keep(fold, streamOf(fold.category, id), { state, version, position: LOG_START, eventId: null });
  }

  /** The fold as of now or, if given, as of `moment` or later. */
  fold<State, Event extends DomainEvent>(
    fold: Fold<State, Event>,
    id: StreamIdOf<NoInfer<Event>>,
    moment?: Moment,
  ): Promise<Folded<State>> {
    return this.folds.newest(fold, streamOf(fold.category, id), moment);
  }

  /**
   * This moment in the log, for a caller that folds several streams one after another: one lookup of the log's end then
   * serves all of them. Undefined where a lookup costs nothing or while not following: each stream is then read.
   */
  async moment(): Promise<Moment | undefined> {
    return this.folds.follower?.moment();
  }

  onModuleDestroy(): void {
    this.folds.follower?.stop();
  }

  private async decideAndAppend<State, Command, Event extends DomainEvent>(
    decider: Decider<State, Command, Event>,
    stream: string,
    command: Command,
    context: CommandContext,
  ): Promise<Outcome<State, Event>> {
    // A stream that is not cached is assumed not to exist: creating one then needs no read, and if it does exist, the
    // append conflicts.
    let folded = this.folds.known(decider, stream) ?? emptyFold(decider);
    let fresh = false;

    for (let conflicts = 0; conflicts < MAX_CONFLICTS;) {
      const decision = attempt(() => decider.decide(command, folded.state));
      // The cached state may be stale. A refusal or "nothing to do" only counts if it rests on the newest state; events
      // need no such read, because the append checks the version.
      if (!fresh && (decision.refused || decision.events.length === 0)) {
        folded = await this.folds.read(decider, stream);
        fresh = true;
        continue;
      }
      if (decision.refused) throw decision.reason;
      if (decision.events.length === 0) return { ...folded, events: [] };

      const occurredAt = timestamp(this.clock.now());
      const encoded = encodeEvents(decision.events, context, occurredAt);
      const result = await this.appendWithRetries(stream, folded.version, encoded);
      if (result.kind === 'appended') {
        const state = decision.events.reduce((before, event) => decider.evolve(before, event), folded.state);
        const { version, position } = result;
        const eventId = encoded.at(-1)?.metadata.event_id ?? null;
        return { state, version, position, eventId, events: decision.events };
      }
      conflicts += 1;
      folded = await this.folds.read(decider, stream);
      fresh = true;
    }
    throw new StoreUnavailable('unknown', new Error(`${stream}: ${MAX_CONFLICTS} conflicts in a row`));
  }

  /** With the same ids and expected version, a retry learns the outcome of the first attempt and never writes twice. */
  private async appendWithRetries(
    stream: string,
    expectedVersion: number,
    events: readonly NewEvent[],
  ): Promise<AppendResult> {
    const until = performance.now() + RETRY_WINDOW_MS;
    for (let repeat = 0; ; repeat += 1) {
      try {
        const appending = this.store.append(stream, expectedVersion, events);
        if (repeat === 0) this.folds.follower?.sent(appending);
        return await appending;
      } catch (error) {
        const isUnknown = error instanceof StoreUnavailable && error.outcome === 'unknown';
        if (!isUnknown || repeat === MAX_RETRIES || performance.now() > until) throw error;
        await pause(50 * 2 ** repeat);
      }
    }
  }
}

type Attempt<Event> = Readonly<{ refused: false; events: readonly Event[] } | { refused: true; reason: Error }>;

function attempt<Event>(decide: () => readonly Event[]): Attempt<Event> {
  try {
    return { refused: false, events: decide() };
  } catch (reason) {
    return { refused: true, reason: reason as Error };
  }
}
