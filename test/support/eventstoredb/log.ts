import { randomUUID } from 'node:crypto';

export type Proposed = Readonly<{
  id: string;
  type: string;
  contentType: string;
  data: Uint8Array;
  metadata: Uint8Array;
}>;

export type LogRecord = Proposed & Readonly<{ stream: string; revision: bigint; position: bigint; created: number }>;

export type ExpectedRevision = bigint | 'no_stream' | 'any' | 'stream_exists';

export type Committed = Readonly<
  { kind: 'committed'; revision: bigint; position: bigint } | { kind: 'wrong'; current: bigint | undefined }
>;

// Positions are byte offsets in a log that may be old and large: beyond what a number represents exactly.
const FIRST_POSITION = 2n ** 53n + 1177n;
const RECORD_OVERHEAD = 109;
const COMMITS_PER_SYSTEM_EVENT = 5;

/** The engine's log: one order over all streams, kept while the server is down. */
export class Log {
  readonly records: LogRecord[] = [];
  private readonly streams = new Map<string, LogRecord[]>();
  private readonly indexOfPosition = new Map<bigint, number>();
  private readonly listeners = new Set<(record: LogRecord) => void>();
  private nextPosition = FIRST_POSITION;
  private commits = 0;

  constructor() {
    this.write('$users', [json('$UserCreated', { user: 'ops' })]);
  }

  stream(name: string): readonly LogRecord[] | undefined {
    return this.streams.get(name);
  }

  /** The index in `records` of the event at this position. */
  indexOf(position: bigint): number | undefined {
    return this.indexOfPosition.get(position);
  }

  append(stream: string, expected: ExpectedRevision, events: readonly Proposed[]): Committed {
    const existing = this.streams.get(stream) ?? [];
    const current = existing.at(-1)?.revision;
    if (fits(expected, current)) {
      const written = this.write(stream, events);
      this.addSystemEvent(stream);
      return answer(written, current ?? 0n);
    }
    const first = expected === 'no_stream' ? 0 : typeof expected === 'bigint' ? Number(expected) + 1 : undefined;
    const earlier = first === undefined ? [] : existing.slice(first, first + events.length);
    const repeated = events.length > 0 && events.every(({ id }, index) => earlier[index]?.id === id);
    return repeated ? answer(earlier, 0n) : { kind: 'wrong', current };
  }

  /** Called for each record in log order; the returned function unsubscribes. */
  onCommit(listener: (record: LogRecord) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private write(stream: string, events: readonly Proposed[]): LogRecord[] {
    const existing = this.streams.get(stream) ?? [];
    if (events.length > 0) this.streams.set(stream, existing);
    const written = events.map((event) => {
      const record = {
        ...event,
        stream,
        revision: BigInt(existing.length),
        position: this.nextPosition,
        created: Date.now(),
      };
      this.nextPosition += BigInt(RECORD_OVERHEAD + stream.length + event.data.length + event.metadata.length);
      this.indexOfPosition.set(record.position, this.records.length);
      existing.push(record);
      this.records.push(record);
      return record;
    });
    for (const record of written) this.listeners.forEach((listener) => listener(record));
    return written;
  }

  /** A real log also contains other events: statistics and stream metadata between what applications write. */
  private addSystemEvent(near: string): void {
    this.commits += 1;
    if (this.commits % COMMITS_PER_SYSTEM_EVENT !== 0 || near.startsWith('$')) return;
    if (this.commits % 2 === 0) this.write('$stats-127.0.0.1:2113', [json('$statsCollected', { 'proc-cpu': 1 })]);
    else this.write(`$$${near}`, [json('$metadata', { $maxCount: 1_000_000 })]);
  }
}

function fits(expected: ExpectedRevision, current: bigint | undefined): boolean {
  switch (expected) {
    case 'any':
      return true;
    case 'no_stream':
      return current === undefined;
    case 'stream_exists':
      return current !== undefined;
    default:
      return current === expected;
  }
}

/** The revision is the last event's, the position the first one's: callers must read the last position. */
function answer(events: readonly LogRecord[], otherwise: bigint): Committed {
  return {
    kind: 'committed',
    revision: events.at(-1)?.revision ?? otherwise,
    position: events[0]?.position ?? FIRST_POSITION,
  };
}

const json = (type: string, data: object): Proposed => ({
  id: randomUUID(),
  type,
  contentType: 'application/json',
  data: Buffer.from(JSON.stringify(data)),
  metadata: Buffer.alloc(0),
});
