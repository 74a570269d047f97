import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { type ReadReq } from '@eventstore/db-client/generated/streams_pb';
import { type Log, type LogRecord } from './log';
import { caughtUp, checkpoint, confirmation, eventMessage, failure, handlerThrew, nameOf } from './messages';
import { type NodeRole, refusalOf } from './node-role';
import { isVisible, type ReadCall, send } from './read-service';

const LIVE_BUFFER = 32;
const DEFAULT_WINDOW = 32;
const LAG_POLL_MS = 10;

/** Subscriptions: existing events at the reader's pace, then live events at the log's. */
export class Subscribers {
  /** How many were dropped because they did not read fast enough. */
  dropped = 0;
  /** How many are being served. */
  open = 0;

  constructor(
    private readonly log: Log,
    private readonly role: NodeRole,
  ) {}

  /** The engine confirms first and checks the position afterwards, and its own role only if it has to catch up. */
  async add(call: ReadCall, options: ReadReq.Options): Promise<void> {
    this.open += 1;
    call.on('close', () => (this.open -= 1));
    await send(call, confirmation(randomUUID()));
    const next = this.firstIndex(options);
    const refusal = this.sees(next) ? refusalOf(this.role, call.metadata) : undefined;
    if (refusal) throw refusal;
    await this.catchUp(call, next, this.selection(options), checkpointInterval(options));
  }

  /** Whether there is such a record, and this node has received it. */
  private sees(index: number): boolean {
    const record = this.log.records[index];
    return record !== undefined && isVisible(record, this.role);
  }

  private async catchUp(
    call: ReadCall,
    from: number,
    wanted: (record: LogRecord) => boolean,
    interval: number,
  ): Promise<void> {
    let next = from;
    for (let scanned = 1; this.sees(next) && !call.cancelled; next += 1, scanned += 1) {
      const record = this.log.records[next];
      if (record && wanted(record)) await send(call, eventMessage(record));
      if (record && scanned % interval === 0) await send(call, checkpoint(record.position));
    }
    if (!call.cancelled) this.goLive(call, next, wanted, interval);
  }

  private goLive(call: ReadCall, from: number, wanted: (record: LogRecord) => boolean, interval: number): void {
    const unread: LogRecord[] = [];
    let blocked = !call.write(caughtUp());
    let scanned = 0;
    let next = from;
    let isLive = true;
    let waiting: NodeJS.Timeout | undefined;

    const drain = (): void => {
      blocked = false;
      for (let record = unread.shift(); record; record = blocked ? undefined : unread.shift()) {
        blocked = !call.write(eventMessage(record));
      }
    };
    const take = (record: LogRecord): void => {
      scanned += 1;
      if (wanted(record)) {
        unread.push(record);
        if (unread.length > LIVE_BUFFER) return dropAsTooSlow();
        if (!blocked) drain();
      }
      if (!blocked && scanned % interval === 0) blocked = !call.write(checkpoint(record.position));
    };
    const dropAsTooSlow = (): void => {
      this.dropped += 1;
      leave();
      // The newer engine reports nothing: it catches up again from the reader's position.
      const first = unread[0];
      if (this.role.kind === 'kurrentdb' && first !== undefined) {
        return void this.catchUp(call, this.log.indexOf(first.position) ?? 0, wanted, interval);
      }
      call.emit(
        'error',
        failure(status.ABORTED, 'Consumer too slow to handle event while live. Client resubscription required.'),
      );
    };
    const pass = (): void => {
      while (isLive && this.sees(next)) take(this.log.records[next++] as LogRecord);
      clearTimeout(waiting);
      if (isLive && next < this.log.records.length) waiting = setTimeout(pass, LAG_POLL_MS).unref();
    };
    const forget = this.log.onCommit(pass);
    const leave = (): void => {
      isLive = false;
      clearTimeout(waiting);
      forget();
      call.removeListener('drain', drain);
    };
    call.on('drain', drain);
    call.on('cancelled', leave);
    pass();
  }

  /** Exclusive: delivery starts with the event after the given position or revision. */
  private firstIndex(options: ReadReq.Options): number {
    const stream = options.getStream();
    const all = options.getAll();
    if (all?.hasEnd() || stream?.hasEnd()) return this.log.records.length;
    const position = all?.getPosition();
    if (position) return this.after(BigInt(position.getCommitPosition()));
    if (!stream?.hasRevision()) return 0;
    const record = this.log.stream(nameOf(stream.getStreamIdentifier()))?.[Number(stream.getRevision())];
    return record ? this.after(record.position) : this.log.records.length;
  }

  private after(position: bigint): number {
    const index = this.log.indexOf(position);
    if (index !== undefined) return index + 1;
    // Beyond the end is no error: the engine waits until the log has grown past it, and sends nothing from before.
    if (position > (this.log.records.at(-1)?.position ?? 0n)) return this.log.records.length;
    if (this.role.kind === 'kurrentdb') throw failure(status.INVALID_ARGUMENT, 'no event begins at this position');
    throw handlerThrew('no event begins at this position');
  }

  private selection(options: ReadReq.Options): (record: LogRecord) => boolean {
    const stream = options.getStream();
    if (stream) {
      const name = nameOf(stream.getStreamIdentifier());
      return (record) => record.stream === name;
    }
    const position = BigInt(options.getAll()?.getPosition()?.getCommitPosition() ?? 0);
    const filter = options.getFilter();
    const expression = filter?.getStreamIdentifier() ?? filter?.getEventType();
    if (!filter || !expression) return (record) => record.position > position;
    const prefixes = expression.getPrefixList();
    const regex = new RegExp(expression.getRegex());
    return (record) => {
      if (record.position <= position) return false;
      const text = filter.hasStreamIdentifier() ? record.stream : record.type;
      return prefixes.length > 0 ? prefixes.some((prefix) => text.startsWith(prefix)) : regex.test(text);
    };
  }
}

function checkpointInterval(options: ReadReq.Options): number {
  const filter = options.getFilter();
  if (!filter) return Infinity;
  return (filter.hasMax() ? filter.getMax() : DEFAULT_WINDOW) * filter.getCheckpointintervalmultiplier();
}
