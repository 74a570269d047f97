import {
  type AppendResult,
  type EventStore,
  type NewEvent,
  type Position,
  type RecordedEvent,
  StoreUnavailable,
  type SubscribeOptions,
} from '../event-store.port';
import { Bell } from './bell';
import { StoreCorrupt } from './errors';
import { type EventLog } from './event-log';

/** What a subscription holds in memory at most; the log itself is the buffer of a slow consumer. */
const BATCH_EVENTS = 256;
const BATCH_BYTES = 1024 * 1024;
/** The engine's keys end at 1978 bytes; a name this long is a mistake anyway. */
const LONGEST_STREAM_NAME = 1000;

export class EmbeddedEventStore implements EventStore {
  protected readonly bell = new Bell();
  private closing: Promise<void> | undefined;

  constructor(
    private readonly log: EventLog,
    private readonly release: () => void,
  ) {}

  async readStream(stream: string, afterVersion = 0, limit = Infinity): Promise<readonly RecordedEvent[]> {
    this.assertOpen();
    return this.log.ofStream(stream, afterVersion, limit);
  }

  async append(stream: string, expectedVersion: number, events: readonly NewEvent[]): Promise<AppendResult> {
    this.assertOpen();
    if (events.length === 0) throw new Error('an append needs at least one event');
    if (stream === '' || Buffer.byteLength(stream) > LONGEST_STREAM_NAME) throw new Error('not a stream name');
    const appending = this.log.append(stream, expectedVersion, events);
    const result = await appending.catch(async (error: unknown) => {
      throw await whyUnavailable(error);
    });
    if (result.kind === 'appended') this.bell.ring();
    return result;
  }

  async readAll(after: Position, limit: number): Promise<readonly RecordedEvent[]> {
    this.assertOpen();
    return this.log.after(after, limit);
  }

  async *subscribe(after: Position, { signal, onCaughtUp }: SubscribeOptions): AsyncGenerator<RecordedEvent, void> {
    let position = after;
    let caughtUp = false;
    const ended = (): boolean => signal.aborted || this.closing !== undefined;
    while (!ended()) {
      const batch = this.log.after(position, BATCH_EVENTS, BATCH_BYTES);
      for (const event of batch) {
        if (ended()) return;
        yield event;
        position = event.position;
      }
      if (batch.length > 0) {
        // Reading never waits, so a consumer that does not either would keep everyone else from running until the end.
        await new Promise(setImmediate);
        continue;
      }
      if (!caughtUp) onCaughtUp?.();
      caughtUp = true;
      await this.bell.heard(signal);
    }
  }

  async head(): Promise<Position> {
    this.assertOpen();
    return BigInt(this.log.last());
  }

  async ping(): Promise<void> {
    this.assertOpen();
    this.log.last();
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<void> {
    this.bell.ring();
    // Waits for the appends that are under way.
    await this.log.tables.root.close();
    this.release();
  }

  private assertOpen(): void {
    if (this.closing) throw new StoreUnavailable('unknown', new Error('the event store is closed'));
  }
}

/** A failed commit tells its reason by a second promise, which must be heard: rejecting unheard it would end the process. */
async function whyUnavailable(error: unknown): Promise<Error> {
  if (error instanceof StoreCorrupt) return error;
  const { commitError = error } = error as { commitError?: unknown };
  const heard = Promise.resolve(commitError).catch((cause: unknown) => cause);
  const soon = new Promise((resolve) => setImmediate(resolve, error));
  return new StoreUnavailable('unknown', await Promise.race([heard, soon]));
}
