import { isPlainJson } from '../../../kernel/plain-json';
import { type AppendResult, type NewEvent, type Position, type RecordedEvent } from '../event-store.port';
import { StoreCorrupt } from './errors';
import { type LogTables } from './log-tables';
import { RecentEvents } from './recent-events';
import { decodeRecord, encodeRecord } from './record';
import { decodeEvent } from '../event-codec';

/** How many events at the end a start looks at: what a crash leaves is there. */
const TAIL = 32;

/** The log and its index, in the caller's transaction. Positions are dense from 1, so the next one is always known. */
export class EventLog {
  /** The end of the log at the last write. Only a guess: that commit may have failed since. */
  private guess = 0;
  private readonly recent = new RecentEvents();

  constructor(
    readonly file: string,
    readonly tables: LogTables,
  ) {}

  /** Up to `limit` events after the position; stops after the event that exceeds `maxBytes`. */
  after(position: Position, limit: number, maxBytes = Infinity): RecordedEvent[] {
    const found = this.recent.after(Number(position), limit);
    let bytes = 0;
    const rest = { start: Number(position) + found.length + 1, limit: limit - found.length };
    for (const { key, value } of rest.limit > 0 ? this.tables.log.getRange(rest) : []) {
      const event = this.decode(key, value);
      this.recent.add(key, event);
      found.push(event);
      bytes += value.byteLength;
      if (bytes > maxBytes) break;
    }
    return found;
  }

  ofStream(stream: string, afterVersion: number, limit: number): RecordedEvent[] {
    // Most calls find nothing new or want one event, and one lookup costs a fraction of opening a range.
    const first = this.tables.streams.get([stream, afterVersion + 1]);
    if (first === undefined) return [];
    if (limit === 1) return [this.at(stream, afterVersion + 1, first)];
    const range = { start: [stream, afterVersion + 1], end: [stream, Infinity] };
    const entries = this.tables.streams.getRange(limit === Infinity ? range : { ...range, limit });
    return Array.from(entries, ({ key, value }) => this.at(stream, key[1], value));
  }

  /**
   * Queues the append; appends queued together are committed together. Every check comes before the first write,
   * because a shared transaction cannot roll back one caller's part of it.
   */
  append(stream: string, expectedVersion: number, events: readonly NewEvent[]): Promise<AppendResult> {
    const records = events.map((event, index) => encodeRecord(stream, expectedVersion + index + 1, event));
    let isNew = false;
    const committing = this.tables.root.transaction((): AppendResult => {
      if (!this.isAt(stream, expectedVersion)) return this.earlierResult(stream, expectedVersion, events);
      let position = this.end();
      for (const [index, record] of records.entries()) {
        position += 1;
        void this.tables.log.put(position, record);
        void this.tables.streams.put([stream, expectedVersion + index + 1], position);
      }
      this.guess = position;
      isNew = true;
      return { kind: 'appended', version: expectedVersion + records.length, position: BigInt(position) };
    });
    return committing.then((result) => {
      if (isNew && result.kind === 'appended') this.remember(stream, events, result);
      return result;
    });
  }

  /** Subscribers need not read back what was just committed. */
  private remember(
    stream: string,
    events: readonly NewEvent[],
    { version: last, position: end }: Extract<AppendResult, { kind: 'appended' }>,
  ): void {
    for (const [index, { type, data, metadata }] of events.entries()) {
      const behind = events.length - 1 - index;
      if (!isPlainJson(data) || !isPlainJson(metadata)) continue;
      const position = end - BigInt(behind);
      const event = { stream, version: last - behind, type, data, metadata, position };
      this.recent.add(Number(position), decodeEvent(event));
    }
  }

  /** Throws StoreCorrupt unless the end of the log is as it was written, and is where the index has it. */
  assertTail(): void {
    const last = this.last();
    const { entryCount } = this.tables.log.getStats() as { entryCount: number };
    if (last !== entryCount)
      throw new StoreCorrupt(this.file, `its last event is number ${last}, and it has ${entryCount}`);
    for (const { stream, version, position } of this.after(BigInt(Math.max(0, last - TAIL)), TAIL)) {
      if (this.tables.streams.get([stream, version]) !== Number(position))
        throw new StoreCorrupt(this.file, `event ${position} of the log is not the one that the index has there`);
    }
  }

  /** The position of the last event; 0 when there is none. */
  last(): number {
    for (const position of this.tables.log.getKeys({ reverse: true, limit: 1 })) return position;
    return 0;
  }

  private isAt(stream: string, version: number): boolean {
    const { streams } = this.tables;
    return (version === 0 || streams.doesExist([stream, version])) && !streams.doesExist([stream, version + 1]);
  }

  /** As last(), but two lookups are cheaper than a search when the guess is right, and it nearly always is. */
  private end(): number {
    const { log } = this.tables;
    const isRight = (this.guess === 0 || log.doesExist(this.guess)) && !log.doesExist(this.guess + 1);
    return isRight ? this.guess : this.last();
  }

  /** The same ids at the requested versions mean that this append was written before: it gets the same result. */
  private earlierResult(stream: string, expectedVersion: number, events: readonly NewEvent[]): AppendResult {
    let version = expectedVersion;
    let position: Position = 0n;
    for (const event of events) {
      version += 1;
      const place = this.tables.streams.get([stream, version]);
      if (place === undefined) return { kind: 'conflict' };
      const stored = this.at(stream, version, place);
      if (stored.metadata.event_id !== event.metadata.event_id) return { kind: 'conflict' };
      position = stored.position;
    }
    return { kind: 'appended', version, position };
  }

  private at(stream: string, version: number, position: number): RecordedEvent {
    const event = this.recent.at(position) ?? this.read(stream, version, position);
    if (event.stream !== stream || event.version !== version) {
      throw new StoreCorrupt(this.file, `event ${position} of the log is not event ${version} of stream ${stream}`);
    }
    return event;
  }

  private read(stream: string, version: number, position: number): RecordedEvent {
    const record = this.tables.log.get(position);
    if (record === undefined) {
      throw new StoreCorrupt(this.file, `event ${version} of stream ${stream} is missing from the log`);
    }
    return this.decode(position, record);
  }

  private decode(position: number, record: Buffer): RecordedEvent {
    const event = decodeRecord(record);
    if (!event) throw new StoreCorrupt(this.file, `event ${position} of the log does not match its checksum`);
    return decodeEvent({ ...event, position: BigInt(position) });
  }
}
