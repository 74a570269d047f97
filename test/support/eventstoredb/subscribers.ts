import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { type ReadReq } from '@eventstore/db-client/generated/streams_pb';
import { type Log, type LogRecord } from './log';
import { caughtUp, checkpoint, confirmation, eventMessage, failure, handlerThrew, nameOf } from './messages';
import { type NodeRole } from './node-role';
import { type ReadCall, send } from './read-service';

const LIVE_BUFFER = 32;
const DEFAULT_WINDOW = 32;

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

  async add(call: ReadCall, options: ReadReq.Options): Promise<void> {
    const next = this.firstIndex(options);
    const wanted = this.selection(options);
    const interval = checkpointInterval(options);
    this.open += 1;
    call.on('close', () => (this.open -= 1));
    await send(call, confirmation(randomUUID()));
    await this.catchUp(call, next, wanted, interval);
  }

  private async catchUp(
    call: ReadCall,
    from: number,
    wanted: (record: LogRecord) => boolean,
    interval: number,
  ): Promise<void> {
    let next = from;
    for (let scanned = 1; next < this.log.records.length && !call.cancelled; next += 1, scanned += 1) {
      const record = this.log.records[next];
      if (record && wanted(record)) await send(call, eventMessage(record));
      if (record && scanned % interval === 0) await send(call, checkpoint(record.position));
    }
    if (!call.cancelled) this.goLive(call, wanted, interval);
  }

  private goLive(call: ReadCall, wanted: (record: LogRecord) => boolean, interval: number): void {
    const unread: LogRecord[] = [];
    let blocked = !call.write(caughtUp());
    let scanned = 0;

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
    const forget = this.log.onCommit((record) => {
      if (this.role.lagMs() === 0) take(record);
      else setTimeout(() => take(record), this.role.lagMs()).unref();
    });
    const leave = (): void => {
      forget();
      call.removeListener('drain', drain);
    };
    call.on('drain', drain);
    call.on('cancelled', leave);
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
    if (this.role.kind === 'kurrentdb') throw failure(status.INVALID_ARGUMENT, 'no event begins at this position');
    throw handlerThrew('no event begins at this position');
  }

  private selection(options: ReadReq.Options): (record: LogRecord) => boolean {
    const stream = options.getStream();
    if (stream) {
      const name = nameOf(stream.getStreamIdentifier());
      return (record) => record.stream === name;
    }
    const filter = options.getFilter();
    const expression = filter?.getStreamIdentifier() ?? filter?.getEventType();
    if (!filter || !expression) return () => true;
    const prefixes = expression.getPrefixList();
    const regex = new RegExp(expression.getRegex());
    return (record) => {
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
