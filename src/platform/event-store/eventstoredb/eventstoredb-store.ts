import {
  type AppendResult as EngineResult,
  type EventStoreDBClient,
  type JSONEventData,
  NO_STREAM,
} from '@eventstore/db-client';
import {
  type AppendResult,
  type EventStore,
  type NewEvent,
  type Position,
  type RecordedEvent,
  type SubscribeOptions,
} from '../event-store.port';
import { Writability } from '../writability';
import { appendGate } from './append-gate';
import { Connection } from './connection';
import { appendFailure, breaksClient, isOfType } from './errors';
import { newestPosition, positionOf, readPages, readVersions } from './reading';
import { subscription } from './subscription';
import { bounded } from './time-bound';
import { impossibleAppend, toEngineEvents } from './translate';

/** Needs no server yet: one that is away shows when it is used. */
export async function openEventStoreDb(url: string): Promise<EventStore> {
  return new EventStoreDb(Connection.open(url));
}

class EventStoreDb implements EventStore {
  private readonly closing = new AbortController();
  private readonly writability = new Writability(() => this.connection.use((client) => this.tryWriting(client)));

  constructor(private readonly connection: Connection) {}

  readStream(stream: string, afterVersion = 0, limit = Number.MAX_SAFE_INTEGER): Promise<readonly RecordedEvent[]> {
    return this.connection.use((client) => readVersions(client, stream, afterVersion, limit));
  }

  append(stream: string, expectedVersion: number, events: readonly NewEvent[]): Promise<AppendResult> {
    const appending = this.connection.use<AppendResult>(async (client) => {
      const result = await this.send(client, stream, expectedVersion, events);
      if (result?.success !== true) return { kind: 'conflict' };
      const version = expectedVersion + events.length;
      // Of several events the answer tells one position, and not surely the last one's.
      const position = events.length === 1 ? result.position?.commit : undefined;
      return { kind: 'appended', version, position: position ?? (await positionOf(client, stream, version)) };
    });
    return this.writability.watch(appending);
  }

  readAll(after: Position, limit: number): Promise<readonly RecordedEvent[]> {
    return this.connection.use((client) => readPages(client, after, limit));
  }

  subscribe(after: Position, options: SubscribeOptions): AsyncIterable<RecordedEvent> {
    const signal = AbortSignal.any([options.signal, this.closing.signal]);
    return subscription(this.connection, after, { ...options, signal });
  }

  head(): Promise<Position> {
    return this.connection.use(newestPosition);
  }

  get writable(): boolean {
    return this.writability.now;
  }

  /** Reads may work where writes do not: a cluster without a majority answers every question and takes nothing. */
  async ping(): Promise<void> {
    await Promise.all([this.head(), this.writability.check()]);
  }

  close(): Promise<void> {
    this.writability.end();
    this.closing.abort();
    return this.connection.release();
  }

  /** Undefined when the stream is not where it was expected. */
  private send(
    client: EventStoreDBClient,
    stream: string,
    expectedVersion: number,
    events: readonly NewEvent[],
  ): Promise<EngineResult | undefined> {
    // The engine counts revisions from 0: a stream at version n is expected at revision n - 1.
    const expectedRevision = expectedVersion === 0 ? NO_STREAM : BigInt(expectedVersion - 1);
    return this.sendTo(client, stream, toEngineEvents(stream, events), expectedRevision);
  }

  /** An append that the engine has to refuse by its version: whoever says so would have written one that fits. */
  private async tryWriting(client: EventStoreDBClient): Promise<void> {
    const { stream, events, expectedRevision } = impossibleAppend();
    await this.sendTo(client, stream, events, expectedRevision);
  }

  private async sendTo(
    client: EventStoreDBClient,
    stream: string,
    events: JSONEventData[],
    expectedRevision: bigint | typeof NO_STREAM,
  ): Promise<EngineResult | undefined> {
    try {
      return await bounded((givenUp) =>
        appendGate.run(givenUp, () => client.appendToStream(stream, events, { expectedRevision })),
      );
    } catch (error) {
      if (isOfType(error, 'wrong-expected-version')) return undefined;
      if (breaksClient(error)) this.connection.replace(client);
      throw appendFailure(error);
    }
  }
}
