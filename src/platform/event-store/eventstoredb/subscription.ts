import { type AllStreamResolvedEvent, type AllStreamSubscription, type Position, START } from '@eventstore/db-client';
import { pause } from '../../../kernel/pause';
import {
  LOG_START,
  type Position as LogPosition,
  type RecordedEvent,
  type SubscribeOptions,
} from '../event-store.port';
import { type Connection } from './connection';
import { AnotherEventAtPosition, isOfType, PositionBeyondLogEnd, isNodeFailure } from './errors';
import { type Node } from './node';
import { idAt, newestPosition } from './reading';
import { enginePosition, fromEngineEvent } from './translate';

const INITIAL_BACKOFF_MS = 50;
/** Callers wait for their writes to arrive here: after an outage that must not take much longer than the outage. */
const MAX_BACKOFF_MS = 250;
/** An engine that is starting or stopping may refuse a subscription that it grants moments later. */
const REFUSALS_BEFORE_REPORT = 3;
/** About once a minute: refused attempts come every quarter of a second. */
const REPORT_EVERY = 240;

/** The last of our events that was seen: if it is no longer there, this is another log. */
type Proof = Readonly<{ position: LogPosition; id: string }>;

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
  { signal, afterEvent, onCaughtUp, onPassed, onLost, onRefused }: SubscribeOptions,
): AsyncGenerator<RecordedEvent, void, undefined> {
  let last: Position | undefined = after === LOG_START ? undefined : enginePosition(after);
  let proof: Proof | undefined = afterEvent === undefined ? undefined : { position: after, id: afterEvent };
  let failures = 0;
  let refusals = 0;

  while (!signal.aborted) {
    const node = await connection.node().catch(() => undefined);
    if (node === undefined) {
      failures += 1;
      await pause(backoffAfter(failures), signal);
      continue;
    }
    const attempt = new Attempt(node, last, proof, AbortSignal.any([signal, node.lost]));
    try {
      for (let item = await attempt.next(); item !== undefined; item = await attempt.next()) {
        if (item === CAUGHT_UP) {
          onCaughtUp?.(node.requiresLeader);
          continue;
        }
        const { event } = item;
        if (!event || (last && event.position.commit <= last.commit)) continue;
        last = event.position;
        const ours = fromEngineEvent(event);
        if (ours) proof = { position: last.commit, id: ours.metadata.event_id };
        if (ours) yield ours;
        else onPassed?.(event.position.commit);
      }
    } finally {
      attempt.end();
      onLost?.();
    }
    const { failure, hasReceived, wasRefused } = attempt;
    // The engine confirms a subscription before it checks the position: only received data proves that it was granted.
    failures = hasReceived ? 0 : failures + 1;
    refusals = wasRefused ? refusals + 1 : 0;
    // A timeout comes from a healthy node: the consumer was too slow.
    if (failure !== undefined && !isOfType(failure, 'timeout')) connection.failed(node, failure);
    if (refusals % REPORT_EVERY === REFUSALS_BEFORE_REPORT) onRefused?.(failure);
    await pause(backoffAfter(failures), signal);
  }
}

const backoffAfter = (failures: number): number => Math.min(INITIAL_BACKOFF_MS * 2 ** failures, MAX_BACKOFF_MS);

/** One subscription of the engine, until anything ends it. */
class Attempt {
  /** Whether the engine has sent anything but its confirmation. */
  hasReceived = false;
  failure: unknown;
  private engine: AllStreamSubscription | undefined;
  private items: AsyncIterator<Item> | undefined;
  private readonly abort = (): void => void this.engine?.destroy();

  constructor(
    private readonly node: Node,
    private readonly last: Position | undefined,
    private readonly proof: Proof | undefined,
    private readonly signal: AbortSignal,
  ) {
    signal.addEventListener('abort', this.abort, { once: true });
  }

  /** Undefined when it has ended, for whatever reason: the caller then makes another attempt. */
  async next(): Promise<Item | undefined> {
    try {
      if (this.items === undefined) await Promise.race([this.assertLogReaches(), aborted(this.signal)]);
      if (this.signal.aborted) return undefined;
      const step = await (this.items ??= this.open()).next();
      if (step.done || this.signal.aborted) return undefined;
      this.hasReceived = true;
      return step.value;
    } catch (error) {
      this.failure = error;
      return undefined;
    }
  }

  /** It ended before anything was received, and neither the node nor a slow consumer is the cause. */
  get wasRefused(): boolean {
    const { failure, hasReceived } = this;
    return failure !== undefined && !hasReceived && !isOfType(failure, 'timeout') && !isNodeFailure(failure);
  }

  end(): void {
    this.signal.removeEventListener('abort', this.abort);
    this.engine?.destroy();
    this.engine?.unsubscribe().catch(() => undefined);
  }

  /**
   * Beyond its end the engine accepts any position, says that all has been delivered, and passes over what is written
   * until the log has grown past it. A follower may just lag. Then another event may begin at the same position.
   */
  private async assertLogReaches(): Promise<void> {
    const { last, proof, node } = this;
    if (last === undefined || !node.requiresLeader) return;
    const [end, id] = await Promise.all([newestPosition(node), proof && idAt(node, proof.position)]);
    if (end < last.commit) throw new PositionBeyondLogEnd(last.commit, end);
    if (proof !== undefined && id !== proof.id) throw new AnotherEventAtPosition(proof.position);
  }

  private open(): AsyncIterator<Item> {
    const { client, requiresLeader } = this.node;
    const engine = client.subscribeToAll({ fromPosition: this.last ?? START, requiresLeader });
    this.engine = engine;
    // Failures reach us through the iterator, but one that occurs after we stop iterating still needs a listener.
    engine.on('error', () => undefined);
    // Events may still be buffered when the driver emits this; queued behind them it keeps its place.
    engine.on('caughtUp', () => engine.push(CAUGHT_UP));
    return engine[Symbol.asyncIterator]() as AsyncIterator<Item>;
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
