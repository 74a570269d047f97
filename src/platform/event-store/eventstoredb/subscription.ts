import { type AllStreamResolvedEvent, type AllStreamSubscription, type Position, START } from '@eventstore/db-client';
import { pause } from '../../../kernel/pause';
import {
  LOG_START,
  type Position as LogPosition,
  type RecordedEvent,
  type SubscribeOptions,
} from '../event-store.port';
import { type Connection } from './connection';
import { isOfType, speaksOfNode } from './errors';
import { enginePosition, fromEngineEvent } from './translate';

const FIRST_PAUSE_MS = 50;
/** Callers wait for their writes to arrive here: after an outage that must not take much longer than the outage. */
const LONGEST_PAUSE_MS = 250;

/** About once a minute: refused attempts come every quarter of a second. */
const TELL_EVERY = 240;

const CAUGHT_UP = Symbol('caught up');
type Item = AllStreamResolvedEvent | typeof CAUGHT_UP;

/**
 * Everything after the position, forever. The engine ends subscriptions of slow consumers, and a broken one never
 * recovers: so whatever ends one, the next begins after the last event seen. The engine sends only what is requested,
 * so a slow consumer holds up only itself, and no more than the driver's small buffer waits here.
 */
export async function* subscription(
  connection: Connection,
  after: LogPosition,
  { signal, onCaughtUp, onPassed, onLost, onRefused }: SubscribeOptions,
): AsyncGenerator<RecordedEvent, void, undefined> {
  let last: Position | undefined = after === LOG_START ? undefined : enginePosition(after);
  let failures = 0;
  let refusals = 0;

  while (!signal.aborted) {
    const node = await connection.node().catch(() => undefined);
    if (node === undefined) {
      failures += 1;
      await pause(pauseAfter(failures), signal);
      continue;
    }
    const { client, requiresLeader } = node;
    const attempt = new Attempt(
      client.subscribeToAll({ fromPosition: last ?? START, requiresLeader }),
      AbortSignal.any([signal, node.lost]),
    );
    try {
      for (let item = await attempt.next(); item !== undefined; item = await attempt.next()) {
        if (item === CAUGHT_UP) {
          onCaughtUp?.(requiresLeader);
          continue;
        }
        const { event } = item;
        if (!event || (last && event.position.commit <= last.commit)) continue;
        last = event.position;
        const ours = fromEngineEvent(event);
        if (ours) yield ours;
        else onPassed?.(event.position.commit);
      }
    } finally {
      attempt.end();
      onLost?.();
    }
    failures = attempt.confirmed ? 0 : failures + 1;
    refusals = attempt.wasRefused ? refusals + 1 : 0;
    if (refusals % TELL_EVERY === 1) onRefused?.(attempt.failure);
    // A timeout comes from a healthy node: the consumer was too slow.
    if (attempt.failure !== undefined && !isOfType(attempt.failure, 'timeout'))
      connection.failed(node, attempt.failure);
    await pause(pauseAfter(failures), signal);
  }
}

const pauseAfter = (failures: number): number => Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);

/** One subscription of the engine, until anything ends it. */
class Attempt {
  confirmed = false;
  failure: unknown;
  private hasBegun = false;
  private readonly items: AsyncIterator<Item>;
  private readonly abort = (): void => void this.engine.destroy();

  constructor(
    private readonly engine: AllStreamSubscription,
    private readonly signal: AbortSignal,
  ) {
    // Its failures reach us through the iterator; one that comes after we left still needs a listener.
    engine.on('error', () => undefined);
    engine.on('confirmation', () => {
      this.confirmed = true;
    });
    // Events may still be buffered when the driver emits this; queued behind them it keeps its place.
    engine.on('caughtUp', () => engine.push(CAUGHT_UP));
    signal.addEventListener('abort', this.abort, { once: true });
    this.items = engine[Symbol.asyncIterator]() as AsyncIterator<Item>;
  }

  /** Undefined when it has ended, for whatever reason: the caller then makes another attempt. */
  async next(): Promise<Item | undefined> {
    if (this.signal.aborted) return undefined;
    try {
      const step = await this.items.next();
      if (step.done || this.signal.aborted) return undefined;
      this.hasBegun = true;
      return step.value;
    } catch (error) {
      this.failure = error;
      return undefined;
    }
  }

  /** It ended before anything came, and for a reason that lies neither with the node nor with a slow consumer. */
  get wasRefused(): boolean {
    const { failure, hasBegun } = this;
    return failure !== undefined && !hasBegun && !isOfType(failure, 'timeout') && !speaksOfNode(failure);
  }

  end(): void {
    this.signal.removeEventListener('abort', this.abort);
    this.engine.destroy();
    this.engine.unsubscribe().catch(() => undefined);
  }
}
