import {
  type AllStreamResolvedEvent,
  BACKWARDS,
  END,
  type EventStoreDBClient,
  type Position as EnginePosition,
  type ResolvedEvent,
  START,
} from '@eventstore/db-client';
import { LOG_START, type Position, type RecordedEvent } from '../event-store.port';
import { isOfType, readFailure } from './errors';
import { takeFrom } from './take-from';
import { enginePosition, fromEngineEvent } from './translate';

const LARGEST_PAGE = 1000;
/** Once a page was short of our events, so many foreign ones are expected that small pages would be many. */
const PAGE_AMONG_FOREIGN_EVENTS = 256;

/** Up to `limit` of our events after the version, past whatever others wrote into our stream. */
export async function readVersions(
  client: EventStoreDBClient,
  stream: string,
  afterVersion: number,
  limit: number,
): Promise<RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  // The engine counts revisions from 0: what follows version n begins at revision n.
  let next = BigInt(afterVersion);
  for (;;) {
    const wanted = limit - found.length;
    let read = 0;
    await readRevisions(client, stream, next, wanted, (event, revision) => {
      read += 1;
      next = revision + 1n;
      if (event) found.push(event);
    });
    if (read < wanted || found.length >= limit) return found;
  }
}

async function readRevisions(
  client: EventStoreDBClient,
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
    await takeFrom(client.readStream(stream, { fromRevision, maxCount }), each);
  } catch (error) {
    if (!isOfType(error, 'stream-not-found')) throw readFailure(error);
  }
}

export async function positionOf(client: EventStoreDBClient, stream: string, version: number): Promise<Position> {
  const [event] = await readVersions(client, stream, version - 1, 1);
  if (event?.version !== version) throw new Error(`${stream}: version ${version} was written and cannot be read`);
  return event.position;
}

/** Up to `limit` of our events after the position, past whatever others wrote between them. */
export async function readPages(client: EventStoreDBClient, after: Position, limit: number): Promise<RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  let last = after === LOG_START ? undefined : enginePosition(after);
  let smallest = 0;
  let atEnd = false;
  while (found.length < limit && !atEnd) {
    // A page begins with the event at its position, which we have already: one more makes up for it.
    const size = Math.min(Math.max(limit - found.length + 1, smallest), LARGEST_PAGE);
    const read = await readPage(client, last, size, (event, position) => {
      last = position;
      if (event) found.push(event);
      return found.length < limit;
    });
    atEnd = read < size;
    smallest = PAGE_AMONG_FOREIGN_EVENTS;
  }
  return found;
}

/** How many events the page had, ours or not. */
async function readPage(
  client: EventStoreDBClient,
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
  try {
    await takeFrom(client.readAll({ fromPosition: after ?? START, maxCount }), each);
  } catch (error) {
    throw readFailure(error);
  }
  return read;
}

/** The position of the newest event of all: where the engine or others wrote last, it is theirs. */
export async function newestPosition(client: EventStoreDBClient): Promise<Position> {
  let newest = LOG_START;
  try {
    await takeFrom(client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 }), ({ event }) => {
      newest = event?.position.commit ?? newest;
      return true;
    });
  } catch (error) {
    throw readFailure(error);
  }
  return newest;
}
