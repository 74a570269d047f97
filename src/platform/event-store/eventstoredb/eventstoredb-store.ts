import { type AppendResult as EngineResult, type JSONEventData, NO_STREAM } from '@eventstore/db-client';
import {
  type AppendResult,
  type EventStore,
  type NewEvent,
  type Position,
  type RecordedEvent,
  StoreUnavailable,
  type SubscribeOptions,
} from '../event-store.port';
import { Writability } from '../writability';
import { appendGate } from './append-gate';
import { Connection } from './connection';
import { appendFailure, isOfType, readFailure } from './errors';
import { type Node } from './node';
import { idAt, newestPosition, positionOf, readPages, readVersions } from './reading';
import { subscription } from './subscription';
import { bounded } from './time-bound';
import { impossibleAppend, toEngineEvents } from './translate';

/** Does not connect yet: an unavailable server shows on first use. */
export async function openEventStoreDb(url: string): Promise<EventStore> {
  return new EventStoreDb(Connection.open(url));
}

/**
 * The driver sends the deadline of an append as a wall-clock time, and the engine compares it with its own clock. If
 * that clock were ahead by more than this, the engine would refuse every append. But an engine that was frozen must not
 * execute appends older than this: their callers were told long ago that the outcome is unknown.
 */
const APPEND_DEADLINE_MS = 60_000;

/** A read is retried if the node turns out not to be the leader, or dies. */
const MAX_READ_ATTEMPTS = 3;

class EventStoreDb implements EventStore {
  readonly isRemote = true;
  private readonly closing = new AbortController();
  private readonly writability = new Writability(() => this.connection.use(() => this.tryWriting()));

  constructor(private readonly connection: Connection) {}

  readStream(stream: string, afterVersion = 0, limit = Number.MAX_SAFE_INTEGER): Promise<readonly RecordedEvent[]> {
    return this.connection.use(() => this.read((node) => readVersions(node, stream, afterVersion, limit)));
  }

  append(stream: string, expectedVersion: number, events: readonly NewEvent[]): Promise<AppendResult> {
    const appending = this.connection.use(() => this.appendAt(stream, expectedVersion, events));
    return this.writability.watch(appending);
  }

  readAll(after: Position, limit: number): Promise<readonly RecordedEvent[]> {
    return this.connection.use(() => this.read((node) => readPages(node, after, limit)));
  }

  subscribe(after: Position, options: SubscribeOptions): AsyncIterable<RecordedEvent> {
    const signal = AbortSignal.any([options.signal, this.closing.signal]);
    return subscription(this.connection, after, { ...options, signal });
  }

  idAt(position: Position): Promise<string | undefined> {
    return this.connection.use(() => this.read((node) => idAt(leaderIn(node), position)));
  }

  head(): Promise<Position> {
    return this.connection.use(() => this.read(newestPosition));
  }

  get writable(): boolean {
    return this.writability.now;
  }

  /** Reads may work where writes do not: a cluster without a majority answers every read and accepts no write. */
  async ping(): Promise<void> {
    await Promise.all([this.head(), this.writability.check()]);
  }

  close(): Promise<void> {
    this.writability.end();
    this.closing.abort();
    return this.connection.release();
  }

  /** Reads from the given node or the current one, then from another if that node is not the leader or dies. */
  private async read<T>(work: (node: Node) => Promise<T>, given?: Node): Promise<T> {
    for (let reads = 1; ; reads += 1) {
      const node = given && reads === 1 ? given : await this.connection.node();
      try {
        return await work(node);
      } catch (error) {
        if (!this.connection.failed(node, error) || reads === MAX_READ_ATTEMPTS) throw readFailure(error);
      }
    }
  }

  private async appendAt(stream: string, expectedVersion: number, events: readonly NewEvent[]): Promise<AppendResult> {
    const engineEvents = toEngineEvents(stream, events);
    const node = await this.connection.node();
    // The engine counts revisions from 0: a stream at version n is expected at revision n - 1.
    const expectedRevision = expectedVersion === 0 ? NO_STREAM : BigInt(expectedVersion - 1);
    const result = await this.send(node, stream, engineEvents, expectedRevision);
    if (result?.success !== true) return { kind: 'conflict' };
    const version = expectedVersion + events.length;
    // For several events the result has one position, and not necessarily the last event's.
    const returned = events.length === 1 ? result.position?.commit : undefined;
    const position = returned ?? (await this.read((one) => positionOf(one, stream, version), node));
    return { kind: 'appended', version, position };
  }

  /** Sends an append with an impossible version: a node that refuses it for that reason would accept a valid one. */
  private async tryWriting(): Promise<void> {
    const { stream, events, expectedRevision } = impossibleAppend();
    await this.send(await this.connection.node(), stream, events, expectedRevision);
  }

  /** Undefined if the stream is not at the expected version. */
  private async send(
    node: Node,
    stream: string,
    events: JSONEventData[],
    expectedRevision: bigint | typeof NO_STREAM,
  ): Promise<EngineResult | undefined> {
    try {
      return await bounded(
        (givenUp) => appendGate.run(givenUp, () => sendNow(node, stream, events, expectedRevision)),
        node.lost,
      );
    } catch (error) {
      if (isOfType(error, 'wrong-expected-version')) return undefined;
      return this.giveUpOn(node, error);
    }
  }

  private giveUpOn(node: Node, error: unknown): never {
    this.connection.failed(node, error);
    throw appendFailure(error);
  }
}

async function sendNow(
  { client, pulse }: Node,
  stream: string,
  events: JSONEventData[],
  expectedRevision: bigint | typeof NO_STREAM,
): Promise<EngineResult> {
  const request = pulse.ask();
  try {
    return await client
      .appendToStream(stream, events, { expectedRevision, deadline: APPEND_DEADLINE_MS })
      .finally(request.answered);
  } finally {
    request.end();
  }
}

/** What a follower lacks may exist. */
function leaderIn(node: Node): Node {
  if (node.requiresLeader) return node;
  throw new StoreUnavailable('unknown', new Error('no leader of the event store was found'));
}
