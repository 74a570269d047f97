import { jsonEvent, type JSONEventData, type Position as EnginePosition } from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { uuidOf } from '../../../kernel/ids';
import { type EventMetadata, type NewEvent, type RecordedEvent } from '../event-store.port';
import { decodeEvent } from '../event-codec';

/** `<category>-<id>` with a lower-case category. Everything else in the log is the engine's or another writer's. */
const OUR_STREAM = /^[a-z_]+-./;

/** The engine's limit. More is refused, and far more would break the call that all appends share. */
const MAX_APPEND_BYTES = 1_048_576;

/** An event as the driver returns it, before we know whose it is. */
export type EngineEvent = Readonly<{
  streamId: string;
  type: string;
  isJson: boolean;
  revision: bigint;
  data: unknown;
  metadata: unknown;
  position?: EnginePosition;
}>;

export function toEngineEvents(stream: string, events: readonly NewEvent[]): JSONEventData[] {
  if (!OUR_STREAM.test(stream)) throw new Error(`"${stream}" is no stream name: readAll would pass over it`);
  if (events.length === 0) throw new Error('an append needs an event');
  // The server rejects an event without a type with two errors, and the driver throws the second one uncaught.
  if (events.some(({ type }) => type === '')) throw new Error('an event needs a type');
  // The driver would serialise later, where a failure ends the process: what cannot be serialised fails here.
  const bytes = events.reduce((sum, event) => sum + bytesOf(event), 0);
  if (bytes > MAX_APPEND_BYTES) throw new RangeError(`${bytes} bytes are too many for one append`);
  return events.map(({ type, data, metadata }) =>
    jsonEvent({ id: uuidOf(metadata.event_id), type, data: data as Record<string, unknown>, metadata }),
  );
}

/** Some versions of the engine count the data alone, others everything that they store of an event. */
const bytesOf = ({ type, data, metadata }: NewEvent): number =>
  Buffer.byteLength(JSON.stringify(data)) + Buffer.byteLength(JSON.stringify(metadata)) + 2 * type.length;

/** A revision that no stream ever had or will have, in a stream that is never written to. */
export const impossibleAppend = (): { stream: string; events: JSONEventData[]; expectedRevision: bigint } => ({
  stream: 'svc.writable',
  events: [jsonEvent({ id: randomUUID(), type: 'NeverWritten', data: {} })],
  expectedRevision: 2n ** 40n,
});

/** Undefined for foreign events. */
export function fromEngineEvent(event: EngineEvent): RecordedEvent | undefined {
  const { streamId, type, isJson, revision, data, metadata, position } = event;
  if (!isJson || type.startsWith('$') || !OUR_STREAM.test(streamId)) return undefined;
  if (typeof data !== 'object' || data === null || !isOurMetadata(metadata)) return undefined;
  if (position === undefined) throw new Error('the event store is too old: it does not tell positions');
  const version = Number(revision) + 1;
  return decodeEvent({ type, data, metadata, stream: streamId, version, position: position.commit });
}

const isOurMetadata = (metadata: unknown): metadata is EventMetadata =>
  typeof metadata === 'object' &&
  metadata !== null &&
  'event_id' in metadata &&
  typeof metadata.event_id === 'string' &&
  metadata.event_id.startsWith('evt_');

/** Events are read at their commit position, which is their prepare position too. */
export const enginePosition = (position: bigint): EnginePosition => ({ commit: position, prepare: position });
