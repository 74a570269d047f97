import { once } from 'node:events';
import { type handleServerStreamingCall, type ServerWritableStream } from '@grpc/grpc-js';
import { ReadReq, type ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { type Log, type LogRecord } from './log';
import { type NodeRole, refusalOf } from './node-role';
import { eventMessage, handlerThrew, nameOf, streamNotFound } from './messages';
import { type Subscribers } from './subscribers';

export type ReadCall = ServerWritableStream<ReadReq, ReadResp>;

const { BACKWARDS } = ReadReq.Options.ReadDirection;

export const read = (
  log: Log,
  subscribers: Subscribers,
  role: NodeRole,
  note: (what: 'streamReads' | 'allReads') => void,
): handleServerStreamingCall<ReadReq, ReadResp> => {
  return (call) => {
    const options = call.request.getOptions();
    if (!options?.hasSubscription()) note(options?.hasStream() ? 'streamReads' : 'allReads');
    answer(log, subscribers, role, call).catch((error: unknown) => call.emit('error', error));
  };
};

async function answer(log: Log, subscribers: Subscribers, role: NodeRole, call: ReadCall): Promise<void> {
  const options = call.request.getOptions();
  if (!options) throw handlerThrew('a read needs options');
  if (options.hasSubscription()) return subscribers.add(call, options);
  const refusal = refusalOf(role, call.metadata);
  if (refusal) throw refusal;
  const count = BigInt(options.getCount());
  if (count < 1n) throw handlerThrew('the count must be positive');

  const all = options.hasStream() ? readStream(log, options) : readAll(log, options);
  const found = options.hasStream() ? visibleStream(all, role) : visible(all, role);
  if (found === undefined) {
    call.write(streamNotFound(nameOf(options.getStream()?.getStreamIdentifier())));
  } else {
    for (const record of found.slice(0, Number(count))) {
      if (call.cancelled) return;
      await send(call, eventMessage(record));
    }
  }
  call.end();
}

/** A record that a follower has not received yet is not visible on it. */
export const isVisible = ({ created }: LogRecord, role: NodeRole): boolean =>
  role.lagMs() === 0 || created <= Date.now() - role.lagMs();

/** Without a lag everything is: the log is long, and most reads are of one page. */
const visible = (records: readonly LogRecord[] | undefined, role: NodeRole): readonly LogRecord[] | undefined =>
  role.lagMs() === 0 ? records : records?.filter((record) => isVisible(record, role));

function visibleStream(records: readonly LogRecord[] | undefined, role: NodeRole): readonly LogRecord[] | undefined {
  const here = visible(records, role);
  return here?.length === 0 && records?.[0]?.revision === 0n ? undefined : here;
}

/** Waits while the reader is not reading; sends nothing once it has gone. */
export async function send(call: ReadCall, message: ReadResp): Promise<void> {
  if (call.cancelled || call.write(message)) return;
  const left = new AbortController();
  const leave = (): void => left.abort();
  call.once('cancelled', leave);
  await once(call, 'drain', { signal: left.signal }).catch(() => undefined);
  call.removeListener('cancelled', leave);
}

function readStream(log: Log, options: ReadReq.Options): readonly LogRecord[] | undefined {
  const from = options.getStream();
  const records = log.stream(nameOf(from?.getStreamIdentifier()));
  if (!from || !records) return undefined;
  const revision = from.hasRevision() ? Number(from.getRevision()) : undefined;
  if (options.getReadDirection() === BACKWARDS) {
    if (from.hasStart()) return records.slice(0, 1);
    return records.slice(0, revision === undefined ? undefined : revision + 1).reverse();
  }
  return from.hasEnd() ? [] : records.slice(revision ?? 0);
}

/**
 * Reading forwards includes the event at the position, backwards does not. A position between events is an error, one
 * beyond the end is not: there is nothing after it.
 */
function readAll(log: Log, options: ReadReq.Options): readonly LogRecord[] {
  const all = options.getAll();
  const position = all?.getPosition();
  const index = position && log.indexOf(BigInt(position.getCommitPosition()));
  const isForwards = options.getReadDirection() !== BACKWARDS;
  if (position && isForwards && BigInt(position.getCommitPosition()) > (log.records.at(-1)?.position ?? 0n)) return [];
  if (position && (index === undefined || position.getPreparePosition() !== position.getCommitPosition())) {
    throw handlerThrew('no event begins at this position');
  }
  if (!isForwards) {
    return all?.hasStart() ? [] : log.records.slice(0, index).reverse();
  }
  return all?.hasEnd() ? [] : log.records.slice(index ?? 0);
}
