import {
  type AllStreamResolvedEvent,
  BACKWARDS,
  END,
  type Position as EnginePosition,
  type ResolvedEvent,
  START,
} from '@eventstore/db-client';
import { pause } from '../../../kernel/pause';
import { LOG_START, type Position, type RecordedEvent } from '../event-store.port';
import { isNodeFailure, isOfType, TimedOut } from './errors';
import { type Node } from './node';
import { takeFrom } from './take-from';
import { TIME_BOUND_MS } from './time-bound';
import { enginePosition, fromEngineEvent } from './translate';

const MAX_PAGE_SIZE = 1000;
/** Once a page held too few of our events, expect so many foreign ones that small pages would mean many reads. */
const MIN_PAGE_SIZE_AMONG_FOREIGN_EVENTS = 256;
const RETRY_DELAY_MS = 20;

/** Up to `limit` of our events after the version, skipping what others wrote into our stream. */
export async function readVersions(
  node: Node,
  stream: string,
  afterVersion: number,
  limit: number,
): Promise<RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  // The engine counts revisions from 0: the events after version n begin at revision n.
  let next = BigInt(afterVersion);
  for (;;) {
    const wanted = limit - found.length;
    let read = 0;
    await readRevisions(node, stream, next, wanted, (event, revision) => {
      read += 1;
      next = revision + 1n;
      if (event) found.push(event);
    });
    if (read < wanted || found.length >= limit) return found;
  }
}

async function readRevisions(
  node: Node,
  stream: string,
  fromRevision: bigint,
  maxCount: number,
  take: (event: RecordedEvent | undefined, revision: bigint) => void,
): Promise<void> {
  const each = ({ event }: ResolvedEvent): boolean => {
    if (event) take(fromEngineEvent(event), event.revision);
    return true;
  };
  try {
    const { client, requiresLeader } = node;
    await takeFrom(node, client.readStream(stream, { fromRevision, maxCount, requiresLeader }), each);
  } catch (error) {
    if (!isOfType(error, 'stream-not-found')) throw error;
  }
}

/** The position of an acknowledged event. A follower may lag; this then waits until it has caught up. */
export async function positionOf(node: Node, stream: string, version: number): Promise<Position> {
  const patientUntil = performance.now() + TIME_BOUND_MS;
  for (;;) {
    const [event] = await readVersions(node, stream, version - 1, 1);
    if (event?.version === version) return event.position;
    if (performance.now() > patientUntil) throw new TimedOut();
    await pause(RETRY_DELAY_MS);
  }
}

/** Up to `limit` of our events after the position, skipping what others wrote between them. */
export async function readPages(node: Node, after: Position, limit: number): Promise<RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  let last = after === LOG_START ? undefined : enginePosition(after);
  let smallest = 0;
  let atEnd = false;
  while (found.length < limit && !atEnd) {
    // A page begins with the event at its position, which we already have: one more makes up for it.
    const size = Math.min(Math.max(limit - found.length + 1, smallest), MAX_PAGE_SIZE);
    const read = await readPage(node, last, size, (event, position) => {
      last = position;
      if (event) found.push(event);
      return found.length < limit;
    });
    atEnd = read < size;
    smallest = MIN_PAGE_SIZE_AMONG_FOREIGN_EVENTS;
  }
  return found;
}

/** Returns how many events the page had, including foreign ones. */
async function readPage(
  node: Node,
  after: EnginePosition | undefined,
  maxCount: number,
  take: (event: RecordedEvent | undefined, position: EnginePosition) => boolean,
): Promise<number> {
  let read = 0;
  const each = ({ event }: AllStreamResolvedEvent): boolean => {
    read += 1;
    if (!event || (after && event.position.commit <= after.commit)) return true;
    return take(fromEngineEvent(event), event.position);
  };
  const { client, requiresLeader } = node;
  await takeFrom(node, client.readAll({ fromPosition: after ?? START, maxCount, requiresLeader }), each);
  return read;
}

/**
 * The id that we gave to the event at the position; undefined if none of ours begins there. Not the engine's: a tool
 * that copies a log may replace those.
 */
export async function idAt(node: Node, position: Position): Promise<string | undefined> {
  if (position === LOG_START) return undefined;
  let id: string | undefined;
  const { client, requiresLeader } = node;
  const reading = client.readAll({ fromPosition: enginePosition(position), maxCount: 1, requiresLeader });
  try {
    await takeFrom(node, reading, ({ event }) => {
      if (event?.position.commit === position) id = fromEngineEvent(event)?.metadata.event_id;
      return true;
    });
  } catch (error) {
    // How the engine answers for a position between two events.
    if (!isOfType(error, 'unknown') || isNodeFailure(error)) throw error;
  }
  return id;
}

/** The position of the newest event of all, whether ours, the engine's or another writer's. */
export async function newestPosition(node: Node): Promise<Position> {
  let newest = LOG_START;
  const { client, requiresLeader } = node;
  const reading = client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1, requiresLeader });
  await takeFrom(node, reading, ({ event }) => {
    newest = event?.position.commit ?? newest;
    return true;
  });
  return newest;
}
