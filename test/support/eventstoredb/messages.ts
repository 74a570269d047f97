import { type ServiceError, type StatusObject, Metadata, status } from '@grpc/grpc-js';
import { Any } from 'google-protobuf/google/protobuf/any_pb';
import { Empty as GoogleEmpty } from 'google-protobuf/google/protobuf/empty_pb';
import { Code } from '@eventstore/db-client/generated/code_pb';
import {
  type AllStreamPosition,
  MaximumAppendSizeExceeded,
  StreamIdentifier,
  Timeout,
  UUID,
  WrongExpectedVersion,
} from '@eventstore/db-client/generated/shared_pb';
import { Status } from '@eventstore/db-client/generated/status_pb';
import { ReadResp } from '@eventstore/db-client/generated/streams_pb';
import { type ExpectedRevision, type LogRecord } from './log';

const TICKS_PER_MILLISECOND = 10_000n;

export const identifier = (stream: string): StreamIdentifier =>
  new StreamIdentifier().setStreamName(Buffer.from(stream, 'utf8'));

export const nameOf = (stream: StreamIdentifier | undefined): string =>
  Buffer.from(stream?.getStreamName_asU8() ?? []).toString('utf8');

export function eventMessage(record: LogRecord): ReadResp {
  const position = record.position.toString();
  const recorded = new ReadResp.ReadEvent.RecordedEvent()
    .setId(new UUID().setString(record.id))
    .setStreamIdentifier(identifier(record.stream))
    .setStreamRevision(record.revision.toString())
    .setCommitPosition(position)
    .setPreparePosition(position)
    .setData(record.data)
    .setCustomMetadata(record.metadata);
  recorded
    .getMetadataMap()
    .set('type', record.type)
    .set('content-type', record.contentType)
    .set('created', (BigInt(record.created) * TICKS_PER_MILLISECOND).toString());
  return new ReadResp().setEvent(new ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(position));
}

export const confirmation = (id: string): ReadResp =>
  new ReadResp().setConfirmation(new ReadResp.SubscriptionConfirmation().setSubscriptionId(id));

export const caughtUp = (): ReadResp => new ReadResp().setCaughtUp(new ReadResp.CaughtUp());

/** The engine leaves out the prepare position here; the commit position alone is enough to resume. */
export const checkpoint = (position: bigint): ReadResp =>
  new ReadResp().setCheckpoint(
    new ReadResp.Checkpoint().setCommitPosition(position.toString()).setPreparePosition('0'),
  );

export const streamNotFound = (stream: string): ReadResp =>
  new ReadResp().setStreamNotFound(new ReadResp.StreamNotFound().setStreamIdentifier(identifier(stream)));

export function placeAt<P extends Pick<AllStreamPosition, 'setCommitPosition' | 'setPreparePosition'>>(
  message: P,
  position: bigint,
): P {
  message.setCommitPosition(position.toString());
  message.setPreparePosition(position.toString());
  return message;
}

export function wrongExpectedVersion(expected: ExpectedRevision, current: bigint | undefined): Status {
  const details = new WrongExpectedVersion();
  if (current === undefined) details.setCurrentNoStream(new GoogleEmpty());
  else details.setCurrentStreamRevision(current.toString());
  if (typeof expected === 'bigint') details.setExpectedStreamPosition(expected.toString());
  else if (expected === 'no_stream') details.setExpectedNoStream(new GoogleEmpty());
  else if (expected === 'stream_exists') details.setExpectedStreamExists(new GoogleEmpty());
  else details.setExpectedAny(new GoogleEmpty());
  return packed('WrongExpectedVersion', details.serializeBinary());
}

export const appendTooLarge = (limit: number): Status =>
  packed('MaximumAppendSizeExceeded', new MaximumAppendSizeExceeded().setMaxappendsize(limit).serializeBinary());

/** Whether the append happened remains open. */
export const timedOut = (): Status => packed('Timeout', new Timeout().serializeBinary());

/** The engine's response to an append that it did not process; the driver has no name for it. */
export const notHandled = (message: string): Status => {
  const details = new Any();
  details.pack(new GoogleEmpty().serializeBinary(), 'google.protobuf.Empty');
  return new Status().setMessage(message).setDetails(details);
};

function packed(name: string, bytes: Uint8Array): Status {
  const details = new Any();
  details.pack(bytes, `event_store.client.${name}`);
  return new Status().setCode(Code.UNKNOWN).setMessage(name).setDetails(details);
}

/** How a call as a whole fails. */
export const failure = (code: status, details: string, facts: Readonly<Record<string, string>> = {}): ServiceError => {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(facts)) metadata.set(key, value);
  const plain: StatusObject = { code, details, metadata };
  return Object.assign(new Error(details), plain);
};

export const handlerThrew = (why: string): ServiceError =>
  failure(status.UNKNOWN, `Exception was thrown by handler. ${why}`);
