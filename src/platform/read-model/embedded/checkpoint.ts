import { type Position } from '../../event-store/event-store.port';
import { type Checkpoint } from '../read-model.port';
import { INDEX_SUM } from './index-sum';
import { encodeNote } from './stored-codec';
import { clampPositions, noteAt, positionAt, type Tables } from './tables';

export const bookmarkOf = (name: string): string => `bookmark of ${name}`;
const CHECKPOINT = 'checkpoint';
/** Of the projections that built the documents. */
export const FINGERPRINT = 'fingerprint';
/** `<position> <id>`: with its own position, because an earlier version moves the checkpoint and leaves this as it is. */
export const CHECKPOINT_EVENT = 'event of the checkpoint';

export function checkpointIn(tables: Tables): Checkpoint {
  const position = positionAt(tables, CHECKPOINT);
  const [at, event] = noteAt(tables, CHECKPOINT_EVENT)?.split(' ') ?? [];
  return { position, event: at === String(position) ? event : undefined };
}

/** Inside a write transaction. Never moves back. */
export function moveCheckpoint(tables: Tables, position: Position, event: string | undefined): void {
  if (position <= positionAt(tables, CHECKPOINT)) return;
  tables.state.putSync(CHECKPOINT, encodeNote(String(position)));
  if (event !== undefined) tables.state.putSync(CHECKPOINT_EVENT, encodeNote(`${position} ${event}`));
}

/** Inside a write transaction: drops what was built from the log. Bookmarks stay, but none beyond `end` if it is given. */
export function startOver(tables: Tables, fingerprint: string, end: Position | undefined): void {
  tables.documents.clearSync();
  tables.indexes.clearSync();
  for (const note of [CHECKPOINT, CHECKPOINT_EVENT, INDEX_SUM]) tables.state.removeSync(note);
  if (end !== undefined) clampPositions(tables, bookmarkOf(''), end);
  tables.state.putSync(FINGERPRINT, encodeNote(fingerprint));
}
