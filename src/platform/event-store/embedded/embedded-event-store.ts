import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { threadId } from 'node:worker_threads';
import {
  type AppendResult,
  type EventStore,
  LOG_START,
  type NewEvent,
  type Position,
  type RecordedEvent,
  StoreUnavailable,
  type SubscribeOptions,
} from '../event-store.port';
import { Writability } from '../writability';
import { Bell } from './bell';
import { StoreCorrupt } from './errors';
import { type EventLog } from './event-log';

/** Limits what a subscription holds in memory; for a slow consumer the log itself is the buffer. */
const BATCH_EVENTS = 256;
const BATCH_BYTES = 1024 * 1024;
/** The engine limits keys to 1978 bytes; a name this long is a mistake anyway. */
const MAX_STREAM_NAME_LENGTH = 1000;
/** Enough space for a few concurrent appends. */
const PROBE_BYTES = 64 * 1024;

export class EmbeddedEventStore implements EventStore {
  readonly isRemote = false;
  protected readonly bell = new Bell();
  private closing: Promise<void> | undefined;
  private readonly writability = new Writability(async () => tryWriting(dirname(this.log.file)));

  constructor(
    protected readonly log: EventLog,
    private readonly release: () => void,
  ) {}

  async readStream(stream: string, afterVersion = 0, limit = Infinity): Promise<readonly RecordedEvent[]> {
    this.assertOpen();
    return this.log.ofStream(stream, afterVersion, limit);
  }

  async append(stream: string, expectedVersion: number, events: readonly NewEvent[]): Promise<AppendResult> {
    this.assertOpen();
    if (events.length === 0) throw new Error('an append needs at least one event');
    if (stream === '' || Buffer.byteLength(stream) > MAX_STREAM_NAME_LENGTH) throw new Error('not a stream name');
    const result = await this.writability.watch(this.write(stream, expectedVersion, events));
    if (result.kind === 'appended') this.bell.ring();
    return result;
  }

  protected write(stream: string, expectedVersion: number, events: readonly NewEvent[]): Promise<AppendResult> {
    return this.log.append(stream, expectedVersion, events).catch(async (error: unknown) => {
      throw await whyUnavailable(error);
    });
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
        // Reading never yields, so a consumer that does not either would block the event loop until the end of the log.
        await new Promise(setImmediate);
        continue;
      }
      if (!caughtUp) onCaughtUp?.(true);
      caughtUp = true;
      await this.bell.nextRing(signal);
    }
  }

  async idAt(position: Position): Promise<string | undefined> {
    this.assertOpen();
    const [event] = position > LOG_START ? this.log.after(position - 1n, 1) : [];
    return event?.position === position ? event.metadata.event_id : undefined;
  }

  async head(): Promise<Position> {
    this.assertOpen();
    return BigInt(this.log.last());
  }

  get writable(): boolean {
    return this.writability.now;
  }

  async ping(): Promise<void> {
    this.assertOpen();
    this.log.last();
    if (!this.writable) await this.writability.check();
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<void> {
    this.writability.end();
    this.bell.ring();
    // Waits for the appends in flight.
    await this.log.tables.root.close();
    this.release();
  }

  private assertOpen(): void {
    if (this.closing) throw new StoreUnavailable('unknown', new Error('the event store is closed'));
  }
}

/** A failed commit reports its cause in a second promise, which needs a handler: unhandled it would end the process. */
async function whyUnavailable(error: unknown): Promise<Error> {
  if (error instanceof StoreCorrupt) return error;
  const { commitError = error } = error as { commitError?: unknown };
  const cause = Promise.resolve(commitError).catch((reason: unknown) => reason);
  const soon = new Promise((resolve) => setImmediate(resolve, error));
  return new StoreUnavailable('unknown', await Promise.race([cause, soon]));
}

/** Writes a file as large as a few appends beside the log, then removes it. */
function tryWriting(directory: string): void {
  const probe = join(directory, `probe-${process.pid}-${threadId}`);
  try {
    const file = openSync(probe, 'w', 0o600);
    try {
      if (writeSync(file, Buffer.alloc(PROBE_BYTES)) < PROBE_BYTES) throw new Error('no space left');
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new StoreUnavailable('unknown', error);
  } finally {
    rmSync(probe, { force: true });
  }
}
