import { type AppendResult as EngineResult, type EventStoreDBClient, NO_STREAM } from '@eventstore/db-client';
import {
  type AppendResult,
  type EventStore,
  type NewEvent,
  type Position,
  type RecordedEvent,
  type SubscribeOptions,
} from '../event-store.port';
import { appendGate } from './append-gate';
import { Connection } from './connection';
import { appendFailure, breaksClient, isOfType } from './errors';
import { newestPosition, positionOf, readPages, readVersions } from './reading';
import { subscription } from './subscription';
import { bounded } from './time-bound';
import { toEngineEvents } from './translate';

/** Needs no server yet: one that is away shows when it is used. */
export async function openEventStoreDb(url: string): Promise<EventStore> {
  return new EventStoreDb(Connection.open(url));
}

class EventStoreDb implements EventStore {
  private readonly closing = new AbortController();

  constructor(private readonly connection: Connection) {}

  readStream(stream: string, afterVersion = 0, limit = Number.MAX_SAFE_INTEGER): Promise<readonly RecordedEvent[]> {
    return this.connection.use((client) => readVersions(client, stream, afterVersion, limit));
  }

  append(stream: string, expectedVersion: number, events: readonly NewEvent[]): Promise<AppendResult> {
    return this.connection.use(async (client) => {
      const result = await this.send(client, stream, expectedVersion, events);
      if (result?.success !== true) return { kind: 'conflict' };
      const version = expectedVersion + events.length;
      // Of several events the answer tells one position, and not surely the last one's.
      const position = events.length === 1 ? result.position?.commit : undefined;
      return { kind: 'appended', version, position: position ?? (await positionOf(client, stream, version)) };
    });
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

  async ping(): Promise<void> {
    await this.head();
  }

  close(): Promise<void> {
    this.closing.abort();
    return this.connection.release();
  }

  /** Undefined when the stream is not where it was expected. */
  private async send(
    client: EventStoreDBClient,
    stream: string,
    expectedVersion: number,
    events: readonly NewEvent[],
  ): Promise<EngineResult | undefined> {
    const engineEvents = toEngineEvents(stream, events);
    // The engine counts revisions from 0: a stream at version n is expected at revision n - 1.
    const expectedRevision = expectedVersion === 0 ? NO_STREAM : BigInt(expectedVersion - 1);
    try {
      return await bounded((givenUp) =>
        appendGate.run(givenUp, () => client.appendToStream(stream, engineEvents, { expectedRevision })),
      );
    } catch (error) {
      if (isOfType(error, 'wrong-expected-version')) return undefined;
      if (breaksClient(error)) this.connection.replace(client);
      throw appendFailure(error);
    }
  }
}
